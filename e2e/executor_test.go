package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// sourceRun is a run of an ingestion source, as GraphQL shows it.
type sourceRun struct {
	Status string `json:"status"`
	Report string `json:"report"`
	Kept   struct {
		Type  string `json:"type"`
		Value string `json:"serializedValue"`
	} `json:"structuredReport"`
}

// graph asks a question in GraphQL and decodes its data.
func (s *server) graph(query string, variables map[string]any, into any) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		s.t.Fatal(err)
	}
	status, answer := s.send(http.MethodPost, "/api/graphql", string(body))
	if status != http.StatusOK || at(answer, "errors") != nil {
		s.t.Fatalf("%s: %d, %v", query, status, answer)
	}
	data, err := json.Marshal(at(answer, "data"))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// runSource makes an ingestion source with a recipe, asks for a run of it, and returns the URN of the run.
func (s *server) runSource(name, kind, recipe string) string {
	s.t.Helper()
	_, run := s.addSource(name, kind, recipe)
	return run
}

// addSource is runSource, and also returns the URN of the source.
func (s *server) addSource(name, kind, recipe string) (source, run string) {
	s.t.Helper()
	var made struct{ Source, Run string }
	s.graph(`mutation($i: UpdateIngestionSourceInput!) { source: createIngestionSource(input: $i) }`, map[string]any{
		"i": map[string]any{"name": name, "type": kind, "config": map[string]any{"recipe": recipe, "executorId": "default"}},
	}, &made)
	s.graph(`mutation($u: String!) { run: createIngestionExecutionRequest(input: {ingestionSourceUrn: $u}) }`, map[string]any{"u": made.Source}, &made)
	return made.Source, made.Run
}

// seeRun returns the catalog's facts about a run.
func (s *server) seeRun(urn string) sourceRun {
	s.t.Helper()
	var found struct {
		Run struct{ Result *sourceRun }
	}
	s.graph(`query($u: String!) { run: executionRequest(urn: $u) { result { status report structuredReport { type serializedValue } } } }`, map[string]any{"u": urn}, &found)
	if found.Run.Result == nil {
		return sourceRun{}
	}
	return *found.Run.Result
}

// awaitRun waits until a run has ended.
func (s *server) awaitRun(urn string) sourceRun {
	s.t.Helper()
	var run sourceRun
	testclock.Await(s.t, "the end of the run "+urn, func() bool {
		run = s.seeRun(urn)
		return run.Status != "" && run.Status != "RUNNING"
	})
	return run
}

// TestExecutorOfServer: a server runs a source that was made over GraphQL with the unmodified client, with a secret,
// also with authentication; a file of records and a database run without Python.
func TestExecutorOfServer(t *testing.T) {
	environment := pythonFor(t, "clients")
	dir := t.TempDir()
	csv := filepath.Join(dir, "tags.csv")
	table := "resource,subresource,glossary_terms,tags,owners,ownership_type,description,domain,ownership_type_urn\n" +
		`"urn:li:dataset:(urn:li:dataPlatform:hive,by.csv,PROD)",,,[urn:li:tag:ofcsv],,,described by the file,,` + "\n"
	if err := os.WriteFile(csv, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	records := filepath.Join(dir, "records.json")
	record := `[{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,by.file,PROD)","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"json":{"description":"read without Python"}}}]`
	if err := os.WriteFile(records, []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	database := filepath.Join(dir, "shop.db")
	if out, err := exec.Command(filepath.Join(environment, "bin", "python"), "-c", `import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("CREATE TABLE orders (total_price INTEGER)")`, database).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	s := startForAdmin(t, "--executor-environments", environment)
	var made struct{ Secret string }
	s.graph(`mutation { secret: createSecret(input: {name: "CSV_FILE", value: "`+csv+`"}) }`, nil, &made)
	byClient := s.runSource("csv", "csv-enricher", `{"source":{"type":"csv-enricher","config":{"filename":"${CSV_FILE}","write_semantics":"OVERRIDE"}}}`)
	byBinary := s.runSource("file", "file", `{"source":{"type":"file","config":{"path":"`+records+`"}}}`)
	ofDatabase := s.runSource("sqlite", "sqlalchemy", `{"source":{"type":"sqlalchemy","config":{"connect_uri":"sqlite:///`+database+`","platform":"hive"}}}`)
	for urn, want := range map[string][2]string{byClient: {"by.csv", "described by the file"}, byBinary: {"by.file", "read without Python"}, ofDatabase: {"main.orders", "total_price"}} {
		run := s.awaitRun(urn)
		if run.Status != "SUCCESS" || strings.Contains(run.Report+run.Kept.Value, csv) {
			t.Errorf("%s: %+v", urn, run)
		}
		status, answer := s.send(http.MethodGet, "/openapi/v3/entity/dataset/"+"urn%3Ali%3Adataset%3A(urn%3Ali%3AdataPlatform%3Ahive%2C"+want[0]+"%2CPROD)?systemMetadata=true", "")
		text, err := json.Marshal(answer)
		if err != nil || status != http.StatusOK || !strings.Contains(string(text), want[1]) || !strings.Contains(string(text), urn) {
			t.Errorf("%s: %d %s %v", want[0], status, text, err)
		}
	}
	if run := s.awaitRun(byClient); run.Kept.Type != "RUN_INGEST" || !strings.Contains(run.Kept.Value, `"events_produced"`) {
		t.Errorf("the report is %+v", run.Kept)
	}
	if run := s.awaitRun(ofDatabase); !strings.Contains(run.Report, "Reading sqlalchemy without Python.") || !strings.Contains(run.Kept.Value, `"total_records_written"`) {
		t.Errorf("the run of the database is %+v", run)
	}
	s.stop()
}

// fakeClient is an environment whose client notes that a run begins and ends, and takes a moment between.
func fakeClient(t *testing.T, notes string) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n" + `for one; do [ "$before" = -c ] && recipe=$one; before=$one; done
run=$(sed -n 's/.*"run_id": "\(.*\)".*/\1/p' "$recipe")
echo "begin $run" >> "` + notes + `"
sleep 0.4
echo "end $run" >> "` + notes + `"
`
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "datahub"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The size of TestExecutorsAreKilled.
const (
	executorKills = 50
	killedRuns    = 120
)

// TestExecutorsAreKilled: two executors share the runs of a server, and are killed again and again. Each run is begun
// at most once and ends: as a success if its process ended, and as a failure if its executor was killed.
func TestExecutorsAreKilled(t *testing.T) {
	notes := filepath.Join(t.TempDir(), "notes")
	environments := fakeClient(t, notes)
	s := start(t, "--executor", "off")
	var runs []string
	for i := range killedRuns {
		runs = append(runs, s.runSource(fmt.Sprint("source ", i), "demo-data", `{"source":{"type":"demo-data"}}`))
	}
	random := testseed.Rand(t, 1)
	executors := []*exec.Cmd{s.startExecutor(t, environments, t.TempDir()), s.startExecutor(t, environments, t.TempDir())}
	for range executorKills {
		time.Sleep(time.Duration(150+random.IntN(250)) * time.Millisecond)
		i := random.IntN(len(executors))
		dir := executors[i].Args[len(executors[i].Args)-1]
		if err := executors[i].Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = executors[i].Wait() // the error says that it was killed
		executors[i] = s.startExecutor(t, environments, dir)
	}
	ended := map[string]int{}
	succeeded := 0
	// A run whose executor was killed before it noted the lease ends with the lease, after a minute.
	for _, urn := range runs {
		run := sourceRun{}
		if !testclock.Poll(2*time.Minute, func() bool { run = s.seeRun(urn); return run.Status != "" && run.Status != "RUNNING" }) {
			t.Fatalf("%s has not ended: %+v", urn, run)
		}
		ended[run.Status]++
		if run.Status == "SUCCESS" {
			succeeded++
		}
	}
	for _, executor := range executors {
		if err := executor.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = executor.Wait() // an interrupted command has an exit code of its own
	}
	text, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	for _, urn := range runs {
		begun, over := strings.Count(string(text), "begin "+urn+"\n"), strings.Count(string(text), "end "+urn+"\n")
		run := s.seeRun(urn)
		if begun > 1 || over > 1 || run.Status == "SUCCESS" && over != 1 || run.Status != "SUCCESS" && run.Status != "FAILURE" {
			t.Errorf("%s: begun %d times, ended %d times, %+v", urn, begun, over, run)
		}
	}
	if succeeded == 0 || ended["FAILURE"] == 0 {
		t.Errorf("the runs ended as %v: the kills did not meet what they were to meet", ended)
	}
	t.Logf("%d kills; the runs ended as %v", executorKills, ended)
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(notes), "*")); len(left) != 1 {
		t.Errorf("%q is left", left)
	}
	s.stop()
}

// startExecutor starts an executor of a server.
func (s *server) startExecutor(t *testing.T, environments, dir string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "executor", "--server", s.base, "--environments", environments, "--data", dir)
	cmd.Env, cmd.Stderr = os.Environ(), s.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has usually ended
		_ = cmd.Wait()
	})
	return cmd
}
