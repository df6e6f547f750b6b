package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// exported returns the lines of an export without the header.
func (s *server) exported(t *testing.T, file string) []string {
	t.Helper()
	s.run(t, "export", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if !strings.HasPrefix(lines[0], `{"header":`) {
		t.Errorf("the export begins with %s", lines[0])
	}
	return lines[1:]
}

// propose writes an aspect in a run.
func (s *server) propose(change, urn, aspect, value, run string) {
	s.t.Helper()
	proposal := map[string]any{
		"entityType": strings.Split(urn, ":")[2], "entityUrn": urn, "changeType": change, "aspectName": aspect,
		"aspect": map[string]string{"value": value, "contentType": "application/json"}, "systemMetadata": map[string]any{"runId": run, "lastObserved": 5},
	}
	text, err := json.Marshal(map[string]any{"proposal": proposal})
	if err != nil {
		s.t.Fatal(err)
	}
	if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", string(text)); status != http.StatusOK {
		s.t.Fatalf("%s of %s: %d %v", aspect, urn, status, answer)
	}
}

// TestMoveCatalog moves the sample catalog with its past from the embedded store to Neo4j
// and back. Nothing may change.
func TestMoveCatalog(t *testing.T) {
	uri := testservers.Neo4j(t)
	first := start(t, "--data", t.TempDir(), "--sample")
	moment := time.Now().UnixMilli()
	testclock.Await(t, "the next millisecond", func() bool { return time.Now().UnixMilli() > moment })
	first.propose("UPSERT", martOrders, "upstreamLineage", `{"upstreams":[{"dataset":"`+rawRefunds+`","type":"TRANSFORMED"}]}`, "rewired")
	first.propose("UPSERT", martOrders, "globalTags", `{"tags":[{"tag":"urn:li:tag:moved"}]}`, "rewired")
	first.propose("DELETE", martOrders, "globalTags", "", "cleaned")
	first.propose("UPSERT", rawRefunds, "status", `{"removed":true}`, "cleaned")
	first.run(t, "delete", board, "--hard", "--yes")
	for n := range 300 {
		first.propose("UPSERT", martOrders, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d}`, n+1, n), "profiled")
	}
	dir := t.TempDir()
	want := first.exported(t, filepath.Join(dir, "first.jsonl"))
	first.run(t, "export", filepath.Join(dir, "first.jsonl.gz"))
	questions := []string{
		"GET /lineage/" + url.QueryEscape(martOrders) + "?direction=UPSTREAM&paths=0",
		fmt.Sprintf("GET /lineage/%s?direction=UPSTREAM&paths=0&asOf=%d", url.QueryEscape(martOrders), moment),
		fmt.Sprintf("GET /lineage-diff/%s?from=%d", url.QueryEscape(martOrders), moment),
		"GET /relationships?direction=INCOMING&urn=" + url.QueryEscape(board),
		`POST /runs?action=list {"includeSoft":true}`,
		`POST /entities?action=searchAcrossEntities {"input":"platform:snowflake","count":100,"sort":{"field":"urn","order":"ASCENDING"}}`,
		"GET /aspects/" + url.QueryEscape(martOrders) + "?aspect=upstreamLineage&version=1",
	}
	ask := func(s *server) []string {
		s.awaitIndex(time.Minute)
		answers := make([]string, len(questions))
		for i, q := range questions {
			method, target, _ := strings.Cut(q, " ")
			target, body, _ := strings.Cut(target, " ")
			status, answer := s.send(method, target, body)
			text, err := json.MarshalIndent(answer, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			answers[i] = fmt.Sprintf("%s: %d %s", q, status, text)
		}
		return answers
	}
	answers := ask(first)
	first.stop()

	wipe(t, uri)
	moves := []struct {
		name  string
		flags []string
	}{
		{"neo4j", append([]string{"--graph", uri}, typesenseFlags(testservers.Typesense(t))...)},
		{"embedded", []string{"--data", t.TempDir()}},
	}
	file := filepath.Join(dir, "first.jsonl.gz")
	for _, direction := range moves {
		s := start(t, direction.flags...)
		t.Logf("%s: %s", direction.name, s.run(t, "import", file))
		file = filepath.Join(dir, direction.name+".jsonl")
		if diff := cmp.Diff(want, s.exported(t, file)); diff != "" {
			t.Errorf("moved to %s (-before +after):\n%s", direction.name, diff)
		}
		if diff := cmp.Diff(answers, ask(s)); diff != "" {
			t.Errorf("asked of %s (-before +after):\n%s", direction.name, diff)
		}
		if out := s.run(t, "import", file); !strings.Contains(out, "0 entities written") || !strings.Contains(out, "0 failed") {
			t.Errorf("imported again into %s: %s", direction.name, out)
		}
		s.stop()
	}
}

// runStates counts the states of a run's entities during a rollback: before it, after it,
// or anything else.
type runStates struct{ before, after, other int }

// TestRollbackSurvivesCrash kills the server during a rollback. Every entity must be in the
// state before or after the rollback, and a second call must finish the rollback.
func TestRollbackSurvivesCrash(t *testing.T) {
	entities := testsize.Of(600, 3000)
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			flags := b.flags(t)
			s := start(t, flags...)
			for _, run := range []string{"good", "bad"} {
				s.ingestRun(t, run, entities, crashTable)
			}
			if r := s.sampleRuns(entities); r.after != 0 || r.other != 0 {
				t.Fatalf("before: %+v", r)
			}
			s.killInRollback("bad")
			restarted := start(t, flags...)
			t.Logf("killed at %+v", restarted.sampleRuns(entities))
			if out := restarted.run(t, "runs", "rollback", "bad", "--yes"); !strings.Contains(out, "reverted") {
				t.Errorf("the second call: %s", out)
			}
			if r := restarted.sampleRuns(entities); r.before != 0 || r.other != 0 {
				t.Errorf("after: %+v", r)
			}
			restarted.awaitIndex(time.Minute)
			found := restarted.action("search", `{"input":"description:bad","entity":"dataset","start":0,"count":1}`)
			if at(found, "numEntities") != 0.0 {
				t.Errorf("still found: %v", found)
			}
			restarted.stop()
		})
	}
}

// crashTable returns one of the tables that two runs write.
func crashTable(n int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,crash.t%d,PROD)", n)
}

// sampleRuns reads every seventh table and counts whether its state is that before the
// rollback or that after it. Any other state is an error.
func (s *server) sampleRuns(tables int) runStates {
	s.t.Helper()
	var r runStates
	for n := 0; n < tables; n += 7 {
		_, answer := s.send(http.MethodGet, "/entitiesV2/"+url.QueryEscape(crashTable(n))+"?aspects=List(datasetProperties,upstreamLineage)", "")
		properties, lineage := at(answer, "aspects", "datasetProperties"), at(answer, "aspects", "upstreamLineage")
		_, related := s.send(http.MethodGet, "/relationships?direction=OUTGOING&types=DownstreamOf&urn="+url.QueryEscape(crashTable(n)), "")
		state := fmt.Sprint(at(properties, "systemMetadata", "runId"), at(lineage, "systemMetadata", "runId"), at(related, "relationships", 0, "entity"))
		switch state {
		case fmt.Sprint("bad", "bad", crashTable(n+1)):
			r.before++
		case fmt.Sprint("good", "good", crashTable(n+2)):
			r.after++
		default:
			s.t.Errorf("%s is neither before nor after: %s", crashTable(n), state)
			r.other++
		}
	}
	return r
}

// killInRollback kills the server after the rollback of a run has begun.
func (s *server) killInRollback(run string) {
	var calling sync.WaitGroup
	calling.Go(func() {
		_, _, _ = s.try(http.MethodPost, "/runs?action=rollback", `{"runId":"`+run+`","dryRun":false,"safe":true}`) // the kill interrupts this request
	})
	for range 2000 { // wait until the rollback has begun
		_, answer := s.send(http.MethodGet, "/entitiesV2/"+url.QueryEscape(crashTable(0))+"?aspects=List(datasetProperties)", "")
		if at(answer, "aspects", "datasetProperties", "systemMetadata", "runId") == "good" {
			break
		}
	}
	s.kill()
	calling.Wait()
}

// ingestRun writes properties and lineage of many datasets in a run.
func (s *server) ingestRun(t *testing.T, run string, entities int, urnOf func(int) string) {
	t.Helper()
	step := map[string]int{"good": 2, "bad": 1}[run]
	var lines strings.Builder
	for n := range entities {
		for aspect, value := range map[string]any{
			"datasetProperties": map[string]any{"description": run},
			"upstreamLineage":   map[string]any{"upstreams": []any{map[string]any{"dataset": urnOf(n + step), "type": "TRANSFORMED"}}},
		} {
			text, err := json.Marshal(map[string]any{
				"entityType": "dataset", "entityUrn": urnOf(n), "changeType": "UPSERT", "aspectName": aspect, "aspect": map[string]any{"json": value},
			})
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(text, '\n'))
		}
	}
	file := filepath.Join(t.TempDir(), run+".jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(t, "ingest", file, "--run-id", run, "--state-dir", t.TempDir())
}

// TestDeleteSurvivesCrash kills the server during a delete by filter. Every entity must
// exist completely or not at all, and a second call must finish the delete.
func TestDeleteSurvivesCrash(t *testing.T) {
	entities := testsize.Of(300, 2000)
	urnOf := func(n int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,gone.t%d,PROD)", n)
	}
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			flags := append(b.flags(t), "--platforms=false") // so that there are only datasets
			s := start(t, flags...)
			s.ingestRun(t, "good", entities, urnOf)
			s.awaitIndex(time.Minute)
			dir := t.TempDir()
			versions := strings.Count(strings.Join(s.exported(t, filepath.Join(dir, "before.jsonl")), ""), `"aspect":"datasetProperties","seq"`)
			if versions != entities {
				t.Fatalf("%d datasets were written", versions)
			}
			path, err := binary()
			if err != nil {
				t.Fatal(err)
			}
			deleting := exec.Command(path, "delete", "--type", "dataset", "--hard", "--references", "--yes", "--server", s.base)
			if err := deleting.Start(); err != nil {
				t.Fatal(err)
			}
			for { // wait until the delete has begun
				_, answer := s.send(http.MethodPost, "/entities?action=listUrns", `{"entity":"dataset","count":0}`)
				if total, _ := at(answer, "value", "total").(float64); int(total) < entities {
					break
				}
			}
			s.kill()
			var exit *exec.ExitError
			if err := deleting.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 4 {
				t.Errorf("the verb ended with %v, want exit code 4", err)
			}
			restarted := start(t, flags...)
			left := restarted.exported(t, filepath.Join(dir, "killed.jsonl"))
			for _, line := range left[:len(left)-2] { // without the last lines of the export
				whole := strings.Contains(line, `"aspect":"datasetKey"`) && strings.Contains(line, `"aspect":"datasetProperties"`)
				if !whole {
					t.Errorf("an entity is there in part: %.500s", line)
				}
			}
			t.Logf("killed with %d of %d left", len(left)-2, entities)
			restarted.awaitIndex(time.Minute)
			restarted.run(t, "delete", "--type", "dataset", "--hard", "--references", "--yes")
			if end := restarted.exported(t, filepath.Join(dir, "after.jsonl"))[0]; !strings.Contains(end, `"entities":0,"versions":0,"edges":0`) {
				t.Errorf("at the end: %s", end)
			}
			restarted.stop()
		})
	}
}
