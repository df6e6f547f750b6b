package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// mappingDifferences are the differences from today's client with rules.
var mappingDifferences = []dbtDifference{
	{`^dataset (glossaryTerms \.auditStamp|schemaMetadata \.fields\[\]\.glossaryTerms\.auditStamp|institutionalMemory \.elements\[\]\.createStamp)\.time$`, "the time in `glossaryTerms` and `institutionalMemory` of rules", "both write the time at which they run"},
}

// mappingSettings have rules of every operation, which match and do not match by type, name and place.
func mappingSettings() map[string]any {
	rule := func(match any, operation string, config map[string]any) map[string]any {
		return map[string]any{"match": match, "operation": operation, "config": config}
	}
	return map[string]any{
		"tag_prefix": "code:", "strip_user_ids_from_email": true,
		"meta_mapping": map[string]any{
			"maturity":      rule("(?P<tag>g[a-z]*)l", "add_tag", map[string]any{"tag": "level_{{ $match }}"}),
			"reviewed":      rule(true, "add_term", map[string]any{"term": "Reviewed"}),
			"level":         rule(3, "add_tag", map[string]any{"tag": "three,{{$match}}"}),
			"reviewed.none": rule(true, "add_tag", map[string]any{"tag": "nothing"}),
			"retention":     rule("30", "add_tag", map[string]any{"tag": "a text is no number"}),
			"contact.name":  rule(".*", "add_doc_link", map[string]any{"link": "https://people.example/{{ $match }}", "description": "The contact"}),
			"contact.lists": rule("[ab]", "add_terms", map[string]any{"separator": ","}),
			"owner":         rule(`^@?(?P<owner>[\w@., -]+)`, "add_owner", map[string]any{"owner_type": "group", "owner_category": "technical_owner"}),
			"team":          rule("(.*)", "add_owner", map[string]any{"owner_category": "urn:li:ownershipType:team"}),
			"home":          rule("(.*)", "add_domain", map[string]any{"domain": "of_{{ $match }}"}),
			"weights":       rule("[0-9]", "add_structured_property", map[string]any{"structured_property_urn": "weights"}),
			"price":         rule(1.5, "add_structured_property", map[string]any{"structured_property_urn": "urn:li:structuredProperty:price"}),
			"size":          rule("([0-9]+) ?kg", "add_structured_property", map[string]any{"structured_property_urn": "size", "value": "{{ $match }}", "value_type": "number"}),
		},
		"column_meta_mapping": map[string]any{
			"pii":       rule(false, "add_tag", map[string]any{"tag": "public"}),
			"unit":      rule("k", "add_term", map[string]any{"term": "Unit.{{ $match }}"}),
			"unit.none": rule("k", "add_tag", map[string]any{"tag": "nothing"}),
			"a_unit":    rule("(.*)", "add_structured_property", map[string]any{"structured_property_urn": "unit", "value": []any{"{{ $match }}", 2}}),
		},
		"query_tag_mapping": map[string]any{"team": rule("(f.*)", "add_tag", map[string]any{"tag": "query_{{ $match }}"})},
		"node_name_pattern": map[string]any{"deny": []string{`TEST\..*not_null`, "model.orchard.days$"}},
		"materialized_node_pattern": map[string]any{
			"schema_pattern": map[string]any{"allow": []string{`orchard\.(main|field)$`}},
			"table_pattern":  map[string]any{"allow": []string{`orchard\.`}, "deny": []string{`orchard\.main\.Trees$`}, "ignoreCase": true},
		},
	}
}

// mappedDBT returns artifacts whose nodes have more properties than the nodes of the project.
func mappedDBT(t *testing.T) dbtFiles {
	t.Helper()
	from := filepath.Join(testservers.Root(), "catalog", "dbt", "testdata", "v12")
	target := t.TempDir()
	if err := os.CopyFS(target, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(target, "manifest.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	picks := at(manifest, "nodes", "model.orchard.picks_by_day").(map[string]any)
	picks["query_tag"] = map[string]any{"team": "fruit"}
	meta := picks["meta"].(map[string]any)
	for property, value := range map[string]any{
		"home": `farm\.one`, "weights": []any{"1", "x", "2"}, "price": 1.5, "size": "12 kg", "team": "Ada Wren, bo@orchard.example", "maturity": "gilded",
		"datahub": map[string]any{"tags": []any{"curated"}, "terms": []any{"Fruit"}, "owners": []any{"cy", map[string]any{"owner": "urn:li:corpGroup:growers", "owner_type": "PRODUCER"}}, "domain": "market", "structured_properties": map[string]any{"weights": 3, "seen": true, "urn:li:tag:no": 1}},
	} {
		meta[property] = value
	}
	sources := manifest["sources"].(map[string]any)
	for _, source := range sources {
		same := maps.Clone(source.(map[string]any)) // a source that is the table of a model
		same["unique_id"], same["name"], same["schema"], same["identifier"] = "source.orchard.own.stg_picks", "stg_picks", "main", nil
		source.(map[string]any)["identifier"] = "picks_as_loaded"
		sources["source.orchard.own.stg_picks"] = same
		break
	}
	depends := at(manifest, "nodes", "model.orchard.days", "depends_on").(map[string]any)
	depends["nodes"] = append(depends["nodes"].([]any), "source.orchard.own.stg_picks")
	column := at(manifest, "nodes", "model.orchard.harvest", "columns", "tree", "meta").(map[string]any)
	column["a_unit"] = "crates"
	metadata, err := json.Marshal(manifest["metadata"])
	if err != nil {
		t.Fatal(err)
	}
	delete(manifest, "metadata")
	rest, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, target, map[string]string{"manifest.json": fmt.Sprintf(`{"metadata":%s,%s`, metadata, rest[1:])}) // dbt writes it first
	return dbtFiles{target, filepath.Join(target, "run_results.json")}
}

// comparedRules compares a recipe with rules and patterns, which both read.
func comparedRules(t *testing.T, path string) dbtComparison {
	t.Helper()
	c := dbtComparison{name: "rules", client: todaysDBTClient, allowed: slices.Concat(alwaysDifferent, mappingDifferences)}
	files, settings := mappedDBT(t), mappingSettings()
	recipe := filepath.Join(t.TempDir(), "recipe.yml")
	config := c.client.settings(files, settings)
	writeFiles(t, filepath.Dir(recipe), map[string]string{"recipe.yml": dbtRecipe(t, config, "written.json")})
	ours := printedDBT(t, path, "source", recipe, "--dry-run")
	theirs := c.client.run(t, files, settings)
	counts := map[string]int{}
	for key := range ours {
		counts[kindOf(key)]++
	}
	for _, aspect := range []string{"glossaryTerms", "domains", "institutionalMemory", "structuredProperties", "ownership", "globalTags"} {
		if counts["dataset "+aspect] == 0 {
			t.Errorf("no dataset has the aspect %s", aspect)
		}
	}
	c.compare(t, theirs, ours)
	t.Logf("%d aspects of the client, %d of headwater", len(theirs), len(ours))
	return c
}

// TestDBTRules compares rules and patterns without a project that dbt builds.
func TestDBTRules(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_DBT") == "" {
		t.Skip("make test-dbt compares headwater ingest source with the client's dbt source")
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	comparedRules(t, path)
}
