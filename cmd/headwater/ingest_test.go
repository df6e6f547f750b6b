package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// ingested is the JSON output of ingest.
type ingested struct {
	Succeeded, Created, Updated, Unchanged, Failed int
	Stopped                                        bool
	Failures                                       []struct{ Line int }
}

// TestIngestCounts: a load counts the proposals and snapshots that it created, updated and
// left unchanged.
func TestIngestCounts(t *testing.T) {
	url := newServer(t, nil)
	first := strings.Join([]string{record(1), record(2), snapshotRecord}, "\n")
	changed := strings.Replace(record(2), "tag 2", "other", 1)
	for _, c := range []struct {
		records                     string
		created, updated, unchanged int
	}{
		{first, 3, 0, 0},
		{first, 0, 0, 3},
		{strings.Join([]string{record(1), changed, record(3), strings.Replace(snapshotRecord, `"Ada"`, `"Ada L."`, 1)}, "\n"), 1, 2, 1},
	} {
		code, out, stderr := headwater(t, c.records, "ingest", "-", "-o", "json", "--server", url)
		var got ingested
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != cli.ExitOK || stderr != "" {
			t.Fatalf("exit %d, %s%s %v", code, out, stderr, err)
		}
		if got.Created != c.created || got.Updated != c.updated || got.Unchanged != c.unchanged || got.Succeeded != c.created+c.updated+c.unchanged {
			t.Errorf("got %+v, want %+v", got, c)
		}
	}
	if _, out, _ := headwater(t, first, "ingest", "-", "--server", url); !strings.Contains(out, "3 records written (0 created, 2 updated, 1 unchanged), 0 failed, in ") {
		t.Errorf("in words: %s", out)
	}
}

// TestIngestBadLines: refused lines and lines that are not JSON do not stop a load, and
// each is reported with its place. With --stop-on-error, the first such line stops the
// load.
func TestIngestBadLines(t *testing.T) {
	url := newServer(t, nil)
	unknown := strings.Replace(record(2), `"name"`, `"nme"`, 1)
	file := filepath.Join(t.TempDir(), "tags.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join([]string{record(1), unknown, `{"cut":`, "", record(3), "\x1b]0;owned\x07"}, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	code, out, stderr := headwater(t, "", "ingest", file, "--server", url, "--state-dir", state)
	if code != cli.ExitPartial || !strings.Contains(out, "2 records written (2 created, 0 updated, 0 unchanged), 3 failed") || strings.Contains(stderr, "\x1b") {
		t.Errorf("exit %d, %s%s", code, out, stderr)
	}
	for _, want := range []string{file + ":2: ", "nme", file + ":3: it is not JSON: the record is cut off", file + ":6: it is not JSON", "some records failed: 3 of 5"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %s", want, stderr)
		}
	}
	other := newServer(t, nil)
	if err := os.WriteFile(file, []byte(strings.Join([]string{record(1), unknown, record(3)}, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, stderr = headwater(t, "", "ingest", file, "--server", other, "--state-dir", state, "--stop-on-error", "--batch-size", "1", "--in-flight", "1", "-o", "json")
	var got ingested
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != cli.ExitPartial || !got.Stopped || got.Succeeded != 1 || got.Failed != 1 || len(got.Failures) != 1 || got.Failures[0].Line != 2 {
		t.Errorf("stopped: exit %d, %s%s", code, out, stderr)
	}
	if code, _, _ = headwater(t, "", "get", "urn:li:tag:t3", "--server", other); code != cli.ExitNotFound {
		t.Errorf("a record after the error was written: exit %d", code)
	}
	many := strings.Repeat("no\n", 15)
	if _, _, stderr = headwater(t, many, "ingest", "-", "--server", url); !strings.Contains(stderr, "standard input:10: ") || strings.Contains(stderr, "standard input:11: ") || !strings.Contains(stderr, "and 5 more") {
		t.Errorf("many: %s", stderr)
	}
}
