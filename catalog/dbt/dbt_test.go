package dbt_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

var update = flag.Bool("update", false, "write the golden files")

// now is the time of translations in tests.
var now = time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)

// text is a file with a content.
func text(name, content string) dbt.File {
	return dbt.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

func file(name string) dbt.File {
	return dbt.File{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }}
}

// artifacts are the files in a folder of testdata.
func artifacts(t *testing.T, folder string) dbt.Artifacts {
	t.Helper()
	in := func(name string) *dbt.File {
		path := filepath.Join("testdata", folder, name)
		if _, err := os.Stat(path); err != nil {
			return nil
		}
		found := file(path)
		return &found
	}
	a := dbt.Artifacts{Manifest: *in("manifest.json"), Catalog: in("catalog.json"), Sources: in("sources.json")}
	if results := in("run_results.json"); results != nil {
		a.RunResults = []dbt.File{*results}
	}
	return a
}

func read(t *testing.T, a dbt.Artifacts) *dbt.Project {
	t.Helper()
	project, err := dbt.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// TestGolden compares the proposals of a project of each version with files. Each proposal is valid by the model.
// TestDBT in package e2e compares the proposals of the newest version with the client's.
func TestGolden(t *testing.T) {
	registry := model.Default()
	for version, settings := range map[string]dbt.Settings{
		"v10": {Platform: "postgres", Env: "PROD", Now: now},
		"v11": {Platform: "snowflake", Env: "dev", Instance: "north", TargetInstance: "barn", Now: now},
		"v12": {Platform: "duckdb", Env: "PROD", Now: now},
	} {
		t.Run(version, func(t *testing.T) {
			project := read(t, artifacts(t, version))
			proposals, notes := project.Proposals(settings)
			var got bytes.Buffer
			for _, note := range append(project.Notes, notes...) {
				fmt.Fprintln(&got, note)
			}
			for i := range proposals {
				p := &proposals[i]
				fmt.Fprintln(&got, p.ChangeType, p.EntityURN, p.AspectName, p.Aspect.Value)
				if p.ChangeType == "PATCH" {
					continue
				}
				if _, err := registry.Parse(registry.Dialects()[0], p.AspectName, []byte(p.Aspect.Value)); err != nil {
					t.Errorf("%s %s: %v", p.EntityURN, p.AspectName, err)
				}
				if urn, err := registry.ReadURN(p.EntityURN); err != nil || urn.EntityType() != p.EntityType {
					t.Errorf("%s is no %s: %v", p.EntityURN, p.EntityType, err)
				}
			}
			golden := filepath.Join("testdata", version+".golden")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, got.Bytes()) {
				t.Errorf("the proposals differ from %s; run the test with -update and look at the difference", golden)
			}
		})
	}
}

// aspect returns the value of an aspect of an entity, and fails if there is not exactly one.
func aspect(t *testing.T, proposals []model.FileProposal, urn, name string) map[string]any {
	t.Helper()
	var found []map[string]any
	for i := range proposals {
		if p := &proposals[i]; p.EntityURN == urn && p.AspectName == name {
			var value map[string]any
			if err := json.Unmarshal([]byte(p.Aspect.Value), &value); err != nil {
				t.Fatal(err)
			}
			found = append(found, value)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d values of %s", urn, len(found), name)
	}
	return found[0]
}

// TestDuplicateSource: a source that is a model's table is left out, and nodes that read the source read the model.
func TestDuplicateSource(t *testing.T) {
	m := manifest(`"model.shop.a": {"name": "a", "resource_type": "model", "database": "d", "schema": "s", "config": {"materialized": "table"}, "depends_on": {"nodes": []}},
		"model.shop.b": {"name": "b", "resource_type": "model", "database": "d", "schema": "s", "config": {"materialized": "table"}, "depends_on": {"nodes": ["source.shop.s.a"]}}`,
		`"source.shop.s.a": {"name": "a", "resource_type": "source", "database": "d", "schema": "s"}`)
	proposals, notes := read(t, dbt.Artifacts{Manifest: text("m", m)}).Proposals(dbt.Settings{Platform: "postgres", Env: "PROD", Now: now})
	lineage := aspect(t, proposals, "urn:li:dataset:(urn:li:dataPlatform:dbt,d.s.b,PROD)", model.AspectUpstreamLineage)
	if got := fmt.Sprint(lineage["upstreams"]); !strings.Contains(got, "urn:li:dataset:(urn:li:dataPlatform:postgres,d.s.a,PROD)") {
		t.Errorf("b reads %s", got)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "source.shop.s.a is left out: model.shop.a is the same table") {
		t.Errorf("%q", notes)
	}
	kind := aspect(t, proposals, "urn:li:dataset:(urn:li:dataPlatform:dbt,d.s.a,PROD)", model.AspectSubTypes)
	if fmt.Sprint(kind["typeNames"]) != "[Model]" {
		t.Errorf("%v", kind)
	}
}

// manifest returns the text of a manifest with nodes and sources.
func manifest(nodes, sources string) string {
	return `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "adapter_type": "postgres"}, "nodes": {` + nodes + `}, "sources": {` + sources + `}}`
}

// TestCompiledCode: the compiled code of a node is there for whoever reads columns from it.
func TestCompiledCode(t *testing.T) {
	project := read(t, artifacts(t, "v12"))
	n := project.Nodes["model.orchard.harvest"]
	if n == nil || !strings.Contains(n.CompiledCode, "__dbt__cte__kept") || !slices.Contains(n.Upstreams, "model.orchard.kept") {
		t.Errorf("%+v", n)
	}
}

// TestDocsGenerate: results of dbt docs generate are left out, wherever the file names its command.
func TestDocsGenerate(t *testing.T) {
	head := `"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/run-results/v6.json", "generated_at": "2026-01-01T00:00:00Z", "invocation_id": "i"}`
	results := `"results": [{"unique_id": "model.shop.a", "status": "success", "timing": [{"name": "execute", "started_at": "2026-01-01T00:00:00Z", "completed_at": "2026-01-01T00:00:01Z"}]}]`
	m := manifest(`"model.shop.a": {"name": "a", "resource_type": "model", "schema": "s"}`, "")
	for content, runs := range map[string]int{
		`{` + head + `, ` + results + `, "args": {"which": "build"}}`:    1,
		`{` + head + `, ` + results + `, "args": {"which": "generate"}}`: 0,
		`{` + head + `, "args": {"which": "generate"}, ` + results + `}`: 0,
	} {
		project := read(t, dbt.Artifacts{Manifest: text("m", m), RunResults: []dbt.File{text("r", content)}})
		proposals, _ := project.Proposals(dbt.Settings{Platform: "postgres", Env: "PROD", Now: now})
		got := 0
		for i := range proposals {
			if proposals[i].AspectName == model.AspectDataProcessInstanceProperties {
				got++
			}
		}
		if got != runs || len(project.Notes) != 1-runs {
			t.Errorf("%s: %d runs, notes %q", content, got, project.Notes)
		}
	}
}

// TestErrors: an error names the file and the place.
func TestErrors(t *testing.T) {
	good := manifest("", "")
	node := func(node string) string { return manifest(`"model.shop.a": `+node, "") }
	for _, c := range []struct {
		a    dbt.Artifacts
		want string
	}{
		{dbt.Artifacts{Manifest: text("m", `[]`)}, "m: $: it must be an object"},
		{dbt.Artifacts{Manifest: text("m", `{}`)}, "m: $: it has no metadata"},
		{dbt.Artifacts{Manifest: text("m", ``)}, "m: $: the file ends here"},
		{dbt.Artifacts{Manifest: text("m", good[:len(good)-1])}, "m: $: the file ends here, so it is incomplete"},
		{dbt.Artifacts{Manifest: text("m", `{"nodes": {}}`)}, "m: $.nodes: metadata must come first"},
		{dbt.Artifacts{Manifest: text("m", strings.Replace(good, "v12", "v20", 1))}, "m: $.metadata.dbt_schema_version: version 20 of manifest is unknown; known versions: 10, 11, 12"},
		{dbt.Artifacts{Manifest: text("m", strings.Replace(good, "v12", "v9", 1))}, "version 9 of manifest is unknown"},
		{dbt.Artifacts{Manifest: text("m", strings.Replace(good, "manifest", "catalog", 1))}, "this is an artifact of the kind catalog, and not manifest"},
		{dbt.Artifacts{Manifest: text("m", `{"metadata": {"dbt_schema_version": 3}}`)}, "m: $.metadata.dbt_schema_version: it must not be a JSON number"},
		{dbt.Artifacts{Manifest: text("m", node(`{"name": "a", "tags": ["x", 3]}`))}, `m: $.nodes["model.shop.a"].tags`},
		{dbt.Artifacts{Manifest: text("m", node(`{"name": "a", "columns": {"id": {"tags": 3}}}`))}, `m: $.nodes["model.shop.a"].columns["id"].tags: it must not be a JSON number`},
		{dbt.Artifacts{Manifest: text("m", node(`[]`))}, `m: $.nodes["model.shop.a"]: it must not be a JSON array`},
		{dbt.Artifacts{Manifest: text("m", good), Catalog: ptr(text("c", good))}, "c: $.metadata.dbt_schema_version: this is an artifact of the kind manifest, and not catalog"},
		{dbt.Artifacts{Manifest: text("m", node(`{"name": "a"}`)), Sources: ptr(text("s", results("sources/v3", `{"unique_id": "model.shop.a", "max_loaded_at": "soon"}`)))}, `s: $.results[0].max_loaded_at: "soon" is not a time`},
		{dbt.Artifacts{Manifest: text("m", good), RunResults: []dbt.File{text("r", results("run-results/v6", `{"status": []}`))}}, "r: $.results[0].status: it must not be a JSON array"},
		{dbt.Artifacts{Manifest: text("m", good), RunResults: []dbt.File{text("r", results("run-results/v7", ``))}}, "version 7 of run-results is unknown; known versions: 4, 5, 6"},
		{dbt.Artifacts{Manifest: file("testdata/none.json")}, "testdata/none.json"},
	} {
		_, err := dbt.Read(c.a)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func ptr(f dbt.File) *dbt.File { return &f }

// results returns the text of an artifact with results.
func results(schema, list string) string {
	return `{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/` + schema + `.json"}, "results": [` + list + `]}`
}

// TestNodesLimit: a project with as many nodes as the limit is read, a project with one more is refused.
func TestNodesLimit(t *testing.T) {
	var b strings.Builder
	for i := range limits.DBTNodes - 1 {
		fmt.Fprintf(&b, `"model.shop.m%d": {"resource_type": "analysis"}, `, i)
	}
	nodes := b.String() + `"model.shop.last": {"resource_type": "analysis"}`
	if project := read(t, dbt.Artifacts{Manifest: text("m", manifest(nodes, ""))}); len(project.Nodes) != limits.DBTNodes {
		t.Errorf("%d nodes", len(project.Nodes))
	}
	_, err := dbt.Read(dbt.Artifacts{Manifest: text("m", manifest(nodes, `"source.shop.s.one": {}`))})
	if err == nil || !strings.Contains(err.Error(), `m: $.sources["source.shop.s.one"]: a project may have 100000 nodes`) {
		t.Error(err)
	}
}
