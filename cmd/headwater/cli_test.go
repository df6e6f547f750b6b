package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest"
)

// newServer serves an empty catalog. before gets every request first and may answer it.
func newServer(t *testing.T, before func(w http.ResponseWriter, r *http.Request) bool) string {
	t.Helper()
	handler := rest.New(rest.Options{Catalog: testcatalog.New(t), Version: "1.2.3"})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before == nil || !before(w, r) {
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// headwater runs a command line and returns its exit code and its output.
func headwater(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func record(n int) string {
	text, _ := json.Marshal(map[string]any{
		"entityType": "tag", "entityUrn": fmt.Sprintf("urn:li:tag:t%d", n), "changeType": "UPSERT", "aspectName": "tagProperties",
		"aspect": map[string]any{"json": map[string]any{"name": fmt.Sprintf("tag %d", n)}},
	})
	return string(text)
}

const snapshotRecord = `{"auditHeader":null,"proposedSnapshot":{"com.linkedin.pegasus2avro.metadata.snapshot.CorpUserSnapshot":{"urn":"urn:li:corpuser:ada","aspects":[{"com.linkedin.pegasus2avro.identity.CorpUserInfo":{"active":true,"displayName":{"string":"Ada"},"title":null}}]}},"proposedDelta":null}`

func TestExitCodes(t *testing.T) {
	url := newServer(t, nil)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, cli.ExitOK, "Exit codes"},
		{[]string{"--help"}, cli.ExitOK, "keeps metadata as a graph"},
		{[]string{"jump"}, cli.ExitUsage, "no command"},
		{[]string{"get"}, cli.ExitUsage, "arg"},
		{[]string{"get", "x", "--nothing"}, cli.ExitUsage, "unknown flag"},
		{[]string{"get", "x", "-o", "xml"}, cli.ExitUsage, "table or json"},
		{[]string{"get", "x", "--version", "1"}, cli.ExitUsage, "--aspect"},
		{[]string{"get", "urn:li:tag:none", "--server", url}, cli.ExitNotFound, "nothing is stored"},
		{[]string{"get", "not a name", "--server", url}, cli.ExitNotFound, `nothing is named "not a name"`},
		{[]string{"get", "urn:li:dataset", "--server", url}, cli.ExitFailure, "invalid urn"},
		{[]string{"get", "urn:li:tag:x", "--server", "http://127.0.0.1:1"}, cli.ExitUnreachable, "cannot be reached"},
		{[]string{"ingest"}, cli.ExitUsage, "at least one file"},
		{[]string{"ingest", "-", "--in-flight", "0"}, cli.ExitUsage, "--in-flight must be from 1 to 64"},
		{[]string{"ingest", "/does/not/exist"}, cli.ExitFailure, "no such file"},
		{[]string{"serve", "--log-format", "xml"}, cli.ExitUsage, "log-format"},
		{[]string{"serve", "--graph", "ftp://x:secret@y"}, cli.ExitUsage, "graph must be"},
		{[]string{"version", "--server", url}, cli.ExitOK, "1.2.3"},
		{[]string{"version", "-o", "json"}, cli.ExitOK, `"platform"`},
	} {
		code, out, errs := headwater(t, "", c.args...)
		if code != c.code || !strings.Contains(out+errs, c.says) || strings.Contains(errs, "secret") {
			t.Errorf("%v: exit %d, %s%s; want %d with %q", c.args, code, out, errs, c.code, c.says)
		}
	}
}

func TestIngestForms(t *testing.T) {
	url := newServer(t, nil)
	for name, text := range map[string]string{
		"array": "[" + record(1) + ", " + snapshotRecord + "]", "lines": record(1) + "\n" + snapshotRecord + "\n", "one object": record(1), "nothing": " \n", "empty array": "[]",
	} {
		code, out, errs := headwater(t, text, "ingest", "-", "--server", url)
		if code != cli.ExitOK {
			t.Errorf("%s: exit %d %s%s", name, code, out, errs)
		}
	}
	code, out, _ := headwater(t, "", "get", "urn:li:corpuser:ada", "-a", "corpUserInfo", "-o", "json", "--server", url)
	if code != cli.ExitOK || !strings.Contains(out, `"displayName": "Ada"`) || strings.Contains(out, "title") {
		t.Errorf("the snapshot came as %s", out)
	}
	failures := filepath.Join(t.TempDir(), "failures.jsonl")
	bad := `[` + record(1) + `,{"entityType":"tag","entityUrn":"urn:li:tag:x","aspectName":"tagProperties","aspect":{"json":{"nme":1}}},{"x":1}]`
	code, out, errs := headwater(t, bad, "ingest", "-", "--server", url, "--failures", failures)
	if code != cli.ExitPartial || !strings.Contains(out, "1 record written (0 created, 0 updated, 1 unchanged), 2 failed") || !strings.Contains(errs, "standard input:1: ") {
		t.Errorf("partial failure: exit %d %s%s", code, out, errs)
	}
	if text, err := os.ReadFile(failures); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("failures: %s %v", text, err)
	}
	code, out, _ = headwater(t, bad, "ingest", "-", "--server", "http://127.0.0.1:1", "--dry-run")
	if code != cli.ExitPartial || !strings.Contains(out, "1 record valid, 2 failed") {
		t.Errorf("dry run: exit %d %s", code, out)
	}
	if code, _, errs := headwater(t, `[`+record(1), "ingest", "-", "--server", url); code != cli.ExitFailure || !strings.Contains(errs, "ends inside the array") {
		t.Errorf("a cut file: exit %d %s", code, errs)
	}
}

// TestIngestResumes breaks a load off in the middle of a file. The second run sends only
// the rest.
func TestIngestResumes(t *testing.T) {
	var batches atomic.Int64
	var broken atomic.Bool
	broken.Store(true)
	url := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if batches.Add(1) > 3 && broken.Load() {
			http.Error(w, `{"message":"no more","status":400}`, http.StatusBadRequest)
			return true
		}
		return false
	})
	var lines []string
	for n := range 100 {
		lines = append(lines, record(n))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "tags.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"ingest", file, "--server", url, "--batch-size", "10", "--in-flight", "1", "--state-dir", filepath.Join(dir, "state")}
	code, _, errs := headwater(t, "", args...)
	if code != cli.ExitFailure || !strings.Contains(errs, "30 records are written") {
		t.Fatalf("the interrupted run: exit %d %s", code, errs)
	}
	broken.Store(false)
	batches.Store(0)
	code, out, errs := headwater(t, "", args...)
	if code != cli.ExitOK || !strings.Contains(out, "70 records written (70 created, 0 updated, 0 unchanged), 0 failed, 30 skipped") || batches.Load() != 7 {
		t.Errorf("the second run: exit %d %s%s in %d batches", code, out, errs, batches.Load())
	}
	if code, out, _ = headwater(t, "", args...); code != cli.ExitOK || !strings.Contains(out, "100 records written (0 created, 0 updated, 100 unchanged)") {
		t.Errorf("a finished file begins anew: exit %d %s", code, out)
	}
	broken.Store(true)
	batches.Store(2)
	if code, _, _ = headwater(t, "", args...); code != cli.ExitFailure {
		t.Fatal("not interrupted")
	}
	if err := os.WriteFile(file, []byte(lines[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	broken.Store(false)
	if code, _, errs = headwater(t, "", args...); code != cli.ExitFailure || !strings.Contains(errs, "different content") {
		t.Errorf("a changed file: exit %d %s", code, errs)
	}
	if code, _, _ = headwater(t, "", append(args, "--restart")...); code != cli.ExitOK {
		t.Error("a changed file cannot be restarted")
	}
}

// TestIngestTriesAgain: a load loses nothing if the server is unavailable for a moment.
func TestIngestTriesAgain(t *testing.T) {
	var requests atomic.Int64
	url := newServer(t, func(w http.ResponseWriter, _ *http.Request) bool {
		if requests.Add(1) == 1 {
			http.Error(w, "", http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	if code, out, errs := headwater(t, record(1), "ingest", "-", "--server", url); code != cli.ExitOK || requests.Load() != 2 {
		t.Errorf("exit %d %s%s after %d requests", code, out, errs, requests.Load())
	}
}

// TestInterrupted: an interrupted command does not report an unreachable server, whatever
// the command waited for.
func TestInterrupted(t *testing.T) {
	asked := make(chan struct{}, 8)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices that the client has gone only after it has read the body
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer slow.Close()
	for _, args := range [][]string{{"ingest", "-", "--state-dir", t.TempDir()}, {"get", "urn:li:tag:x"}, {"search", "orders"}} {
		ctx, interrupt := context.WithCancel(context.Background())
		go func() {
			<-asked
			interrupt()
		}()
		var out, errs bytes.Buffer
		code := run(ctx, append(args, "--server", slow.URL), strings.NewReader(record(1)), &out, &errs)
		if code != cli.ExitInterrupted || !strings.Contains(errs.String(), "interrupted") || strings.Contains(errs.String(), "reached") {
			t.Errorf("%v: exit %d, %s%s", args, code, &out, &errs)
		}
		interrupt()
	}
}
