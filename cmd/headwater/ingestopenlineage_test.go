package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
)

// event is an event of a run that writes a dataset.
func event(name string) string {
	return `{"eventTime":"2026-11-23T10:00:00Z","eventType":"COMPLETE","producer":"https://example.com/p","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",` +
		`"run":{"runId":"0192b9d1-2a6c-7c3a-9f5e-1b2c3d4e5f60"},"job":{"namespace":"nightly","name":"load"},"outputs":[{"namespace":"postgres://db:5432","name":"` + name + `"}]}`
}

// TestIngestOpenLineage: events in files are sent. Refused events are named with their lines, and do not stop the
// others. If every event of a list is refused, each has its reason.
func TestIngestOpenLineage(t *testing.T) {
	server := sampleServer(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("all/b.ndjson", event("shop.public.one")+"\n{}\nnot JSON\n"+event("shop.public.two")+"\n")
	write("all/a.json", "["+event("shop.public.three")+"]")
	write("all/read.me", "nothing")
	for _, c := range []struct {
		name, stdin, args string
		code              int
		out, err          string
	}{
		{"a directory", "", filepath.Join(dir, "all"), cli.ExitPartial, "3 events taken, 2 failed, from 2 files", "b.ndjson:2: "},
		{"again", "", filepath.Join(dir, "all", "a.json"), cli.ExitOK, "1 event taken, 0 failed, from 1 file", ""},
		{"standard input", event("shop.public.four"), "-", cli.ExitOK, "1 event taken", ""},
		{"no event", "{}\n{}\n", "-", cli.ExitPartial, "0 events taken, 2 failed", "standard input:2: the event has no run"},
		{"JSON", "{}\n" + event("shop.public.five"), "- -o json", cli.ExitPartial, `"succeeded": 1`, ""},
		{"an empty file", "", "-", cli.ExitOK, "0 events taken, 0 failed", ""},
		{"no file", "", "", cli.ExitUsage, "", "name at least one file"},
		{"a file that is missing", "", filepath.Join(dir, "none"), cli.ExitFailure, "", "no such file"},
		{"a directory without events", "", filepath.Dir(write("texts/x.txt", "")), cli.ExitFailure, "", "has no files that end with .json"},
	} {
		code, stdout, stderr := headwater(t, c.stdin, append([]string{"ingest", "openlineage", "--server", server}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stdout, c.out) || !strings.Contains(stderr, c.err) {
			t.Errorf("%s: exit %d\n%s\n%s", c.name, code, stdout, stderr)
		}
	}
	code, stdout, _ := headwater(t, "", "get", "--server", server, "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.two,PROD)")
	if code != cli.ExitOK || !strings.Contains(stdout, "shop.public.two") {
		t.Errorf("the dataset of an event: exit %d, %s", code, stdout)
	}
}

// TestManyEventFiles: a directory may have limits.SourceFiles files, and not one more.
func TestManyEventFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes 10,000 files")
	}
	dir := t.TempDir()
	for i := range limits.SourceFiles {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)+".json"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := sampleServer(t)
	if code, stdout, stderr := headwater(t, "", "ingest", "openlineage", "--server", server, dir); code != cli.ExitOK || !strings.Contains(stdout, "from 10000 files") {
		t.Errorf("exit %d, %s %s", code, stdout, stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "more.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := headwater(t, "", "ingest", "openlineage", "--server", server, dir); code != cli.ExitFailure || !strings.Contains(stderr, "more than 10000 files") {
		t.Errorf("one more: exit %d, %s", code, stderr)
	}
}
