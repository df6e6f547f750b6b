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

// TestIngestDBTLines: headwater ingest writes the lines that --dry-run prints, and the result is the same as
// without --dry-run.
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

// TestIngestDBTRunResults: a command reads as many files of run results as the limit, and refuses one more.
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

// TestIngestDBTRecipe: the settings of a recipe count, but for its paths, and flags count more.
func TestIngestDBTRecipe(t *testing.T) {
	project, err := filepath.Abs(filepath.Join("..", "..", "catalog", "dbt", "testdata", "v12"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	recipe := func(text string) {
		t.Helper()
		if err := os.WriteFile("dbt.yml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string, string) {
		t.Helper()
		return headwater(t, "", append([]string{"ingest", "dbt", project, "--recipe", "dbt.yml", "--dry-run"}, args...)...)
	}
	recipe(`source: {type: dbt, config: {target_platform: snowflake, env: DEV, manifest_path: /gone/manifest.json, catalog_path: /gone/catalog.json, run_results_path: /gone.json, tag_prefix: "code:"}}`)
	code, out, errs := run("--env", "QA")
	if code != cli.ExitOK || !strings.Contains(out, "dataPlatform:snowflake,orchard.main.trees,QA") || !strings.Contains(out, "urn:li:tag:code:") || !strings.Contains(out, "urn:li:assertion:") {
		t.Errorf("%d %.300s %s", code, out, errs)
	}
	if code, out, errs = run("--platform", "postgres", "--no-tests", "--no-column-lineage"); code != cli.ExitOK || strings.Contains(out, "snowflake") || strings.Contains(out, "urn:li:assertion:") || strings.Contains(out, "dataPlatform:dbt,orchard.main.kept,DEV),kilos)") {
		t.Errorf("%d %.300s %s", code, out, errs)
	}
	for _, c := range []struct {
		text, want string
		args       []string
		code       int
	}{
		{"source: {type: postgres, config: {}}", "the recipe is for postgres, and not for dbt", nil, cli.ExitUsage},
		{"source: {type: dbt}", "target_platform is missing", nil, cli.ExitFailure},
		{"source: {type: dbt, config: {target_platform: x, target_plattform: y}}", "did you mean target_platform?", nil, cli.ExitFailure},
		{"source: {type: dbt, config: {target_platform: x, entities_enabled: 3}}", "entities_enabled must be a section", []string{"--no-tests"}, cli.ExitUsage},
		{"source: {type: dbt, config: {target_platform: x}}\ntransformers: [{type: y}]", "transformers", nil, cli.ExitUsage},
	} {
		recipe(c.text)
		if code, _, errs := run(c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%s: %d %s", c.text, code, errs)
		}
	}
	if code, _, errs := headwater(t, "", "ingest", "dbt", project, "--recipe", "none.yml", "--dry-run"); code != cli.ExitUsage || !strings.Contains(errs, "none.yml") {
		t.Errorf("a recipe that is missing: %d %s", code, errs)
	}
}

// TestIngestDBTRecipeHasAState: a recipe with a name marks entities as removed that the project no longer has.
func TestIngestDBTRecipeHasAState(t *testing.T) {
	url := goldenServer(t)
	project := filepath.Join("..", "..", "catalog", "dbt", "testdata", "v12")
	recipe := filepath.Join(t.TempDir(), "dbt.yml")
	for i, text := range []string{"{}", "{seeds: NO}"} {
		recipeText := "pipeline_name: orchard\nsource: {type: dbt, config: {target_platform: duckdb, entities_enabled: " + text + "}}"
		if err := os.WriteFile(recipe, []byte(recipeText), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := headwater(t, "", "ingest", "dbt", project, "--recipe", recipe, "--server", url)
		if code != cli.ExitOK || !strings.Contains(out, ", 0 failed") {
			t.Fatalf("%d %s%s", code, out, errs)
		}
		code, out, errs = headwater(t, "", "get", "urn:li:dataset:(urn:li:dataPlatform:dbt,orchard.main.trees,PROD)", "--aspect", "status", "--server", url, "-o", "json")
		if removed := strings.Contains(strings.ReplaceAll(out, " ", ""), `"removed":true`); code != cli.ExitOK || removed != (i == 1) {
			t.Errorf("after run %d: %d %s%s", i+1, code, out, errs)
		}
	}
}
