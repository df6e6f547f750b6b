package dbt

import (
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/ingestion/forms"
)

// takenSettings are examples of values, other than the defaults, of all settings of the client that are taken. A section
// stands for what it contains.
var takenSettings = map[string]any{
	"catalog_path": "a.json", "manifest_path": "a.json", "run_results_paths": []any{"a.json"}, "sources_path": "a.json",
	"column_meta_mapping": map[string]any{}, "meta_mapping": map[string]any{}, "query_tag_mapping": map[string]any{},
	"convert_column_urns_to_lowercase": true, "convert_urns_to_lowercase": false, "dbt_is_primary_sibling": false, "drop_duplicate_sources": false,
	"emit_target_platform_instance_aspects": false, "enable_meta_mapping": false, "enable_owner_extraction": false, "enable_query_tag_mapping": false,
	"entities_enabled": map[string]any{"sources": "NO", "models": "NO"}, "env": "DEV", "git_info": map[string]any{"repo": "shop/models", "branch": "x", "url_subdir": "y", "url_template": "{file_path}"},
	"include_column_lineage": false, "include_compiled_code": false, "include_database_name": false, "include_env_in_assertion_guid": true,
	"incremental_lineage": false, "infer_dbt_schemas": true, "materialized_node_pattern": map[string]any{"database_pattern": map[string]any{"allow": []any{"x"}}},
	"max_queries_per_model": 3, "node_name_pattern": map[string]any{"deny": []any{"x"}, "ignoreCase": false}, "only_include_if_in_catalog": true,
	"owner_extraction_pattern": "(?P<owner>.*)", "platform_instance": "a", "prefer_sql_parser_lineage": true, "skip_sources_in_lineage": true,
	"stateful_ingestion": map[string]any{"enabled": true, "fail_safe_threshold": 5}, "strip_user_ids_from_email": true, "tag_prefix": "x", "target_platform": "snowflake",
	"target_platform_instance": "b", "test_warnings_are_errors": true, "use_identifiers": true, "write_semantics": "OVERRIDE",
}

// TestClientsSettings: every setting of the client is taken, or refused or without effect for a reason.
func TestClientsSettings(t *testing.T) {
	seen := map[string]bool{}
	for _, form := range forms.All() {
		if form.Type != "dbt" {
			continue
		}
		for _, setting := range form.Settings {
			name, member, _ := strings.Cut(setting.Path, ".")
			seen[name] = true
			_, taken := takenSettings[name]
			if n := count(taken, refused[name] != "", withoutEffect[name] != ""); n != 1 {
				t.Errorf("%s is in %d lists: a setting of the client is taken, or refused or without effect for a reason", setting.Path, n)
			}
			if section, is := takenSettings[name].(map[string]any); is && member != "" && strings.HasPrefix(name, "entities") {
				section[member] = "NO"
			}
		}
	}
	if len(seen) < 40 {
		t.Errorf("the form has %d settings", len(seen))
	}
	if got := (&Connector{}).Unknown(given(takenSettings)); len(got) > 0 {
		t.Errorf("%q are not taken", got)
	}
	if _, err := (&Connector{}).Test(t.Context(), given(takenSettings)); err != nil {
		t.Error(err)
	}
	for name := range refused {
		if got := (&Connector{}).Unknown(given(map[string]any{name: true})); !slices.Equal(got, []string{name}) {
			t.Errorf("%s is not refused: %q", name, got)
		}
	}
	for name := range withoutEffect {
		if got := (&Connector{}).Unknown(given(map[string]any{name: true})); len(got) > 0 {
			t.Errorf("%s is refused: %q", name, got)
		}
	}
}

func count(all ...bool) int {
	n := 0
	for _, one := range all {
		if one {
			n++
		}
	}
	return n
}
