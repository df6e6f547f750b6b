package dbt

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/internal/limits"
)

// config are the settings of a recipe.
type config struct {
	dbt.Settings
	artifacts dbt.Artifacts
	// noInference: no SQL is read.
	noInference bool
	// override replaces the owners and tags of dbt's datasets.
	override bool
}

// refused are the settings of the client that may be given with its default only, with the reason.
var refused = map[string]string{
	"skip_missing_upstreams_in_lineage": "it leaves out lineage to what a server does not have yet",
	"emit_semantic_model_entities":      "servers without DataHub Cloud do not take these entities from the client either",
	"aws_connection":                    inBuckets,
	"gcs_connection":                    inBuckets,
}

const (
	inBuckets       = "artifacts are read from files of this machine, not from buckets"
	severalProjects = "a recipe is one project; run one recipe for each"
)

// withoutEffect are the settings of the client that change nothing here, with the reason.
var withoutEffect = map[string]string{
	"artifact_read_concurrency":         "only several projects are read at the same time",
	"semantic_model_project_name":       "it names what emit_semantic_model_entities would write",
	"emit_target_platform_display_name": "tables of the platform get no names here, as from the client without a server",
	"use_compiled_code":                 "the client has removed it",
}

// formerNames are settings by the names that they had.
var formerNames = map[string]string{"test_results_path": "run_results_paths", "run_results_path": "run_results_paths", "github_info": "git_info"}

// read reads the settings, which have the names and meanings that they have in the client.
func read(values map[string]any) (*config, *settings.Reader) {
	r := settings.New(values)
	c := &config{Settings: dbt.Settings{
		Platform: r.Text("target_platform", ""), Env: r.Text("env", "PROD"),
		Instance: r.Text("platform_instance", ""), TargetInstance: r.Text("target_platform_instance", ""),
	}}
	c.Without = without(r.Section("entities_enabled"))
	c.readNames(r)
	c.readArtifacts(r)
	c.readLineage(r)
	c.override = r.OneOf("write_semantics", "PATCH", "PATCH", "OVERRIDE") == "OVERRIDE"
	c.Patterns, c.Mappings = patterns(r), mappings(r)
	c.KeepCase = !r.Bool("convert_urns_to_lowercase", true)
	if r.Has("convert_column_urns_to_lowercase") {
		lower := r.Bool("convert_column_urns_to_lowercase", false)
		c.ColumnsLower = &lower
	}
	c.NoCompiledCode = !r.Bool("include_compiled_code", true)
	c.NoTargetInstances = !r.Bool("emit_target_platform_instance_aspects", true)
	c.WarningsFail, c.EnvInAssertions = r.Bool("test_warnings_are_errors", false), r.Bool("include_env_in_assertion_guid", false)
	c.KeepSources, c.OnlyInCatalog = !r.Bool("drop_duplicate_sources", true), r.Bool("only_include_if_in_catalog", false)
	queries := int(r.Whole("max_queries_per_model", 100, 0, math.MaxInt32))
	c.MaxQueries = &queries
	c.Repository = repository(r)
	r.Section("stateful_ingestion").WithoutEffect("enabled", "remove_stale_metadata", "fail_safe_threshold", "ignore_old_state", "ignore_new_state")
	for name, reason := range refused {
		r.OnlyFalse(name)
		if slices.Contains(r.Unknown(), name) {
			r.Refuse(name, reason)
		}
	}
	for name := range withoutEffect {
		r.WithoutEffect(name)
	}
	return c, r
}

// readNames checks the names in URNs.
func (c *config) readNames(r *settings.Reader) {
	switch c.Platform {
	case "":
		r.Fail("target_platform", "is missing: the platform on which dbt builds its tables, such as postgres")
	case "dbt":
		r.Fail("target_platform", "is the platform on which dbt builds its tables, such as postgres, and not dbt")
	}
	for name, value := range map[string]string{"target_platform": c.Platform, "env": c.Env} {
		if strings.ContainsAny(value, "(),: ") {
			r.Fail(name, "must not contain spaces, colons, commas or parentheses: it is a part of URNs")
		}
	}
}

// readArtifacts reads which files there are, and how nodes are named in them.
func (c *config) readArtifacts(r *settings.Reader) {
	path := r.Text("manifest_path", "")
	if path == "" {
		r.Fail("manifest_path", "is missing: the path of the manifest.json that dbt writes")
	} else {
		c.artifacts.Manifest = file(r, "manifest_path", path)
	}
	if strings.ContainsAny(path, "*?[") {
		r.Refuse("manifest_path", severalProjects)
	}
	c.artifacts.Catalog = optional(r, "catalog_path")
	c.artifacts.Sources = optional(r, "sources_path")
	results := r.Texts("run_results_paths", limits.DBTRunResults)
	for former, name := range formerNames {
		switch {
		case name == "git_info" || !r.Has(former):
		case r.Has(name):
			r.Fail(former, "is the former name of "+name+", which is there too")
		default:
			results = append(results, r.Text(former, ""))
		}
	}
	for _, path := range results {
		if strings.ContainsAny(path, "*?[") {
			r.Refuse("run_results_paths", "name the files: patterns of paths are not followed")
		}
		c.artifacts.RunResults = append(c.artifacts.RunResults, file(r, "run_results_paths", path))
	}
	c.artifacts.Identifiers, c.artifacts.NoDatabases = r.Bool("use_identifiers", false), !r.Bool("include_database_name", true)
}

// readLineage reads the settings of lineage and siblings.
func (c *config) readLineage(r *settings.Reader) {
	l := &c.Lineage
	c.noInference, l.NoColumns = !r.Bool("infer_dbt_schemas", true), !r.Bool("include_column_lineage", true)
	if c.noInference && !l.NoColumns {
		r.Fail("include_column_lineage", "needs infer_dbt_schemas: switch off both, or none")
	}
	l.Whole, l.TablesPrimary = !r.Bool("incremental_lineage", true), !r.Bool("dbt_is_primary_sibling", true)
	prefer := r.Bool("prefer_sql_parser_lineage", false)
	l.SkipSources, l.PreferSQL = r.Bool("skip_sources_in_lineage", false), prefer && !l.NoColumns
	if prefer && !l.SkipSources {
		r.Fail("prefer_sql_parser_lineage", "needs skip_sources_in_lineage")
	}
	if l.SkipSources && !prefer && !c.Without[dbt.Sources] {
		r.Fail("skip_sources_in_lineage", "needs entities_enabled.sources NO")
	}
}

// without reads which kinds of entities are left out.
func without(entities *settings.Reader) map[dbt.Kind]bool {
	left := map[dbt.Kind]bool{}
	var only []string
	for _, kind := range dbt.Kinds() {
		name := string(kind)
		switch directive(entities, name) {
		case "NO":
			left[kind] = true
		case "ONLY":
			only = append(only, name)
		}
	}
	if len(only) > 1 {
		entities.Fail(only[1], "and "+only[0]+" cannot both be ONLY")
	}
	if len(only) > 0 {
		for _, kind := range dbt.Kinds() {
			left[kind] = string(kind) != only[0]
		}
	}
	return left
}

// directive reads YES, NO or ONLY; true and false are YES and NO.
func directive(entities *settings.Reader, name string) string {
	switch text := string(entities.JSON(name)); text {
	case "true":
		return "YES"
	case "false":
		return "NO"
	}
	return entities.OneOf(name, "YES", "YES", "NO", "ONLY")
}

// variable is a part of the address of a file.
var variable = regexp.MustCompile(`\{(repo_url|branch|file_path)\}|\{\{|\}\}`)

// repository reads where the files of the project can be looked at.
func repository(r *settings.Reader) *dbt.Repository {
	name := "git_info"
	if r.Has("github_info") {
		if name = "github_info"; r.Has("git_info") {
			r.Fail(name, "is the former name of git_info, which is there too")
		}
	}
	if !r.Has(name) {
		return nil
	}
	s := r.Section(name)
	made := &dbt.Repository{URL: s.Text("repo", ""), Branch: s.Text("branch", "main"), Folder: s.Text("url_subdir", ""), Template: s.Text("url_template", "")}
	const files = "{repo_url}/blob/{branch}/{file_path}"
	if s.Has("base_url") && made.Template == "" {
		made.Template = files // the former name of url_template, whose value the client does not use
	}
	switch {
	case made.URL == "":
		s.Fail("repo", "is missing: the repository, such as https://github.com/shop/models")
	case strings.HasPrefix(made.URL, "github.com/") || strings.HasPrefix(made.URL, "gitlab.com"):
		made.URL = "https://" + made.URL
	case strings.Count(made.URL, "/") == 1:
		made.URL = "https://github.com/" + made.URL
	}
	made.URL = strings.TrimSuffix(made.URL, "/")
	switch {
	case made.Template != "" || made.URL == "":
	case strings.HasPrefix(made.URL, "https://github.com/"):
		made.Template = files
	case strings.HasPrefix(made.URL, "https://gitlab.com/"):
		made.Template = "{repo_url}/-/blob/{branch}/{file_path}"
	default:
		s.Fail("url_template", "is missing: the address of a file, such as "+files)
	}
	if rest := variable.ReplaceAllString(made.Template, ""); strings.ContainsAny(rest, "{}") {
		s.Fail("url_template", fmt.Sprintf("%q has a brace that begins none of {repo_url}, {branch} and {file_path}", made.Template))
	}
	return made
}
