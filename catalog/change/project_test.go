package change_test

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

// sqlReader returns a reader with the compiled parser that all tests of the project share.
func sqlReader(t testing.TB) *lineage.Reader {
	t.Helper()
	reader := &lineage.Reader{Parser: parser.New(testsql.Cache())}
	t.Cleanup(func() {
		if err := reader.Parser.Close(); err != nil {
			t.Error(err)
		}
	})
	return reader
}

// files are the files of a project by their names.
type files map[string]string

func projectFiles(t *testing.T) files {
	t.Helper()
	all := files{}
	root := os.DirFS(filepath.Join("testdata", "project"))
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// commit is a change of the project with the expected findings.
type commit struct {
	Name  string
	Edits []struct {
		File, From, To string
		Remove         bool
	}
	Revert                                       bool
	Changes, Certain, Behind, Possible, Personal []string
}

func commits(t *testing.T) []commit {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "commits.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []commit
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// edited returns the project after a commit.
func (c *commit) edited(t *testing.T, before files) files {
	t.Helper()
	after := maps.Clone(before)
	for _, e := range c.Edits {
		if e.Remove {
			delete(after, e.File)
			continue
		}
		if !strings.Contains(after[e.File], e.From) {
			t.Fatalf("%s: %s lacks %q", c.Name, e.File, e.From)
		}
		after[e.File] = strings.Replace(after[e.File], e.From, e.To, 1)
	}
	return after
}

// manifest is a manifest as dbt would write it.
type manifest map[string]any

var (
	configuration = regexp.MustCompile(`(?s)\{\{ config\((.*?)\) \}\}`)
	reference     = regexp.MustCompile(`\{\{ ref\('(\w+)'\) \}\}`)
	sourceCall    = regexp.MustCompile(`\{\{ source\('(\w+)', '(\w+)'\) \}\}`)
	condition     = regexp.MustCompile(`(?s)\{% if is_incremental\(\) %\}(.*?)\{% endif %\}`)
	macro         = regexp.MustCompile(`(?s)\{% macro (\w+)\((\w+)\) %\}(.*?)\{% endmacro %\}`)
	setting       = regexp.MustCompile(`(\w+)='(\w+)'`)
)

// artifacts makes the manifest and the catalog of a project from its files. It knows as much of dbt as the project needs.
func artifacts(t *testing.T, project files) dbt.Artifacts {
	t.Helper()
	nodes, sources, exposures, tables := manifest{}, manifest{}, manifest{}, manifest{}
	ephemeral := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(project)) {
		if strings.HasPrefix(name, "models/") && path.Ext(name) == ".sql" {
			if base := strings.TrimSuffix(path.Base(name), ".sql"); strings.Contains(project[name], "'ephemeral'") {
				ephemeral[base] = name
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(project)) {
		base := strings.TrimSuffix(path.Base(name), path.Ext(name))
		switch {
		case strings.HasPrefix(name, "models/") && path.Ext(name) == ".sql":
			nodes["model.shop."+base] = modelNode(project, name, base, ephemeral)
		case path.Ext(name) == ".csv":
			nodes["seed.shop."+base] = manifest{"name": base, "alias": base, "resource_type": "seed", "database": "shop", "schema": "main", "original_file_path": name, "config": manifest{"materialized": "seed"}}
		case strings.HasPrefix(name, "snapshots/"):
			snapshot(t, nodes, project, name)
		case name == "models/sources.yml":
			sourceTables(t, sources, tables, project[name])
		case name == "models/schema.yml":
			properties(t, nodes, exposures, project[name])
		}
	}
	head := func(kind string) string {
		return `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/` + kind + `.json", "adapter_type": "duckdb", "project_name": "shop"}, `
	}
	catalog := textFile("catalog.json", head("catalog/v1")+`"nodes": {}, "sources": `+asJSON(t, tables)+`}`)
	return dbt.Artifacts{
		Manifest: textFile("manifest.json", head("manifest/v12")+`"nodes": `+asJSON(t, nodes)+`, "sources": `+asJSON(t, sources)+`, "exposures": `+asJSON(t, exposures)+`}`),
		Catalog:  &catalog,
	}
}

func textFile(name, content string) dbt.File {
	return dbt.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func modelNode(project files, name, base string, ephemeral map[string]string) manifest {
	raw := project[name]
	config := manifest{"materialized": "view"}
	if strings.Contains(name, "/marts/") {
		config["materialized"], config["meta"] = "table", manifest{"owner": "finance"}
	}
	for _, found := range configuration.FindAllStringSubmatch(raw, -1) {
		for _, pair := range setting.FindAllStringSubmatch(found[1], -1) {
			config[pair[1]] = pair[2]
		}
		if strings.Contains(found[1], "contract") {
			config["contract"] = manifest{"enforced": true}
		}
	}
	needs := []string{}
	for _, found := range reference.FindAllStringSubmatch(raw, -1) {
		id := "model.shop." + found[1]
		if found[1] == "rates" {
			id = "seed.shop.rates"
		}
		needs = append(needs, id)
	}
	for _, found := range sourceCall.FindAllStringSubmatch(raw, -1) {
		needs = append(needs, "source.shop."+found[1]+"."+found[2])
	}
	return manifest{
		"name": base, "alias": base, "resource_type": "model", "database": "shop", "schema": "main", "original_file_path": name, "config": config, "language": "sql",
		"raw_code": raw, "compiled_code": compiled(project, raw, ephemeral), "depends_on": manifest{"nodes": needs},
	}
}

// compiled replaces the calls of a model, and puts the ephemeral models that it reads before it.
func compiled(project files, raw string, ephemeral map[string]string) string {
	code := configuration.ReplaceAllString(raw, "")
	for name, text := range project {
		for _, m := range macro.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(name, "macros/") {
				call := regexp.MustCompile(`\{\{ ` + m[1] + `\('([^']*)'\) \}\}`)
				code = call.ReplaceAllString(code, strings.ReplaceAll(m[3], "{{ "+m[2]+" }}", "$1"))
			}
		}
	}
	code = condition.ReplaceAllString(code, "")
	code = sourceCall.ReplaceAllString(code, `"shop"."$1"."$2"`)
	var before []string
	for _, found := range reference.FindAllStringSubmatch(code, -1) {
		if file := ephemeral[found[1]]; file != "" {
			before = append(before, " __dbt__cte__"+found[1]+" as (\n"+compiled(project, project[file], ephemeral)+")")
			code = strings.ReplaceAll(code, found[0], "__dbt__cte__"+found[1])
		}
	}
	code = reference.ReplaceAllString(code, `"shop"."main"."$1"`)
	if len(before) > 0 {
		code = "with " + strings.Join(before, ", ") + strings.TrimSpace(code)
	}
	return strings.TrimSpace(code)
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func snapshot(t *testing.T, nodes manifest, project files, name string) {
	var file struct {
		Snapshots []struct {
			Name, Relation string
			Config         map[string]any
		}
	}
	decode(t, project[name], &file)
	for _, s := range file.Snapshots {
		from := strings.TrimSuffix(strings.TrimPrefix(s.Relation, "ref('"), "')")
		s.Config["materialized"] = "snapshot"
		nodes["snapshot.shop."+s.Name] = manifest{
			"name": s.Name, "alias": s.Name, "resource_type": "snapshot", "database": "shop", "schema": "main", "original_file_path": name, "config": s.Config, "language": "sql",
			"raw_code": "select * from {{ ref('" + from + "') }}", "compiled_code": `select * from "shop"."main"."` + from + `"`, "depends_on": manifest{"nodes": []string{"model.shop." + from}},
		}
	}
}

type describedColumn struct {
	Name     string
	DataType string `yaml:"data_type"`
	Tags     []string
	Tests    []any `yaml:"data_tests"`
}

func describedColumns(columns []describedColumn) manifest {
	all := manifest{}
	for _, c := range columns {
		all[c.Name] = manifest{"name": c.Name, "data_type": c.DataType, "type": c.DataType, "tags": c.Tags}
	}
	return all
}

func sourceTables(t *testing.T, sources, tables manifest, text string) {
	var file struct {
		Sources []struct {
			Name   string
			Tables []struct {
				Name    string
				Columns []describedColumn
			}
		}
	}
	decode(t, text, &file)
	for _, s := range file.Sources {
		for _, table := range s.Tables {
			id := "source.shop." + s.Name + "." + table.Name
			sources[id] = manifest{"name": table.Name, "resource_type": "source", "database": "shop", "schema": s.Name, "original_file_path": "models/sources.yml", "columns": describedColumns(table.Columns)}
			tables[id] = manifest{"metadata": manifest{"type": "BASE TABLE"}, "columns": describedColumns(table.Columns)}
		}
	}
}

func properties(t *testing.T, nodes, exposures manifest, text string) {
	var file struct {
		Models []struct {
			Name    string
			Columns []describedColumn
		}
		Exposures []struct {
			Name, Type string
			Owner      map[string]string
			Needs      []string `yaml:"depends_on"`
		}
	}
	decode(t, text, &file)
	for _, m := range file.Models {
		id := "model.shop." + m.Name
		if node, ok := nodes[id].(manifest); ok {
			node["columns"] = describedColumns(m.Columns)
		}
		for _, c := range m.Columns {
			for range c.Tests {
				name := "not_null_" + m.Name + "_" + c.Name
				nodes["test.shop."+name] = manifest{
					"name": name, "resource_type": "test", "original_file_path": "models/schema.yml", "language": "sql", "config": manifest{"materialized": "test"},
					"raw_code": "{{ test_not_null(**_dbt_generic_test_kwargs) }}", "compiled_code": fmt.Sprintf("select %s from \"shop\".\"main\".\"%s\" where %s is null", c.Name, m.Name, c.Name),
					"depends_on": manifest{"nodes": []string{id}}, "test_metadata": manifest{"name": "not_null", "kwargs": manifest{"column_name": c.Name}},
				}
			}
		}
	}
	for _, e := range file.Exposures {
		needs := []string{}
		for _, call := range e.Needs {
			needs = append(needs, "model.shop."+strings.TrimSuffix(strings.TrimPrefix(call, "ref('"), "')"))
		}
		exposures["exposure.shop."+e.Name] = manifest{"name": e.Name, "resource_type": "exposure", "type": e.Type, "owner": e.Owner, "original_file_path": "models/schema.yml", "depends_on": manifest{"nodes": needs}}
	}
}

// stateOf returns the state of a project.
func stateOf(t *testing.T, project files) *change.State {
	t.Helper()
	p, err := dbt.Read(artifacts(t, project))
	if err != nil {
		t.Fatal(err)
	}
	return change.FromDBT(p, dbt.Settings{Platform: "duckdb", Env: "PROD"}, "duckdb", func(name string) []string {
		return change.Header([]byte(project[name]))
	})
}
