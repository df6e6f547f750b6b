package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// dbtProject is a project with a seed, two models and two tests, of which one fails.
var dbtProject = map[string]string{
	"dbt_project.yml":    "name: shop\nversion: '1.0'\nprofile: shop\nmodels: {+materialized: table}\n",
	"profiles.yml":       "shop: {target: dev, outputs: {dev: {type: duckdb, path: shop.duckdb, threads: 1}}}\n",
	"seeds/orders.csv":   "id,customer,amount\n1,ada,10\n2,ben,20\n3,ada,5\n",
	"models/paid.sql":    "select id, customer, amount from {{ ref('orders') }} where amount > 5\n",
	"models/revenue.sql": "select customer, sum(amount) as total from {{ ref('paid') }} group by customer\n",
	"models/schema.yml": `version: 2
models:
  - name: revenue
    description: The revenue of each customer.
    columns:
      - name: customer
        description: Who has paid.
        data_tests: [not_null, {accepted_values: {arguments: {values: [ada]}}}]
`,
}

// duckTable is the URN of a table of the project, as a recipe for dbt on DuckDB writes it.
func duckTable(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:duckdb,shop.main." + name + ",PROD)"
}

// dbtJob is the URN of a job of the project.
func dbtJob(name string) string {
	return "urn:li:dataJob:(urn:li:dataFlow:(dbt,dbt-run-shop,nightly)," + name + ")"
}

// runDBT runs commands of dbt-ol in a new project. The last command fails, because a test of the project does.
func runDBT(t *testing.T, s *server, venv string, commands ...string) {
	t.Helper()
	folder := t.TempDir()
	writeFiles(t, folder, dbtProject)
	for i, command := range commands {
		runProgram(t, folder, filepath.Join(venv, "bin", "dbt-ol"), strings.Fields(command), i == len(commands)-1,
			"OPENLINEAGE_URL="+s.base, "OPENLINEAGE_NAMESPACE=nightly", "DBT_PROFILES_DIR="+folder, "DBT_SEND_ANONYMOUS_USAGE_STATS=false")
	}
}

func dbtProducer() producer {
	paid, revenue, columns := dbtJob("shop.main.shop.paid"), dbtJob("shop.main.shop.revenue"), duckTable("revenue")
	return producer{
		test: "dbt", folder: "dbt", name: "dbt",
		ran: "`dbt-ol seed`, `run` and `test`: a seed, two models, two tests",
		run: func(t *testing.T, s *server, venv string) { runDBT(t, s, venv, "seed", "run", "test") },
		checks: []producerCheck{
			{"a flow for the project, and the runs of its commands", func(s *server) error {
				return errors.Join(s.hasAspect("dataflow", "urn:li:dataFlow:(dbt,dbt-run-shop,nightly)", "dataflowinfo", "dbt-run-shop"), s.dbtCommands())
			}},
			{"a job for each model, and its run with begin, end, result and the run of the command as parent", func(s *server) error {
				return errors.Join(s.ranAs(paid, 1, "SUCCESS", dbtJob("dbt-run-shop")), s.ranAs(revenue, 1, "SUCCESS", dbtJob("dbt-run-shop")))
			}},
			{"the SQL of models", func(s *server) error { return s.hasAspect("datajob", revenue, "datajobinfo", "sum(amount) as total") }},
			{"tables with the URNs that a dbt recipe writes, with descriptions and the columns that have one", func(s *server) error {
				return errors.Join(s.hasAspect("dataset", duckTable("revenue"), "datasetproperties", "The revenue of each customer."),
					s.hasAspect("dataset", duckTable("revenue"), "schemametadata", "customer", "Who has paid."))
			}},
			{"lineage of tables from the seed on", func(s *server) error {
				return s.follows(columns, revenue, duckTable("paid"), paid, duckTable("orders"))
			}},
			{"lineage of columns", func(s *server) error {
				return s.follows(columnOf(columns, "total"), columnOf(duckTable("paid"), "amount"), columnOf(duckTable("orders"), "amount"))
			}},
			{"tests as assertions with their results", dbtAssertions},
		},
	}
}

func dbtLiveProducer() producer {
	paid, revenue := dbtJob("model.shop.paid"), dbtJob("model.shop.revenue")
	return producer{
		test: "dbt-live", folder: "dbt", name: "dbt, structured logs",
		ran: "`dbt-ol build --consume-structured-logs` of the same project",
		run: func(t *testing.T, s *server, venv string) { runDBT(t, s, venv, "build --consume-structured-logs") },
		checks: []producerCheck{
			{"jobs and runs of the command, which fails, of each node and of each statement, with their parents", func(s *server) error {
				return errors.Join(s.ranAs(dbtJob("dbt-run-shop"), 1, "FAILURE", ""), s.ranAs(paid, 1, "SUCCESS", dbtJob("dbt-run-shop")),
					s.ranAs(dbtJob("seed.shop.orders"), 1, "SUCCESS", dbtJob("dbt-run-shop")), s.ranAs(dbtJob("model.shop.paid.sql.1"), 1, "SUCCESS", paid))
			}},
			{"the same tables, and their lineage", func(s *server) error {
				return s.follows(duckTable("revenue"), revenue, duckTable("paid"), paid, duckTable("orders"), dbtJob("seed.shop.orders"))
			}},
			{"tests as assertions with their results", dbtAssertions},
		},
	}
}

// dbtCommands checks the runs of the three commands: dbt-ol tells of each that it has succeeded, and of the last one
// that it has failed.
func (s *server) dbtCommands() error {
	runs, err := s.runsOf(dbtJob("dbt-run-shop"))
	if err != nil {
		return err
	}
	if len(runs) != 3 || runs[0].result != "FAILURE" || runs[1].result != "SUCCESS" || runs[2].result != "SUCCESS" {
		return fmt.Errorf("the commands ran as %+v", runs)
	}
	return nil
}

// dbtAssertions checks that the tests are assertions: one has succeeded, one has failed.
func dbtAssertions(s *server) error {
	query := fmt.Sprintf(`{"query":"{ dataset(urn: \"%s\") { assertions(count: 10) { assertions { info { datasetAssertion { nativeType } } runEvents(limit: 5) { succeeded failed } } } } }"}`, duckTable("revenue"))
	_, answer := s.send(http.MethodPost, "/api/graphql", query)
	got := map[string]string{}
	list, _ := at(answer, "data", "dataset", "assertions", "assertions").([]any)
	for _, one := range list {
		got[fmt.Sprint(at(one, "info", "datasetAssertion", "nativeType"))] = fmt.Sprintf("%v succeeded, %v failed", at(one, "runEvents", "succeeded"), at(one, "runEvents", "failed"))
	}
	if len(got) != 2 || got["not_null"] != "1 succeeded, 0 failed" || got["accepted_values"] != "0 succeeded, 1 failed" {
		return fmt.Errorf("the assertions are %v", got)
	}
	return nil
}
