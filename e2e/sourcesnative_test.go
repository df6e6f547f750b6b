package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSourcesWithoutPython: a server runs the sources that it reads without Python, on both kinds of server: artifacts
// of dbt, files of SQL, a log of queries, events of OpenLineage, and a catalog next door. A second run of dbt removes
// the model that is gone, and keeps the tag of a person.
func TestSourcesWithoutPython(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../docs/example/dbt/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	manifest := string(text)
	writeFiles(t, dir, map[string]string{
		"dbt/manifest.json": manifest,
		"sql/views.sql":     "create view shop.big as select id, amount from shop.orders where amount > 100;",
		"logs/monday.csv":   "query,user,timestamp\nselect amount from shop.orders,ada,2026-11-23T10:00:00Z\n",
		"events/a.ndjson": `{"eventTime":"2026-11-23T10:00:00Z","eventType":"COMPLETE","producer":"https://example.com/p","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",` +
			`"run":{"runId":"0192b9d1-2a6c-7c3a-9f5e-1b2c3d4e5f60"},"job":{"namespace":"nightly","name":"load"},"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.raw"}],"outputs":[{"namespace":"postgres://db:5432","name":"shop.public.loaded"}]}` + "\n",
	})
	next := start(t, "--executor", "off")
	next.describe("hive", "next.door", "from next door")
	next.describe("hive", "next.stays", "stays next door")
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, append(b.flags(t), "--data", t.TempDir())...)
			s.describe("duckdb", "shop.orders", "orders")
			columns := `[{"entityType":"dataset","entityUrn":"` + dataset("duckdb", "shop.orders") + `","changeType":"UPSERT","aspectName":"schemaMetadata","aspect":{"json":{"schemaName":"orders","platform":"urn:li:dataPlatform:duckdb","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` +
				`{"fieldPath":"id","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}},{"fieldPath":"amount","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}}}]`
			writeFiles(t, dir, map[string]string{"columns.json": columns})
			s.succeeds("file", "file", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "columns.json")))
			sql := fmt.Sprintf(`{"path":%q,"dialect":"duckdb"}`, filepath.Join(dir, "sql"))
			s.succeeds("views", "sql-files", sql)
			s.succeeds("log", "query-log", fmt.Sprintf(`{"path":%q,"dialect":"duckdb"}`, filepath.Join(dir, "logs")))
			s.succeeds("events", "openlineage-files", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "events")))
			next.describe("hive", "next.gone", "is deleted next door")
			neighbour := s.succeeds("next door", "catalog", fmt.Sprintf(`{"server":%q}`, next.base))
			for urn, want := range map[string]string{
				dataset("duckdb", "shop.big"):                                  "shop.orders",
				dataset("postgres", "shop.public.loaded"):                      "shop.public.loaded",
				dataset("hive", "next.door"):                                   "from next door",
				"urn:li:dataJob:(urn:li:dataFlow:(unknown,load,nightly),load)": "shop.public.raw",
			} {
				if text := s.everything(urn); !strings.Contains(text, want) {
					t.Errorf("%s: %q is not in %s", urn, want, text)
				}
			}
			if status, answer := next.send(http.MethodPost, "/entities?action=delete", fmt.Sprintf(`{"urn":%q}`, dataset("hive", "next.gone"))); status != http.StatusOK {
				t.Fatal(status, answer)
			}
			s.runOnceMore(neighbour)
			for name, want := range map[string]string{"next.gone": "404 ", "next.stays": "200 ", "next.door": "200 "} {
				if text := s.everything(dataset("hive", name)); !strings.HasPrefix(text, want) {
					t.Errorf("%s: %s", name, text)
				}
			}
			s.ownProject(dir, manifest)
			failing := s.awaitRun(s.runSource("wrong", "sql-files", `{"source":{"type":"sql-files","config":{"path":"/none","dialct":"duckdb"}}}`))
			if failing.Status != "FAILURE" || !strings.Contains(failing.Report, "dialct is not a setting (did you mean dialect?)") {
				t.Errorf("%+v", failing)
			}
			s.stop()
		})
	}
	next.stop()
}

// ownProject runs a dbt source twice: the second time, one model is gone.
func (s *server) ownProject(dir, manifest string) {
	s.t.Helper()
	config := fmt.Sprintf(`{"manifest_path":%q,"target_platform":"duckdb"}`, filepath.Join(dir, "dbt", "manifest.json"))
	recipe := `{"pipeline_name":"shop-dbt","source":{"type":"dbt","config":` + config + `}}`
	made, asked := s.addSource("dbt", "dbt", recipe)
	if run := s.awaitRun(asked); run.Status != "SUCCESS" || !strings.Contains(run.Report, "Reading dbt without Python.") {
		s.t.Fatalf("%+v", run)
	}
	without := withoutModel(s.t, manifest, "model.shop.revenue_by_customer")
	gone := dataset("dbt", "shop.marts.revenue_by_customer")
	if text := s.everything(gone); !strings.Contains(text, "removed:false") {
		s.t.Errorf("%s: %s", gone, text)
	}
	writeFiles(s.t, dir, map[string]string{"dbt/manifest.json": without})
	if s.runOnceMore(made); !strings.Contains(s.everything(gone), "removed:true") {
		s.t.Errorf("%s", s.everything(gone))
	}
	writeFiles(s.t, dir, map[string]string{"dbt/manifest.json": manifest})
}

// withoutModel returns a manifest without a model. Its metadata come first, as dbt writes them.
func withoutModel(t testing.TB, manifest, model string) string {
	t.Helper()
	var project, nodes map[string]json.RawMessage
	err := json.Unmarshal([]byte(manifest), &project)
	if err == nil {
		err = json.Unmarshal(project["nodes"], &nodes)
	}
	if err != nil || nodes[model] == nil {
		t.Fatal(model, err)
	}
	delete(nodes, model)
	if project["nodes"], err = json.Marshal(nodes); err != nil {
		t.Fatal(err)
	}
	metadata := project["metadata"]
	delete(project, "metadata")
	rest, err := json.Marshal(project)
	if err != nil {
		t.Fatal(err)
	}
	return `{"metadata":` + string(metadata) + "," + string(rest[1:])
}

// describe writes a description of a dataset.
func (s *server) describe(platform, name, description string) {
	s.t.Helper()
	body := fmt.Sprintf(`[{"urn":%q,"datasetProperties":{"value":{"description":%q}}}]`, dataset(platform, name), description)
	if status, answer := s.send(http.MethodPost, "/openapi/v3/entity/dataset?async=false", body); status != http.StatusOK {
		s.t.Fatal(status, answer)
	}
}

// succeeds makes a source and awaits the success of its run. It returns the URN of the source.
func (s *server) succeeds(name, kind, config string) string {
	s.t.Helper()
	made, asked := s.addSource(name, kind, fmt.Sprintf(`{"source":{"type":%q,"config":%s}}`, kind, config))
	if run := s.awaitRun(asked); run.Status != "SUCCESS" {
		s.t.Fatalf("%s: %+v", name, run)
	}
	return made
}

// runOnceMore runs a source once more, and awaits the success of the run.
func (s *server) runOnceMore(source string) {
	s.t.Helper()
	var asked struct{ Run string }
	s.graph(`mutation($u: String!) { run: createIngestionExecutionRequest(input: {ingestionSourceUrn: $u}) }`, map[string]any{"u": source}, &asked)
	if run := s.awaitRun(asked.Run); run.Status != "SUCCESS" {
		s.t.Fatalf("%s: %+v", source, run)
	}
}

// everything returns all aspects of an entity as text.
func (s *server) everything(urn string) string {
	s.t.Helper()
	kind := strings.Split(urn, ":")[2]
	status, answer := s.send(http.MethodGet, "/openapi/v3/entity/"+kind+"/"+url.PathEscape(urn), "")
	return fmt.Sprint(status, " ", answer)
}

// dataset is the URN of a dataset in production.
func dataset(platform, name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:" + platform + "," + name + ",PROD)"
}
