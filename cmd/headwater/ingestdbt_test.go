package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestIngestDBTFile: a file of the name dbt is ingested as ./dbt, and a directory of the name dbt is no file.
func TestIngestDBTFile(t *testing.T) {
	url := goldenServer(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("dbt", []byte(record(1)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := headwater(t, "", "ingest", "./dbt", "--server", url, "--state-dir", t.TempDir())
	if code != cli.ExitOK || !strings.Contains(out, "1 record written") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	code, _, errs = headwater(t, "", "ingest", "dbt", "dbt", "--server", url)
	if code != cli.ExitUsage || !strings.Contains(errs, "a file of the name dbt is ingested as ./dbt") {
		t.Errorf("%d %s", code, errs)
	}
}

// TestIngestDBTLines: what --dry-run prints, headwater ingest writes, and it is the same as without --dry-run.
func TestIngestDBTLines(t *testing.T) {
	url := goldenServer(t)
	project := filepath.Join("..", "..", "catalog", "dbt", "testdata", "v12")
	code, lines, errs := headwater(t, "", "ingest", "dbt", project, "--dry-run")
	if code != cli.ExitOK {
		t.Fatal(errs)
	}
	code, out, errs := headwater(t, lines, "ingest", "-", "--server", url)
	if code != cli.ExitOK || !strings.Contains(out, ", 0 failed") {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	failures := filepath.Join(t.TempDir(), "failures.jsonl")
	code, out, errs = headwater(t, "", "ingest", "dbt", project, "--server", url, "--failures", failures, "--in-flight", "1", "--batch-size", "7")
	if code != cli.ExitOK || !strings.Contains(out, "(0 created, ") || !strings.Contains(out, ", 0 failed") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

// TestIngestDBTRunResults: a command reads so many files of run results, and not one more.
func TestIngestDBTRunResults(t *testing.T) {
	project := filepath.Join("..", "..", "catalog", "dbt", "testdata", "v10")
	args := []string{"ingest", "dbt", project, "--dry-run"}
	for range limits.DBTRunResults {
		args = append(args, "--run-results", filepath.Join(project, "run_results.json"))
	}
	if code, _, errs := headwater(t, "", args...); code != cli.ExitOK {
		t.Error(errs)
	}
	args = append(slices.Clone(args), "--run-results", filepath.Join(project, "run_results.json"))
	if code, _, errs := headwater(t, "", args...); code != cli.ExitUsage || !strings.Contains(errs, "--run-results may name 100 files") {
		t.Errorf("%d %s", code, errs)
	}
}
