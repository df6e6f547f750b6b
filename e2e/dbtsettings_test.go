package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/ingestion/forms"
)

// inferredTypes are the differences in the types of columns that only the code tells.
var inferredTypes = []dbtDifference{
	{`^dataset schemaMetadata \.fields\[\]\.(nativeDataType|type\.type\.com\.linkedin\.schema\.\w+ only (client|headwater))$`, "the types of columns that are inferred from the code", "Headwater has the type of the column whose value it is, in the words of the platform, or the one that the code casts to; the client has the types that its parser infers, in the parser's words"},
}

// parsedLineage are the differences in lineage that is read from the code.
var parsedLineage = []dbtDifference{
	{`^dataset upstreamLineage \.fineGrainedLineages\[\]\.confidenceScore$`, "the confidence in columns of tables that are not known", "Headwater writes 0.9 where the code can mean one column only; the client writes 0.2 or 0.35"},
}

// withoutCatalog are the differences if there is no catalog.json.
var withoutCatalog = []dbtDifference{
	{`^dataset (schemaMetadata \.fields|upstreamLineage \.fineGrainedLineages(\[\]\.upstreams\[\]| only client)?|upstreamLineage patch)$`, "columns and their lineage without `catalog.json`", "the client takes the columns that the project describes for all that there are; Headwater takes those that the code gives, and none for `*` of a table whose columns only the database knows"},
}

// throughEphemeral are the differences if tables are named without their databases.
var throughEphemeral = []dbtDifference{
	{`^dataset upstreamLineage \.fineGrainedLineages only headwater$`, "lineage between columns through ephemeral models with `include_database_name: false`", "the client does not find the names that it gives ephemeral models"},
}

// listsOfOwners are the differences if owners are extracted.
var listsOfOwners = []dbtDifference{
	{`^(assertion (ownership|assertionRunEvent)) only headwater$`, "owners of tests with `owner_extraction_pattern` if the property `owner` is a list", "the client fails at the list, and leaves out the owners and results; Headwater applies the pattern to each owner"},
}

// settingComparisons are comparisons of recipes. Together they have every setting of the client that changes what is
// written without a server.
func settingComparisons() []dbtComparison {
	on, off := true, false
	sql := map[string]any{"infer_dbt_schemas": on, "include_column_lineage": on}
	with := func(some ...map[string]any) map[string]any {
		all := map[string]any{}
		for _, one := range some {
			maps.Copy(all, one)
		}
		return all
	}
	entities := func(all map[string]any) map[string]any { return map[string]any{"entities_enabled": all} }
	return []dbtComparison{
		{name: "inferred columns", config: map[string]any{"infer_dbt_schemas": on}, allowed: inferredTypes},
		{name: "inferred columns without a catalog", config: with(sql, map[string]any{"catalog_path": nil}), allowed: slices.Concat(inferredTypes, withoutCatalog)},
		{name: "names", config: map[string]any{
			"convert_urns_to_lowercase": off, "convert_column_urns_to_lowercase": on, "include_database_name": off, "use_identifiers": on, "target_platform_instance": "barn",
			"emit_target_platform_instance_aspects": off, "include_compiled_code": off, "env": "DEV", "include_env_in_assertion_guid": on,
		}},
		{name: "names with SQL", config: with(sql, map[string]any{"include_database_name": off}), allowed: slices.Concat(inferredTypes, throughEphemeral)},
		{name: "what is left out", config: map[string]any{
			"only_include_if_in_catalog": on, "drop_duplicate_sources": off, "max_queries_per_model": 1, "test_warnings_are_errors": on,
			"owner_extraction_pattern": `.*?(?P<owner>[a-z]+)@`,
		}, allowed: listsOfOwners},
		{name: "all queries", config: map[string]any{"max_queries_per_model": 0}},
		{name: "siblings", config: map[string]any{"dbt_is_primary_sibling": off, "incremental_lineage": off, "git_info": map[string]any{"repo": "shop/models", "url_subdir": "dbt", "branch": "next"}}},
		{name: "a repository", config: map[string]any{"git_info": map[string]any{"repo": "https://git.shop.example/models/", "url_template": "{repo_url}/{{x}}/{file_path}?at={branch}"}}},
		{name: "skipped sources", config: with(sql, map[string]any{"skip_sources_in_lineage": on}, entities(map[string]any{"sources": "NO"})), allowed: inferredTypes},
		{name: "lineage of the code", config: with(sql, map[string]any{"skip_sources_in_lineage": on, "prefer_sql_parser_lineage": on, "incremental_lineage": off}), allowed: inferredTypes},
		{name: "no models", config: entities(map[string]any{"models": "NO", "seeds": "no", "snapshots": off, "catalog_stats": "NO"})},
		{name: "no semantic models", config: entities(map[string]any{"semantic_models": "NO", "exposures": on, "queries": off, "model_performance": "NO"})},
		{name: "no exposures", config: entities(map[string]any{"exposures": "NO", "test_results": "NO"})},
		{name: "no definitions", config: entities(map[string]any{"test_definitions": "NO"})},
		{name: "only results", config: entities(map[string]any{"test_results": "ONLY"})},
		{name: "only queries", config: entities(map[string]any{"queries": "ONLY"})},
		{name: "only sources", config: entities(map[string]any{"sources": "ONLY"})},
	}
}

// comparedSettings compares the results of recipes, which the client and our command read. Our command is ingest dbt
// with the recipe; ingest source with the same recipe gives the same result.
func comparedSettings(t *testing.T, path string, tell func(dbtComparison)) {
	files := mappedDBT(t)
	for _, c := range settingComparisons() {
		c.client = todaysDBTClient
		t.Run(c.name, func(t *testing.T) {
			config := c.client.settings(files, c.config)
			if value, given := c.config["catalog_path"]; given && value == nil {
				delete(config, "catalog_path")
			}
			folder := t.TempDir()
			writeFiles(t, folder, map[string]string{"recipe.yml": dbtRecipe(t, config, "written.json")})
			recipe := filepath.Join(folder, "recipe.yml")
			theirs := c.client.runRecipe(t, config)
			ours := printedDBT(t, path, "source", recipe, "--dry-run")
			c.compareKnown(t, theirs, ours)
			t.Logf("%d aspects of the client, %d of headwater", len(theirs), len(ours))
			tell(c)
			if config["catalog_path"] == nil {
				return // ingest dbt reads the catalog that is beside the manifest
			}
			for _, key := range []string{"manifest_path", "catalog_path", "sources_path", "run_results_paths"} {
				delete(config, key)
			}
			config["manifest_path"] = "/elsewhere/manifest.json"
			writeFiles(t, folder, map[string]string{"recipe.yml": dbtRecipe(t, config, "written.json")})
			same := printedDBT(t, path, "dbt", files.target, "--run-results", files.results, "--recipe", recipe, "--dry-run")
			for _, d := range differing(ours, same) {
				if !strings.Contains(d, "lastModified") && !strings.Contains(d, "createStamp") && !strings.Contains(d, "auditStamp") {
					t.Errorf("ingest dbt --recipe differs from ingest source: %s", d)
				}
			}
		})
	}
}

// compareKnown compares like compare, and allows the differences that there always are; a difference need not occur.
func (c dbtComparison) compareKnown(t *testing.T, theirs, ours map[string]any) {
	t.Helper()
	all := c
	all.optional = true
	all.allowed = slices.Concat(c.allowed, alwaysDifferent, mappingDifferences, parsedLineage)
	all.compare(t, theirs, ours)
}

// differing returns the places at which two readings differ.
func differing(a, b map[string]any) []string {
	var places []string
	for _, key := range slices.Sorted(maps.Keys(a)) {
		differences(a[key], b[key], "", func(path string, _, _ any) { places = append(places, key+" "+path) })
	}
	for key := range b {
		if _, has := a[key]; !has {
			places = append(places, key+" is new")
		}
	}
	return places
}

// clientsDBTSettings asks the installed client for the names of the settings of its source.
const clientsDBTSettings = `
import json
from datahub.ingestion.source.dbt.dbt_core import DBTCoreConfig
from datahub.ingestion.source.dbt.dbt_common import DBTEntitiesEnabled, MaterializedNodePatternConfig
print(json.dumps(list(DBTCoreConfig.model_fields) + ["entities_enabled." + n for n in DBTEntitiesEnabled.model_fields] + ["materialized_node_pattern." + n for n in MaterializedNodePatternConfig.model_fields]))
`

// clientsSettingsAreKnown fails if the installed client has a setting that the form of dbt lacks. A test of the package
// connectors/dbt says of each setting of the form that it is taken, or why it is not.
func clientsSettingsAreKnown(t *testing.T) {
	out, err := exec.Command(filepath.Join(pythonFor(t, todaysDBTClient.folder), "bin", "python"), "-c", clientsDBTSettings).Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	if err := json.Unmarshal(out[strings.LastIndex(strings.TrimSpace(string(out)), "\n")+1:], &names); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, form := range forms.All() {
		if form.Type != "dbt" {
			continue
		}
		for _, setting := range form.Settings {
			known[setting.Path] = true
			for at, c := range setting.Path {
				if c == '.' {
					known[setting.Path[:at]] = true
				}
			}
		}
	}
	if len(names) < 60 {
		t.Errorf("the client has %d settings", len(names))
	}
	for _, name := range names {
		if !known[name] {
			t.Errorf("the client has the setting %s, which the form of dbt lacks", name)
		}
	}
}

// TestDBTSettings compares recipes without a project that dbt builds.
func TestDBTSettings(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_DBT") == "" {
		t.Skip("make test-dbt compares headwater ingest dbt --recipe with the client's dbt source")
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("known", clientsSettingsAreKnown)
	comparedSettings(t, path, func(dbtComparison) {})
}
