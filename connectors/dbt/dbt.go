// Package dbt reads the artifacts of a dbt project as the source "dbt" of DataHub's Python client does, without it.
package dbt

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// Connector implements connectors.Connector.
type Connector struct {
	// SQL reads the lineage between columns from the compiled code of models.
	SQL *lineage.Reader
	// Stored has the owners and tags that are kept. Without it, they are replaced.
	Stored Stored
}

// Type implements connectors.Connector.
func (*Connector) Type() string { return "dbt" }

// config are the settings of a recipe.
type config struct {
	dbt.Settings
	artifacts dbt.Artifacts
	noColumns bool
	// override replaces the owners and tags of dbt's datasets.
	override bool
}

// read reads the settings, which have the names and meanings that they have in the client.
func read(values map[string]any) (*config, *settings.Reader) {
	r := settings.New(values)
	c := &config{Settings: dbt.Settings{
		Platform: r.Text("target_platform", ""), Env: r.Text("env", "PROD"),
		Instance: r.Text("platform_instance", ""), TargetInstance: r.Text("target_platform_instance", ""),
	}}
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
	if path := r.Text("manifest_path", ""); path == "" {
		r.Fail("manifest_path", "is missing: the path of the manifest.json that dbt writes")
	} else {
		c.artifacts.Manifest = file(r, "manifest_path", path)
	}
	c.artifacts.Catalog = optional(r, "catalog_path")
	c.artifacts.Sources = optional(r, "sources_path")
	for _, path := range r.Texts("run_results_paths", limits.DBTRunResults) {
		c.artifacts.RunResults = append(c.artifacts.RunResults, file(r, "run_results_paths", path))
	}
	c.noColumns = !r.Bool("include_column_lineage", true)
	c.override = r.OneOf("write_semantics", "PATCH", "PATCH", "OVERRIDE") == "OVERRIDE"
	c.Patterns, c.Mappings = patterns(r), mappings(r)
	entities := r.Section("entities_enabled")
	c.NoTests = tests(entities)
	r.Section("stateful_ingestion").WithoutEffect("enabled", "remove_stale_metadata", "fail_safe_threshold", "ignore_old_state", "ignore_new_state")
	onlyDefaults(r)
	return c, r
}

// tests reports whether tests and their results are left out. Other kinds of entities can be left out by the client
// only.
func tests(entities *settings.Reader) bool {
	choice := func(name string) string { return entities.OneOf(name, "YES", "YES", "NO", "ONLY") }
	definitions := choice("test_definitions")
	if definitions != choice("test_results") || definitions == "ONLY" {
		entities.Foreign("test_definitions")
	}
	for _, name := range []string{"catalog_stats", "exposures", "model_performance", "models", "queries", "seeds", "semantic_models", "snapshots", "sources"} {
		if choice(name) != "YES" {
			entities.Foreign(name)
		}
	}
	return definitions == "NO"
}

// usual are the settings that may be given with the client's default only.
var usual = map[string]bool{
	"include_compiled_code": true,
	"include_database_name": true, "dbt_is_primary_sibling": true, "infer_dbt_schemas": true, "use_identifiers": false,
	"prefer_sql_parser_lineage": false, "skip_sources_in_lineage": false, "incremental_lineage": true,
	"convert_urns_to_lowercase": true, "emit_target_platform_display_name": true, "emit_target_platform_instance_aspects": true,
	"skip_missing_upstreams_in_lineage": false, "test_warnings_are_errors": false, "include_env_in_assertion_guid": false, "drop_duplicate_sources": true, "only_include_if_in_catalog": false,
}

func onlyDefaults(r *settings.Reader) {
	for name, usually := range usual {
		if r.Bool(name, usually) != usually {
			r.Foreign(name)
		}
	}
	r.OnlyFalse("aws_connection", "gcs_connection", "git_info", "owner_extraction_pattern", "semantic_model_project_name")
	r.WithoutEffect("artifact_read_concurrency")
}

// file returns a file of this machine. What is elsewhere is for the client.
func file(r *settings.Reader, name, path string) dbt.File {
	if strings.Contains(path, "://") {
		r.Foreign(name)
	}
	return dbt.FileAt(path)
}

func optional(r *settings.Reader, name string) *dbt.File {
	path := r.Text(name, "")
	if path == "" {
		return nil
	}
	f := file(r, name, path)
	return &f
}

// Unknown implements connectors.Connector.
func (*Connector) Unknown(values map[string]any) []string {
	_, r := read(values)
	return r.Unknown()
}

// Test implements connectors.Connector: the files that the recipe names can be opened.
func (*Connector) Test(_ context.Context, values map[string]any) (*connectors.Capabilities, error) {
	c, r := read(values)
	if err := r.Err(); err != nil {
		return nil, err
	}
	found := &connectors.Capabilities{Basic: opens(c.artifacts.Manifest), Found: map[string]error{}}
	for ability, f := range map[string]*dbt.File{"columns": c.artifacts.Catalog, "freshness": c.artifacts.Sources} {
		found.Found[ability] = errors.New("the recipe does not name the file")
		if f != nil {
			found.Found[ability] = opens(*f)
		}
	}
	for _, f := range c.artifacts.RunResults {
		if err := opens(f); err != nil {
			found.Found["run results"] = err
		}
	}
	return found, nil
}

func opens(f dbt.File) error {
	info, err := os.Stat(f.Name)
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "open", Path: f.Name, Err: errors.New("it is a directory")}
	}
	return err
}

// Read implements connectors.Connector.
func (k *Connector) Read(ctx context.Context, values map[string]any, report *connectors.Report) iter.Seq2[*model.FileProposal, error] {
	return func(yield func(*model.FileProposal, error) bool) {
		proposals, err := k.proposals(ctx, values, report)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range proposals {
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			if !yield(&proposals[i], nil) {
				return
			}
		}
	}
}

func (k *Connector) proposals(ctx context.Context, values map[string]any, report *connectors.Report) ([]model.FileProposal, error) {
	c, r := read(values)
	if err := r.Err(); err != nil {
		return nil, err
	}
	project, err := dbt.Read(c.artifacts)
	if err != nil {
		return nil, err
	}
	for _, note := range project.Notes {
		report.Warn("%s", note)
	}
	c.Now = time.Now()
	if err := k.columns(ctx, c, project, report); err != nil {
		return nil, err
	}
	c.LeftOut = report.Filter
	proposals, notes := project.Proposals(c.Settings)
	for _, note := range notes {
		report.Warn("%s", note)
	}
	if !c.override && k.Stored != nil {
		if err := keep(ctx, k.Stored, c.Mappings.Prefix(), proposals); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for i := range proposals {
		if p := &proposals[i]; !seen[p.EntityURN] {
			seen[p.EntityURN] = true
			report.Scan(p.EntityType)
		}
	}
	return proposals, nil
}

// columns reads from which columns the columns of models follow.
func (k *Connector) columns(ctx context.Context, c *config, project *dbt.Project, report *connectors.Report) error {
	if c.noColumns || k.SQL == nil {
		return nil
	}
	unread, err := project.ReadColumns(ctx, k.SQL, c.Platform)
	for _, note := range unread {
		report.Warn("%s", note)
	}
	return err
}
