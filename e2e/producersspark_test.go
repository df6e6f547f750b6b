package e2e

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// The listener that sends the events of Spark. Its version for Scala 2.12 is the one for Spark 3.5.
const (
	sparkListener        = "openlineage-spark_2.12"
	sparkListenerVersion = "1.53.0"
)

// sparkJob is the URN of a job of the application.
func sparkJob(name string) string {
	return "urn:li:dataJob:(urn:li:dataFlow:(spark,shop_revenue,nightly)," + name + ")"
}

// The jobs of e2e/producers/spark/revenue.py.
var (
	sparkApplication = sparkJob("shop_revenue")
	sparkPaid        = sparkJob("shop_revenue.execute_insert_into_hadoop_fs_relation_command.shop_paid")
	sparkRevenue     = sparkJob("shop_revenue.adaptive_spark_plan.shop_revenue")
	sparkTable       = sparkJob("shop_revenue.execute_create_data_source_table_as_select_command.default_revenue")
	sparkTaxed       = sparkJob("shop_revenue.execute_insert_into_hadoop_fs_relation_command.shop_taxed")
)

// runSpark runs the application in a folder.
func runSpark(t *testing.T, s *server, venv, folder string) {
	t.Helper()
	jar, err := exec.Command("producers/jar.sh", "io.openlineage:"+sparkListener+":"+sparkListenerVersion).Output()
	if err != nil {
		t.Fatalf("the listener for Spark cannot be fetched: %v", err)
	}
	writeFiles(t, folder, map[string]string{"orders.csv": dbtProject["seeds/orders.csv"]})
	arguments := []string{"--master", "local[1]", "--jars", strings.TrimSpace(string(jar))}
	for _, setting := range []string{
		"spark.ui.enabled=false", "spark.sql.warehouse.dir=" + filepath.Join(folder, "warehouse"),
		"spark.extraListeners=io.openlineage.spark.agent.OpenLineageSparkListener", "spark.openlineage.namespace=nightly",
		"spark.openlineage.transport.type=http", "spark.openlineage.transport.url=" + s.base, "spark.openlineage.transport.endpoint=/api/v1/lineage",
	} {
		arguments = append(arguments, "--conf", setting)
	}
	script := filepath.Join(testservers.Root(), "e2e", "producers", "spark", "revenue.py")
	runProgram(t, folder, filepath.Join(venv, "bin", "spark-submit"), append(arguments, script, folder), false, "SPARK_LOCAL_IP=127.0.0.1")
}

func sparkProducer() producer {
	var folder string
	file := func(name string) string {
		return "urn:li:dataset:(urn:li:dataPlatform:file," + filepath.Join(folder, name) + ",PROD)"
	}
	table := "urn:li:dataset:(urn:li:dataPlatform:hive,default.revenue,PROD)"
	return producer{
		test: "spark", folder: "spark", name: "Spark", more: sparkListener + " " + sparkListenerVersion,
		ran: "`spark-submit`, local: CSV to Parquet, Parquet to CSV and to a table with a sum, and a job that fails",
		run: func(t *testing.T, s *server, venv string) {
			folder = filepath.Join(t.TempDir(), "shop")
			runSpark(t, s, venv, folder)
		},
		checks: []producerCheck{
			{"a flow for the application, and its run", func(s *server) error {
				return errors.Join(s.hasAspect("dataflow", "urn:li:dataFlow:(spark,shop_revenue,nightly)", "dataflowinfo", "Shop Revenue"), s.ranAs(sparkApplication, 1, "SUCCESS", ""))
			}},
			{"a job for each command, and its run with begin, end, result and the run of the application as parent", func(s *server) error {
				return errors.Join(s.ranAs(sparkPaid, 1, "SUCCESS", sparkApplication), s.ranAs(sparkRevenue, 1, "SUCCESS", sparkApplication),
					s.ranAs(sparkTable, 1, "SUCCESS", sparkApplication), s.ranAs(sparkTaxed, 1, "FAILURE", sparkApplication))
			}},
			{"the message of the error", func(s *server) error {
				runs, err := s.runsOf(sparkTaxed)
				if err != nil {
					return err
				}
				return s.hasAspect("dataprocessinstance", runs[0].urn, "dataprocessinstanceproperties", "unknown rate")
			}},
			{"files by their paths and the table by its name, with their columns", func(s *server) error {
				return errors.Join(s.hasAspect("dataset", file("orders.csv"), "schemametadata", "customer", "amount"),
					s.hasAspect("dataset", file("paid"), "schemametadata", "customer", "paid"), s.hasAspect("dataset", table, "schemametadata", "customer", "total"))
			}},
			{"lineage of datasets", func(s *server) error {
				return errors.Join(s.follows(file("revenue"), sparkRevenue, file("paid"), sparkPaid, file("orders.csv")), s.follows(table, sparkTable, file("paid")))
			}},
			{"lineage of columns, with how each follows", func(s *server) error {
				return errors.Join(s.follows(columnOf(table, "total"), columnOf(file("paid"), "paid"), columnOf(file("orders.csv"), "amount")),
					s.hasAspect("datajob", sparkTable, "datajobinputoutput", "DIRECT:AGGREGATION", "INDIRECT:GROUP_BY"))
			}},
			{"how many rows were written", func(s *server) error {
				return s.hasAspect("dataset", file("paid"), "operation", `"numAffectedRows":2`)
			}},
		},
	}
}
