package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// The versions of Flink and of its listener.
const (
	flinkVersion         = "2.1.0"
	flinkListenerVersion = "1.53.0"
)

// flinkModules are the modules of Flink that SQL on files needs.
var flinkModules = []string{"flink-clients", "flink-table-planner-loader", "flink-table-runtime", "flink-table-api-java-bridge", "flink-connector-files", "flink-csv"}

// runFlink runs e2e/producers/flink/Copy.java.
func runFlink(t *testing.T, s *server, _ string) {
	t.Helper()
	var path []string
	add := func(arguments ...string) {
		jars, err := exec.Command("producers/jar.sh", arguments...).Output()
		if err != nil {
			t.Fatalf("%v cannot be fetched: %v", arguments, err)
		}
		jar := strings.TrimSpace(string(jars))
		if len(arguments) > 1 {
			jar = filepath.Join(jar, "*")
		}
		path = append(path, jar)
	}
	for _, module := range flinkModules {
		add("org.apache.flink:"+module+":"+flinkVersion, "--all")
	}
	add("io.openlineage:openlineage-flink:" + flinkListenerVersion)
	java, err := exec.LookPath("java")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{"orders.csv": "1,5\n2,20\n3,30\n"})
	source := filepath.Join(testservers.Root(), "e2e", "producers", "flink", "Copy.java")
	runProgram(t, folder, java, []string{
		"--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
		"-cp", strings.Join(path, ":"), source, s.base, folder,
	}, false)
}

func flinkProducer() producer {
	const (
		job    = "urn:li:dataJob:(urn:li:dataFlow:(flink,copy_orders,flink-jobs),copy_orders)"
		orders = "urn:li:dataset:(urn:li:dataPlatform:unknown,default_catalog.default_database.orders,PROD)"
		copied = "urn:li:dataset:(urn:li:dataPlatform:unknown,default_catalog.default_database.big_orders,PROD)"
	)
	return producer{
		test: "flink", name: "Flink", more: "Flink " + flinkVersion + ", openlineage-flink " + flinkListenerVersion,
		ran: "SQL on a cluster within the process: CSV to CSV with a filter. The listener sends START only, and names tables of Flink's own catalog without a namespace",
		run: runFlink,
		checks: []producerCheck{
			{"a flow and a job, and its run with its begin, which is shown as running", func(s *server) error {
				runs, err := s.runsOf(job)
				if err == nil && (len(runs) != 1 || runs[0].begin == 0 || runs[0].end != 0) {
					err = fmt.Errorf("the runs of the job are %+v", runs)
				}
				return err
			}},
			{"both tables with their columns", func(s *server) error {
				return errors.Join(s.hasAspect("dataset", orders, "schemametadata", "amount"), s.hasAspect("dataset", copied, "schemametadata", "amount"))
			}},
			{"lineage of datasets", func(s *server) error { return s.follows(copied, job, orders) }},
		},
	}
}
