package dbt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

const example = "../../docs/example/dbt/"

func given(more map[string]any) map[string]any {
	config := map[string]any{"manifest_path": example + "manifest.json", "target_platform": "duckdb"}
	maps.Copy(config, more)
	return config
}

// stored is a server with some aspects.
type stored map[string]map[string]json.RawMessage

func (s stored) Aspects(_ context.Context, urns, _ []string) (map[string]map[string]json.RawMessage, error) {
	found := map[string]map[string]json.RawMessage{}
	for _, urn := range urns {
		if s[urn] != nil {
			found[urn] = s[urn]
		}
	}
	return found, nil
}

type down struct{}

func (down) Aspects(context.Context, []string, []string) (map[string]map[string]json.RawMessage, error) {
	return nil, errors.New("the server is down")
}

func read1(t *testing.T, k *Connector, config map[string]any) ([]*model.FileProposal, *connectors.Report, error) {
	t.Helper()
	report := &connectors.Report{}
	var all []*model.FileProposal
	for p, err := range k.Read(t.Context(), config, report) {
		if err != nil {
			return all, report, err
		}
		all = append(all, p)
	}
	return all, report, nil
}

// TestRead: reading a project gives its proposals, and the report counts its entities.
func TestRead(t *testing.T) {
	all, report, err := read1(t, &Connector{}, given(map[string]any{"catalog_path": example + "catalog.json"}))
	if err != nil || len(all) != 30 {
		t.Fatalf("%d proposals, %v", len(all), err)
	}
	if report.Scanned[model.EntityDataset] < 2 || len(report.Failures) > 0 {
		t.Errorf("%+v", report)
	}
	without, _, err := read1(t, &Connector{}, given(map[string]any{"entities_enabled": map[string]any{"test_definitions": "no", "test_results": "NO"}}))
	if err != nil || slices.ContainsFunc(without, func(p *model.FileProposal) bool { return p.EntityType == model.EntityAssertion }) {
		t.Errorf("tests are read although they are not enabled, %v", err)
	}
	if _, _, err := read1(t, &Connector{}, given(map[string]any{"manifest_path": filepath.Join(t.TempDir(), "none")})); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a manifest that is missing: %v", err)
	}
}

// ruled returns settings with one rule.
func ruled(setting string, given map[string]any) map[string]any {
	return map[string]any{setting: map[string]any{"a.b": given}}
}

// TestRulesHaveALimit: a mapping with as many rules as the limit is accepted, a mapping with one more is refused.
func TestRulesHaveALimit(t *testing.T) {
	many := map[string]any{}
	for i := range limits.DBTRules {
		many[fmt.Sprint("p", i)] = map[string]any{"match": true, "operation": "add_tag", "config": map[string]any{"tag": "x"}}
	}
	k := &Connector{}
	if _, err := k.Test(t.Context(), given(map[string]any{"meta_mapping": many})); err != nil {
		t.Error(err)
	}
	many["more"] = many["p0"]
	if _, err := k.Test(t.Context(), given(map[string]any{"meta_mapping": many})); err == nil || !strings.Contains(err.Error(), "meta_mapping has 1001 rules, more than 1000") {
		t.Error(err)
	}
}

// TestSettings: settings that only the client can follow are named, and wrong settings are errors.
func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name    string
		config  map[string]any
		unknown []string
		err     string
	}{
		{"those of the form", map[string]any{"env": "DEV", "platform_instance": "a", "target_platform_instance": "b", "include_column_lineage": false, "write_semantics": "OVERRIDE", "run_results_paths": []any{"a.json"}, "sources_path": "b.json", "stateful_ingestion": map[string]any{"enabled": true, "fail_safe_threshold": 20}}, nil, ""},
		{"defaults", map[string]any{"enable_meta_mapping": true, "tag_prefix": "dbt:", "meta_mapping": map[string]any{}, "artifact_read_concurrency": 4}, nil, ""},
		{"rules", ruled("meta_mapping", map[string]any{"match": ".*", "operation": "add_owner", "config": map[string]any{"owner_type": "group", "owner_category": "technical_owner"}}), nil, ""},
		{"a rule without an operation", ruled("column_meta_mapping", map[string]any{"match": true}), nil, "column_meta_mapping.a.b.operation is missing"},
		{"a rule without a value", ruled("query_tag_mapping", map[string]any{"operation": "add_tag", "config": map[string]any{"tag": "x"}}), nil, "query_tag_mapping.a.b.match is missing"},
		{"a match of another form", ruled("meta_mapping", map[string]any{"match": []any{"a"}, "operation": "add_tag", "config": map[string]any{"tag": "x"}}), nil, "match must be a text, a number, or true or false"},
		{"another operation", ruled("meta_mapping", map[string]any{"match": 1, "operation": "add_tags"}), nil, "did you mean add_tag?"},
		{"a wrong member", ruled("meta_mapping", map[string]any{"match": 1, "operation": "add_tag", "config": map[string]any{"tagg": "x", "tag": "x"}}), []string{"meta_mapping.a.b.config.tagg"}, "did you mean meta_mapping.a.b.config.tag?"},
		{"no tag", ruled("meta_mapping", map[string]any{"match": 1, "operation": "add_tag", "config": map[string]any{}}), nil, "meta_mapping.a.b.config.tag is missing"},
		{"no separator", ruled("meta_mapping", map[string]any{"match": "a", "operation": "add_terms", "config": map[string]any{"separator": ""}}), nil, "config.separator is missing or empty"},
		{"another ownership", ruled("meta_mapping", map[string]any{"match": "a", "operation": "add_owner", "config": map[string]any{"owner_category": "data_steward_"}}), nil, "did you mean DATA_STEWARD?"},
		{"another entity", ruled("meta_mapping", map[string]any{"match": "a", "operation": "add_owner", "config": map[string]any{"owner_category": "urn:li:tag:x"}}), nil, "is not the URN of a type of ownership"},
		{"another property", ruled("meta_mapping", map[string]any{"match": "a", "operation": "add_structured_property", "config": map[string]any{"structured_property_urn": "urn:li:tag:x"}}), nil, "is not the URN of a structured property"},
		{"an expression of Python", ruled("meta_mapping", map[string]any{"match": "(?!a)", "operation": "add_tag", "config": map[string]any{"tag": "x"}}), []string{"meta_mapping.a.b.match"}, "only the Python client can follow"},
		{"no expression", ruled("meta_mapping", map[string]any{"match": "(", "operation": "add_tag", "config": map[string]any{"tag": "x"}}), nil, "meta_mapping.a.b.match is not a regular expression"},
		{"patterns", map[string]any{"node_name_pattern": map[string]any{"deny": []any{"model"}}, "materialized_node_pattern": map[string]any{"schema_pattern": map[string]any{"allow": []any{"a"}}}}, nil, ""},
		{"a wrong pattern", map[string]any{"materialized_node_pattern": map[string]any{"table_patern": map[string]any{}}}, []string{"materialized_node_pattern.table_patern"}, "did you mean materialized_node_pattern.table_pattern?"},
		{"a pattern of Python", map[string]any{"node_name_pattern": map[string]any{"deny": []any{"(?!a)"}}}, []string{"node_name_pattern.deny[0]"}, "only the Python client can follow"},
		{"former names", map[string]any{"run_results_path": "a.json", "github_info": map[string]any{"repo": "shop/models"}}, nil, ""},
		{"a former name twice", map[string]any{"run_results_path": "a.json", "run_results_paths": []any{"a.json"}}, nil, "run_results_path is the former name of run_results_paths, which is there too"},
		{"a former section twice", map[string]any{"git_info": map[string]any{"repo": "shop/models"}, "github_info": map[string]any{"repo": "shop/models"}}, nil, "github_info is the former name of git_info"},
		{"no repository", map[string]any{"git_info": map[string]any{"branch": "x"}}, nil, "git_info.repo is missing"},
		{"another host", map[string]any{"git_info": map[string]any{"repo": "https://git.shop.example/models"}}, nil, "git_info.url_template is missing"},
		{"a wrong address", map[string]any{"git_info": map[string]any{"repo": "shop/models", "url_template": "{repo}/{file_path}"}}, nil, "git_info.url_template \"{repo}/{file_path}\" has a brace"},
		{"the owner in a text", map[string]any{"owner_extraction_pattern": "@(?P<owner>.*)"}, nil, ""},
		{"no group of the owner", map[string]any{"owner_extraction_pattern": "@(.*)"}, nil, "owner_extraction_pattern must have a group of the name owner"},
		{"an owner of Python", map[string]any{"owner_extraction_pattern": "(?!x)(?P<owner>.*)"}, []string{"owner_extraction_pattern"}, "only the Python client can follow"},
		{"a bucket", map[string]any{"manifest_path": "s3://bucket/manifest.json"}, []string{"manifest_path"}, "only the Python client can follow: artifacts are read from files of this machine"},
		{"several projects", map[string]any{"manifest_path": "projects/*/manifest.json"}, []string{"manifest_path"}, "a recipe is one project"},
		{"several results", map[string]any{"run_results_paths": []any{"*/run_results.json"}}, []string{"run_results_paths"}, "patterns of paths are not followed"},
		{"what a server lacks", map[string]any{"skip_missing_upstreams_in_lineage": true}, []string{"skip_missing_upstreams_in_lineage"}, "it leaves out lineage to what a server does not have yet"},
		{"only tests", map[string]any{"entities_enabled": map[string]any{"test_results": "ONLY"}}, nil, ""},
		{"only two", map[string]any{"entities_enabled": map[string]any{"test_results": "only", "models": "ONLY"}}, nil, "cannot both be ONLY"},
		{"without models", map[string]any{"entities_enabled": map[string]any{"models": false, "seeds": true}}, nil, ""},
		{"another directive", map[string]any{"entities_enabled": map[string]any{"models": "MAYBE"}}, nil, "entities_enabled.models must be one of YES, NO, ONLY"},
		{"another kind", map[string]any{"entities_enabled": map[string]any{"model": "NO"}}, []string{"entities_enabled.model"}, "did you mean entities_enabled.models?"},
		{"too few queries", map[string]any{"max_queries_per_model": -1}, nil, "max_queries_per_model must be from 0"},
		{"lineage without inference", map[string]any{"infer_dbt_schemas": false}, nil, "include_column_lineage needs infer_dbt_schemas"},
		{"SQL with sources", map[string]any{"prefer_sql_parser_lineage": true}, nil, "prefer_sql_parser_lineage needs skip_sources_in_lineage"},
		{"skipped sources", map[string]any{"skip_sources_in_lineage": true}, nil, "skip_sources_in_lineage needs entities_enabled.sources NO"},
		{"a wrong name", map[string]any{"target_plattform": "x"}, []string{"target_plattform"}, "did you mean target_platform?"},
		{"no platform", map[string]any{"target_platform": ""}, nil, "target_platform is missing"},
		{"dbt itself", map[string]any{"target_platform": "dbt"}, nil, "and not dbt"},
		{"a comma", map[string]any{"env": "a,b"}, nil, "env must not contain"},
		{"wrong semantics", map[string]any{"write_semantics": "x"}, nil, "must be one of PATCH, OVERRIDE"},
	} {
		k := &Connector{}
		if got := k.Unknown(given(c.config)); !slices.Equal(got, c.unknown) {
			t.Errorf("%s: %q are unknown, want %q", c.name, got, c.unknown)
		}
		_, err := k.Test(t.Context(), given(c.config))
		if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestTest: a test says which files can be opened.
func TestTest(t *testing.T) {
	found, err := (&Connector{}).Test(t.Context(), given(map[string]any{"catalog_path": example + "catalog.json", "run_results_paths": []any{"none.json"}}))
	if err != nil || found.Basic != nil || found.Found["columns"] != nil || found.Found["freshness"] == nil || found.Found["run results"] == nil {
		t.Errorf("%+v %v", found, err)
	}
	if found, err := (&Connector{}).Test(t.Context(), given(map[string]any{"manifest_path": t.TempDir()})); err != nil || found.Basic == nil {
		t.Errorf("a directory: %+v %v", found, err)
	}
}

// TestKept: owners and tags that others have stated are kept unless the recipe overrides them; owners and tags
// of the code are replaced.
func TestKept(t *testing.T) {
	tagged := map[string]any{"manifest_path": "../../catalog/dbt/testdata/v12/manifest.json"}
	all, _, err := read1(t, &Connector{}, given(tagged))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(p *model.FileProposal) bool { return p.AspectName == model.AspectGlobalTags })
	owned := slices.IndexFunc(all, func(p *model.FileProposal) bool {
		return p.AspectName == model.AspectOwnership && p.EntityType == model.EntityDataset
	})
	if at < 0 || owned < 0 {
		t.Fatal("the example has no tags, or no owners")
	}
	others := stored{}
	for _, i := range []int{at, owned} {
		others[all[i].EntityURN] = map[string]json.RawMessage{}
	}
	others[all[at].EntityURN][model.AspectGlobalTags] = json.RawMessage(`{"tags":[{"tag":"urn:li:tag:dbt:gone"},{"tag":"urn:li:tag:pii","context":"{}"}]}`)
	others[all[owned].EntityURN][model.AspectOwnership] = json.RawMessage(`{"owners":[{"owner":"urn:li:corpuser:left","type":"DATAOWNER","source":{"type":"SOURCE_CONTROL"}},{"owner":"urn:li:corpuser:eve","type":"DATAOWNER"}]}`)
	for semantics, kept := range map[string]bool{"PATCH": true, "OVERRIDE": false} {
		now, _, err := read1(t, &Connector{Stored: others}, given(map[string]any{"manifest_path": tagged["manifest_path"], "write_semantics": semantics}))
		if err != nil {
			t.Fatal(err)
		}
		tags, owners := now[at].Aspect.Value, now[owned].Aspect.Value
		if strings.Contains(tags, "urn:li:tag:pii") != kept || strings.Contains(owners, "urn:li:corpuser:eve") != kept || strings.Contains(tags, "dbt:gone") || strings.Contains(owners, "corpuser:left") {
			t.Errorf("%s: %s %s", semantics, tags, owners)
		}
	}
	if _, _, err := read1(t, &Connector{Stored: down{}}, given(tagged)); err == nil || !strings.Contains(err.Error(), "the server is down") {
		t.Errorf("a server that is down: %v", err)
	}
}
