package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// airflowJob is the URN of a task of e2e/producers/airflow/shop.py, as the connector of Airflow writes it for the
// cluster nightly; the DAG itself is a job too.
func airflowJob(name string) string {
	return "urn:li:dataJob:(urn:li:dataFlow:(airflow,shop,nightly)," + name + ")"
}

// shopFile is the URN of a file that the tasks state.
func shopFile(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:file,/shop/" + name + ",PROD)"
}

// runAirflow runs the DAG once, in a new home of Airflow.
func runAirflow(t *testing.T, s *server, venv string) {
	t.Helper()
	home := t.TempDir()
	dag, err := os.ReadFile(filepath.Join("producers", "airflow", "shop.py"))
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, home, map[string]string{"dags/shop.py": string(dag)})
	environment := []string{
		"AIRFLOW_HOME=" + home, "AIRFLOW__CORE__LOAD_EXAMPLES=False", "AIRFLOW__OPENLINEAGE__NAMESPACE=nightly",
		fmt.Sprintf(`AIRFLOW__OPENLINEAGE__TRANSPORT={"type":"http","url":%q,"endpoint":"api/v1/lineage"}`, s.base),
	}
	airflow := filepath.Join(venv, "bin", "airflow")
	runProgram(t, home, airflow, []string{"db", "migrate"}, false, environment...)
	runProgram(t, home, airflow, []string{"dags", "test", "shop"}, true, environment...)
}

func airflowProducer() producer {
	return producer{
		test: "airflow", folder: "airflow", name: "Airflow",
		ran: "`airflow dags test`: two tasks with files as inlets and outlets, and a task that fails",
		run: runAirflow,
		checks: []producerCheck{
			{"a flow for the DAG, with its description", func(s *server) error {
				return s.hasAspect("dataflow", "urn:li:dataFlow:(airflow,shop,nightly)", "dataflowinfo", "The revenue of the shop.")
			}},
			{"tasks with the URNs of the connector, with owner and tags", func(s *server) error {
				return errors.Join(s.hasAspect("datajob", airflowJob("pay"), "datajobinfo", "TASK", "Leaves out orders of no value."),
					s.hasAspect("datajob", airflowJob("pay"), "ownership", "urn:li:corpuser:airflow"), s.hasAspect("datajob", airflowJob("pay"), "globaltags", `"urn:li:tag:finance"`))
			}},
			{"the run of each task with begin, end, result and the run of the DAG as parent", func(s *server) error {
				return errors.Join(s.ranAs(airflowJob("pay"), 1, "SUCCESS", airflowJob("shop")), s.ranAs(airflowJob("sum_revenue"), 1, "SUCCESS", airflowJob("shop")),
					s.ranAs(airflowJob("report"), 1, "FAILURE", airflowJob("shop")))
			}},
			{"the run of the DAG, which failed", func(s *server) error {
				runs, err := s.runsOf(airflowJob("shop"))
				if err == nil && (len(runs) != 1 || runs[0].result != "FAILURE" || runs[0].end == 0) {
					err = fmt.Errorf("the DAG ran as %+v", runs)
				}
				return err
			}},
			{"the message of the error", func(s *server) error {
				runs, err := s.runsOf(airflowJob("report"))
				if err != nil {
					return err
				}
				return s.hasAspect("dataprocessinstance", runs[0].urn, "dataprocessinstanceproperties", "nobody reads reports")
			}},
			{"lineage of datasets through the tasks", func(s *server) error {
				return s.follows(shopFile("revenue.csv"), airflowJob("sum_revenue"), shopFile("paid.csv"), airflowJob("pay"), shopFile("orders.csv"))
			}},
		},
	}
}
