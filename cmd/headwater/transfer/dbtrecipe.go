package transfer

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/connectors/run"
)

// runRecipe runs the recipe of ingest dbt, with the artifacts of a directory.
func (d *dbtIngestion) runRecipe(e *cli.Environment, c *cobra.Command, dir string) error {
	artifacts, err := d.artifacts(dir)
	if err != nil {
		return err
	}
	recipe, err := readRecipe(e, d.recipe)
	if err != nil {
		return cli.BadUsage(fmt.Errorf("%s: %w", d.recipe, err))
	}
	if recipe.Source.Type != "dbt" {
		return cli.BadUsage(fmt.Errorf("%s: the recipe is for %s, and not for dbt: headwater ingest source runs it", d.recipe, recipe.Source.Type))
	}
	if recipe.Source.Config == nil {
		recipe.Source.Config = map[string]any{}
	}
	config := recipe.Source.Config
	for _, name := range []string{"catalog_path", "sources_path", "run_results_path", "test_results_path"} {
		delete(config, name)
	}
	config["manifest_path"] = artifacts.Manifest.Name
	if artifacts.Catalog != nil {
		config["catalog_path"] = artifacts.Catalog.Name
	}
	if artifacts.Sources != nil {
		config["sources_path"] = artifacts.Sources.Name
	}
	results := make([]any, len(artifacts.RunResults))
	for i, file := range artifacts.RunResults {
		results[i] = file.Name
	}
	config["run_results_paths"] = results
	if err := d.override(c, recipe); err != nil {
		return cli.BadUsage(fmt.Errorf("%s: %w", d.recipe, err))
	}
	source := sourceIngestion{dryRun: d.dryRun, cache: d.cache, sending: d.sending}
	return source.runRecipe(e, c, d.recipe, recipe)
}

// override makes the flags that were given count more than the recipe.
func (d *dbtIngestion) override(c *cobra.Command, recipe *run.Recipe) error {
	config := recipe.Source.Config
	for flag, setting := range map[string]struct {
		name  string
		value any
	}{
		"platform": {"target_platform", d.settings.Platform}, "env": {"env", d.settings.Env},
		"platform-instance": {"platform_instance", d.settings.Instance}, "target-platform-instance": {"target_platform_instance", d.settings.TargetInstance},
	} {
		if c.Flags().Changed(flag) {
			config[setting.name] = setting.value
		}
	}
	if d.noColumns {
		config["include_column_lineage"], config["infer_dbt_schemas"] = false, false
	}
	if !d.noTests {
		return nil
	}
	entities := map[string]any{}
	switch given := config["entities_enabled"].(type) {
	case nil:
	case map[string]any:
		entities = given
	default:
		return fmt.Errorf("source.config.entities_enabled must be a section with settings of its own")
	}
	entities["test_definitions"], entities["test_results"] = "NO", "NO"
	config["entities_enabled"] = entities
	return nil
}
