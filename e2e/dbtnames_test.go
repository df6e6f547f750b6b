package e2e

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsql"
)

// foldingAdapters are adapters of dbt with the quotes of their names, and whether their names of tables have a database.
var foldingAdapters = map[string]struct {
	quotes   string
	database bool
}{
	"snowflake": {`""`, true}, "bigquery": {"``", true}, "postgres": {`""`, true}, "redshift": {`""`, true}, "databricks": {"``", true}, "spark": {"``", false},
	"duckdb": {`""`, true}, "trino": {`""`, true}, "athena": {`""`, true}, "mssql": {"[]", true}, "mysql": {"``", false}, "clickhouse": {`""`, false},
	"oracle": {`""`, true}, "teradata": {`""`, false}, "sqlite": {`""`, true},
}

// foldedModels are models of which only the code tells the columns. { and } are the quotes of names, and the table is RAW.
var foldedModels = map[string]string{
	"a_plain":   "select r.Id, NAME as Label, Total as {Quoted Name}, r.{Total} from RAW r",
	"b_star":    "select * from RAW",
	"c_nested":  "with Base as (select Id as KeyPart, Total as {Amt} from RAW) select b.*, KeyPart as AGAIN from Base b",
	"d_after":   "select Label, {Quoted Name} as Q from shop.a_plain",
	"e_union":   "select Id as One, NAME as {Two} from RAW union all select Total, Name from RAW",
	"f_columns": "select X.Aa, X.Bb from (select Id as Aa, Total as Bb from RAW) X",
}

// writeFoldingProject writes the artifacts of a project, of which the catalog has the table of the source only.
func writeFoldingProject(t *testing.T, folder, adapter string) {
	t.Helper()
	how := foldingAdapters[adapter]
	table := func(name string) string {
		if how.database {
			return "db.shop." + name
		}
		return "shop." + name
	}
	named := func(m map[string]any) map[string]any {
		m["schema"], m["database"] = "shop", nil
		if how.database {
			m["database"] = "db"
		}
		m["package_name"], m["path"], m["original_file_path"], m["description"], m["tags"], m["meta"], m["columns"] = "names", "x.sql", "models/x.sql", "", []any{}, map[string]any{}, map[string]any{}
		return m
	}
	nodes := map[string]any{}
	for name, code := range foldedModels {
		code = strings.NewReplacer("RAW", table("raw"), "shop.a_plain", table("a_plain"), "{", how.quotes[:1], "}", how.quotes[1:]).Replace(code)
		upstreams := []string{"source.names.own.raw"}
		if name == "d_after" {
			upstreams = []string{"model.names.a_plain"}
		}
		nodes["model.names."+name] = named(map[string]any{
			"unique_id": "model.names." + name, "name": name, "alias": name, "resource_type": "model", "language": "sql", "raw_code": code, "compiled_code": code, "compiled": true,
			"config": map[string]any{"materialized": "view", "tags": []any{}, "meta": map[string]any{}}, "depends_on": map[string]any{"macros": []any{}, "nodes": upstreams},
		})
	}
	source := named(map[string]any{
		"unique_id": "source.names.own.raw", "name": "raw", "identifier": "raw", "source_name": "own", "resource_type": "source", "config": map[string]any{"enabled": true},
	})
	columns := map[string]any{}
	for i, name := range []string{"Id", "NAME", "Total"} {
		columns[name] = map[string]any{"type": "integer", "index": i + 1, "name": name, "comment": nil}
	}
	about := func(kind string) any {
		return map[string]any{"dbt_schema_version": "https://schemas.getdbt.com/dbt/" + kind + ".json", "dbt_version": "1.9.4", "adapter_type": adapter, "project_name": "names", "generated_at": "2026-01-01T00:00:00Z"}
	}
	write := func(name string, metadata any, value map[string]any) {
		first, err := json.Marshal(metadata)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		writeFiles(t, folder, map[string]string{name: `{"metadata":` + string(first) + "," + string(rest[1:])}) // metadata come first
	}
	none := map[string]any{}
	write("manifest.json", about("manifest/v12"), map[string]any{
		"nodes": nodes, "sources": map[string]any{"source.names.own.raw": source}, "macros": none, "exposures": none, "metrics": none,
		"semantic_models": none, "parent_map": none, "child_map": none,
	})
	write("catalog.json", about("catalog/v1"), map[string]any{"nodes": none, "sources": map[string]any{"source.names.own.raw": map[string]any{
		"metadata": map[string]any{"type": "BASE TABLE", "database": source["database"], "schema": "shop", "name": "raw", "comment": nil, "owner": nil}, "columns": columns, "stats": none,
	}}})
}

// TestDBTNamesOfColumns: columns of which only the code of a model tells have the names that the client gives them, for each
// adapter.
func TestDBTNamesOfColumns(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	configs, folders := map[string]any{}, map[string]string{}
	for adapter := range foldingAdapters {
		folder := t.TempDir()
		folders[adapter] = folder
		writeFoldingProject(t, folder, adapter)
		configs[adapter] = map[string]any{
			"manifest_path": filepath.Join(folder, "manifest.json"), "catalog_path": filepath.Join(folder, "catalog.json"), "target_platform": adapter,
			"infer_dbt_schemas": true, "include_column_lineage": true, "write_semantics": "OVERRIDE",
		}
	}
	question, err := json.Marshal(configs)
	if err != nil {
		t.Fatal(err)
	}
	client := exec.Command(filepath.Join(pythonFor(t, todaysDBTClient.folder), "bin", "python"), filepath.Join(testservers.Root(), "e2e", "sqlclient", "dbtnames.py"))
	client.Stdin = strings.NewReader(string(question))
	client.Env = append(client.Environ(), "DATAHUB_TELEMETRY_ENABLED=false", "HOME="+t.TempDir())
	out, err := client.Output()
	theirs := map[string]map[string][]string{}
	if err == nil {
		err = json.Unmarshal(out, &theirs)
	}
	if err != nil {
		t.Fatal(err, string(out))
	}
	for _, adapter := range slices.Sorted(maps.Keys(foldingAdapters)) {
		t.Run(adapter, func(t *testing.T) {
			ours := map[string][]string{}
			for key, value := range printedDBT(t, path, "dbt", folders[adapter], "--platform", adapter, "--dry-run", "--cache-dir", testsql.Cache()) {
				urn, aspect, _ := strings.Cut(key, " ")
				if aspect != "schemaMetadata" || !strings.Contains(urn, "dataPlatform:dbt,") {
					continue
				}
				fields, _ := at(value, "fields").([]any)
				for _, f := range fields {
					ours[urn] = append(ours[urn], at(f, "fieldPath").(string))
				}
			}
			if len(ours) != len(foldedModels)+1 {
				t.Errorf("%d datasets have columns, not %d", len(ours), len(foldedModels)+1)
			}
			if diff := cmp.Diff(theirs[adapter], ours); diff != "" {
				t.Error(diff)
			}
		})
	}
}
