package run

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/sqlite"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql/lineage"
)

var update = flag.Bool("update", false, "write the golden file")

func environment(name string) (string, bool) {
	value, has := map[string]string{"SECRET": "hunter2", "HOST": "db"}[name]
	return value, has
}

func TestRecipesHaveVariables(t *testing.T) {
	r, err := ReadRecipe(strings.NewReader(`
pipeline_name: nightly-${HOST}
source:
  type: postgres
  config:
    host_port: ${HOST}:5432
    password: $SECRET
    tag: of_{{ $match }}
    list: ["${ABSENT:-x}", 3]
sink: {type: datahub-rest}
`), environment)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.Pipeline, r.Source.Config); got != "nightly-dbmap[host_port:db:5432 list:[x 3] password:hunter2 tag:of_{{ $match }}]" {
		t.Error(got)
	}
}

func TestRecipesThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "EOF",
		"source: {config: {}}":             "source.type",
		"source: {type: postgres}\nsnk: 1": "snk",
		"source: {type: postgres}\ntransformers: [{type: x}]":                                        "transformers",
		"source: {type: postgres, config: {password: \"${NONE}\"}}":                                  "source.config.password: the environment lacks the variable NONE",
		"source: {type: postgres, config: hunter2}":                                                  "cannot unmarshal",
		"source: {type: postgres, config: {a: " + strings.Repeat("x", limits.IngestionRecipe) + "}}": "larger than",
	} {
		_, err := ReadRecipe(strings.NewReader(text), environment)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	most := "source: {type: postgres}\n#"
	if _, err := ReadRecipe(strings.NewReader(most+strings.Repeat("x", limits.IngestionRecipe-len(most))), environment); err != nil {
		t.Error(err)
	}
}

func TestTypesThatNeedTheClientAreRefused(t *testing.T) {
	for kind, want := range map[string]string{"postgress": "did you mean", "snowflake": "mariadb, mysql, postgres, sqlalchemy"} {
		if _, err := Connector(kind, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestSettingsOfConnectors: settings that only the client knows are named with their paths, and wrong
// settings are errors.
func TestSettingsOfConnectors(t *testing.T) {
	for _, c := range []struct{ kind, config, unknown, wrong string }{
		{"postgres", `{"host_port":"h:1","sslmode":"x","profiling":{"enabled":true,"include_field_histogram":true},"options":{"connect_args":{"sslmode":"require","gssencmode":"x"}}}`, "[options.connect_args.gssencmode profiling.include_field_histogram sslmode]", ""},
		{"postgres", `{"username":"u"}`, "[]", "host_port is missing"},
		{"postgres", `{"host_port":"h","include_query_lineage":true,"auth_mode":"AWS_IAM"}`, "[auth_mode include_query_lineage]", ""},
		{"postgres", `{"sqlalchemy_uri":"postgresql+psycopg2://u:hunter2@h:1/db?sslmode=require&odd=1"}`, "[]", "has the argument odd"},
		{"postgres", `{"sqlalchemy_uri":"mysql://u:hunter2@h/db"}`, "[]", "must begin with postgresql://"},
		{"postgres", `{"sqlalchemy_uri":"postgresql://u:hunter2@h:x%zz/db"}`, "[]", "is not a URI"},
		{"postgres", `{"host_port":"h","env":"LIVE","platform_instance":"a,b","stateful_ingestion":{"fail_safe_threshold":101}}`, "[]", "stateful_ingestion.fail_safe_threshold must be from 0 to 100"},
		{"mysql", `{"database_patern":{}}`, "[database_patern]", "did you mean database_pattern?"},
		{"mysql", `{"sqlalchemy_uri":"mysql+pymysql://u:hunter2@h/db?x=1"}`, "[]", "has the argument x"},
		{"mysql", `{"options":{"connect_args":{"ssl":{"ca":"/ca","verify_mode":false}}}}`, "[options.connect_args.ssl.verify_mode]", ""},
		{"mariadb", `{"profiling":{"profile_table_level_only":true,"include_field_min_value":true}}`, "[]", "profiling.include_field_min_value cannot be true"},
		{"sqlalchemy", `{"connect_uri":"sqlite://","platform":"sqlite"}`, "[]", "must name a file"},
		{"sqlalchemy", `{"connect_uri":"oracle://u:p@h","platform":"oracle"}`, "[connect_uri]", ""},
		{"sqlalchemy", `{"connect_uri":"sqlite:///x.db"}`, "[]", "platform is missing"},
	} {
		var config map[string]any
		if err := json.Unmarshal([]byte(c.config), &config); err != nil {
			t.Fatal(err)
		}
		connector, err := Connector(c.kind, nil)
		if err != nil || connector.Type() != c.kind {
			t.Fatal(err)
		}
		if got := fmt.Sprint(connector.Unknown(config)); got != c.unknown {
			t.Errorf("%s: unknown are %s", c.config, got)
		}
		_, err = connector.Test(t.Context(), config)
		if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.config, err)
		}
		for _, failure := range connector.Read(t.Context(), config, &connectors.Report{}) {
			if failure == nil || strings.Contains(failure.Error(), "hunter2") {
				t.Errorf("%s: %v", c.config, failure)
			}
		}
	}
}

// TestSourcesThatCannotBeReached: the error about an unreachable server does not contain the password.
func TestSourcesThatCannotBeReached(t *testing.T) {
	for kind, config := range map[string]map[string]any{
		"postgres":   {"host_port": "127.0.0.1:1", "username": "u", "password": "hunter2", "database": "d"},
		"mysql":      {"host_port": "127.0.0.1:1", "username": "u", "password": "hunter2"},
		"sqlalchemy": {"connect_uri": "sqlite:////no/such/file", "platform": "sqlite"},
	} {
		connector, err := Connector(kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		found, err := connector.Test(t.Context(), config)
		if err != nil || found.Basic == nil || strings.Contains(found.Basic.Error(), "hunter2") {
			t.Errorf("%s: %v %+v", kind, err, found)
		}
		report := &connectors.Report{}
		failed := false
		for _, err := range connector.Read(t.Context(), config, report) {
			failed = failed || err != nil
		}
		if !failed && len(report.Failures) == 0 {
			t.Errorf("%s: the reading fails nowhere", kind)
		}
	}
}

func TestAStateNeedsAName(t *testing.T) {
	recipe := &Recipe{}
	recipe.Source.Type, recipe.Source.Config = "postgres", map[string]any{"stateful_ingestion": map[string]any{"enabled": true}}
	if _, err := New(recipe, nil, Remote{}); err == nil || !strings.Contains(err.Error(), "pipeline_name") {
		t.Error(err)
	}
	recipe.Pipeline = "nightly"
	if r, err := New(recipe, nil, Remote{}); err != nil || r.stale == nil {
		t.Error(err)
	}
	recipe.Source.Config["stateful_ingestion"] = map[string]any{"enabled": false}
	if r, err := New(recipe, nil, Remote{}); err != nil || r.stale != nil {
		t.Error(err)
	}
}

// TestSQLite reads a file, and compares the proposals with the proposals of an earlier version.
func TestSQLite(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("testdata", "sqlite.txt"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // the name of the file is a part of URNs
	db, err := sqlite.Open("shop.db")
	if err == nil {
		_, err = db.ExecContext(t.Context(), `
			CREATE TABLE customers (id integer PRIMARY KEY, name varchar(100) NOT NULL, score numeric(8,2), born date, seen datetime, photo blob);
			CREATE TABLE orders (id integer PRIMARY KEY, customer_id int REFERENCES customers, total double);
			CREATE TABLE "Odd Table" (a, b mytype(3), c int GENERATED ALWAYS AS (b + 1));
			CREATE VIEW big AS SELECT o.id, c.name, o.total * 1.1 AS gross FROM orders o JOIN customers c ON c.id = o.customer_id;
			CREATE VIEW broken AS SELECT x FROM nowhere;
			INSERT INTO customers VALUES (1, 'Ada', 1.5, '2024-01-02', '2024-01-02 10:00:00', x'0102'), (2, 'Bo', NULL, '2024-02-03', '2024-01-02 10:00:00.5', NULL);`)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	recipe := &Recipe{}
	recipe.Source.Type = "sqlalchemy"
	recipe.Source.Config = map[string]any{"connect_uri": "sqlite:///shop.db", "platform": "sqlite", "profiling": map[string]any{"enabled": true}}
	r, err := New(recipe, &lineage.Reader{Parser: testsql.Parser()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := r.Connector.Test(t.Context(), recipe.Source.Config); err != nil || found.Basic != nil || found.Found["tables"] != nil {
		t.Errorf("%v %+v", err, found)
	}
	var lines strings.Builder
	for p, err := range r.Proposals(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&lines, p.EntityURN, p.AspectName, timeless(t, p.Aspect.Value))
	}
	fmt.Fprintln(&lines, r.Report.Scanned, r.Report.Warnings, r.Report.Failures)
	compareGolden(t, golden, lines.String())
}

// timeless returns a value without the times at which it was made.
func timeless(t *testing.T, text string) string {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	var clear func(v any)
	clear = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "time")
			delete(v, "timestampMillis")
			for _, one := range v {
				clear(one)
			}
		case []any:
			for _, one := range v {
				clear(one)
			}
		}
	}
	clear(value)
	out, _ := json.Marshal(value)
	return string(out)
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s (go test ./connectors/run -update): %v\n%s", file, err, got)
	}
}
