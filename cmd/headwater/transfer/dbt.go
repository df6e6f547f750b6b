package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/sending"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// dbtIngestion are the flags of ingest dbt.
type dbtIngestion struct {
	settings          dbt.Settings
	results           []string
	sources, recipe   string
	dryRun, noColumns bool
	noTests           bool
	cache             string
	sending           sending.Flags
}

func newIngestDBT(e *cli.Environment) *cobra.Command {
	var d dbtIngestion
	c := &cobra.Command{
		Use:   "dbt DIR",
		Short: "Write the models, tests and runs of a dbt project to a server",
		Long: `Write the models, tests and runs of a dbt project to a server. DIR is the directory in
which dbt leaves its artifacts, usually target/. It needs manifest.json there, and
also reads, if they are there: catalog.json, in which "dbt docs generate" lists the
columns; sources.json of "dbt source freshness"; run_results.json, unless it is the
one of "dbt docs generate", which tells nothing.

Every model, seed, snapshot and source becomes a dataset of dbt, with the table on
the platform beside it. Tests become assertions with their results, exposures become
dashboards. URNs and aspects are those that the dbt source of DataHub's Python client
1.7 gives with the same settings.

--recipe takes the settings of a recipe of the client: rules, patterns, what is left
out. Its paths do not count, because DIR has the artifacts; the other flags count more
than the recipe. The run is then one of "headwater ingest source", with its report and,
if the recipe has a pipeline_name, with its state.

Proposals are sent as "headwater ingest" sends those of a file. --dry-run prints them
as JSON lines instead, checks them against the model, and needs no server.

` + cli.ExitHelp,
		Example: `  headwater ingest dbt target/
  headwater ingest dbt target/ --platform snowflake --env DEV --platform-instance shop
  headwater ingest dbt target/ --run-results build.json --run-results test.json
  headwater ingest dbt target/ --recipe dbt.yml
  headwater ingest dbt target/ --dry-run | jq .entityUrn`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return d.run(e, c, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&d.settings.Platform, "platform", "", "platform on which dbt builds its tables, such as postgres (default: the adapter's type in the manifest)")
	f.StringVar(&d.settings.Env, "env", "PROD", "environment in the URNs of datasets")
	f.StringVar(&d.settings.Instance, "platform-instance", "", "platform instance of dbt, which tells several projects apart")
	f.StringVar(&d.settings.TargetInstance, "target-platform-instance", "", "platform instance of the platform on which dbt builds its tables")
	f.StringArrayVar(&d.results, "run-results", nil, "file of run results; the flag may be repeated (default: run_results.json in DIR, if it is there)")
	f.StringVar(&d.sources, "sources", "", "file of freshness results (default: sources.json in DIR, if it is there)")
	f.StringVar(&d.recipe, "recipe", "", "recipe of the client in YAML or JSON, whose settings count; - is standard input")
	f.BoolVar(&d.noTests, "no-tests", false, "leave out tests, freshness checks and their results")
	f.BoolVar(&d.noColumns, "no-column-lineage", false, "do not read the compiled code, which tells from which columns the columns of models follow, and those of ephemeral models")
	f.StringVar(&d.cache, "cache-dir", "", "directory of the compiled SQL parser (default: the user's cache directory)")
	f.BoolVar(&d.dryRun, "dry-run", false, "print the proposals as JSON lines, but send nothing")
	d.sending.Add(e, c)
	return c
}

func (d *dbtIngestion) run(e *cli.Environment, c *cobra.Command, dir string) error {
	if d.recipe != "" {
		return d.runRecipe(e, c, dir)
	}
	finish, err := d.sending.Prepare(e)
	if err != nil {
		return err
	}
	defer finish()
	artifacts, err := d.artifacts(dir)
	if err != nil {
		return err
	}
	project, err := dbt.Read(artifacts)
	if err != nil {
		return err
	}
	if err := d.names(project.Adapter); err != nil {
		return err
	}
	d.settings.Now = time.Now()
	if d.noTests {
		d.settings.Without = map[dbt.Kind]bool{dbt.TestDefinitions: true, dbt.TestResults: true}
	}
	unread, err := d.columns(c.Context(), project)
	if err != nil {
		return err
	}
	proposals, notes := project.Proposals(d.settings)
	for _, note := range slices.Concat(project.Notes, unread, notes) {
		fmt.Fprintln(e.Stderr, screen.Line(note))
	}
	lines, err := sending.Lines(proposals)
	if err != nil {
		return err
	}
	began := time.Now() // the time of sending
	d.sending.Options.DryRun = d.dryRun
	bar := e.BytesBar(dir)
	if !d.dryRun {
		d.sending.Options.Progress = bar.Report
	}
	summary, err := ingest.Stream(c.Context(), dir, bytes.NewReader(lines), d.sending.Options)
	bar.Finish()
	stopped := sending.IsStopped(err)
	if err != nil && !stopped {
		return fmt.Errorf("%s: %w (%d of %d proposals are written; the same command writes all of them)", sending.FileName(dir), err, summary.Succeeded, len(proposals))
	}
	if !d.dryRun {
		if err := sending.Show(e, &d.sending.Options, &summary, time.Since(began), stopped); err != nil {
			return err
		}
		return sending.Error(&summary, stopped)
	}
	sending.ShowRefused(e, &summary)
	if _, err := e.Stdout.Write(lines); err != nil {
		return err
	}
	return sending.Error(&summary, stopped)
}

// columns reads from which columns the columns of models follow. It returns sentences about code that was not
// understood.
func (d *dbtIngestion) columns(ctx context.Context, project *dbt.Project) ([]string, error) {
	if d.noColumns {
		return nil, nil
	}
	cache, err := cli.ParserCache(d.cache)
	if err != nil {
		return nil, err
	}
	reader := &lineage.Reader{Parser: parser.New(cache)}
	defer reader.Parser.Close()
	unread, err := project.ReadColumns(ctx, reader, d.settings.Platform)
	if err != nil {
		return nil, err
	}
	project.InferColumns()
	return unread, nil
}

// artifacts returns the files to read.
func (d *dbtIngestion) artifacts(dir string) (dbt.Artifacts, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a file: name the directory of the artifacts; a file of the name dbt is ingested as ./dbt", dir)
	}
	if err != nil {
		return dbt.Artifacts{}, cli.BadUsage(err)
	}
	if len(d.results) > limits.DBTRunResults {
		return dbt.Artifacts{}, cli.BadUsage(fmt.Errorf("--run-results may name %d files", limits.DBTRunResults))
	}
	a := dbt.Artifacts{Manifest: dbt.FileAt(filepath.Join(dir, "manifest.json"))}
	if _, err := os.Stat(a.Manifest.Name); errors.Is(err, fs.ErrNotExist) {
		return a, fmt.Errorf("there is no %s: dbt writes it with every command that reads the project, such as dbt build", a.Manifest.Name)
	}
	if a.Catalog, err = optional(filepath.Join(dir, "catalog.json")); err != nil {
		return a, err
	}
	if a.Sources, err = optional(filepath.Join(dir, "sources.json")); err != nil {
		return a, err
	}
	if d.sources != "" {
		named := dbt.FileAt(d.sources)
		a.Sources = &named
	}
	for _, name := range d.results {
		a.RunResults = append(a.RunResults, dbt.FileAt(name))
	}
	if d.results == nil {
		found, err := optional(filepath.Join(dir, "run_results.json"))
		if err != nil {
			return a, err
		}
		if found != nil {
			a.RunResults = []dbt.File{*found}
		}
	}
	return a, nil
}

// optional returns a file that need not be there, nil if it is not.
func optional(name string) (*dbt.File, error) {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	file := dbt.FileAt(name)
	return &file, nil
}

// urnPart matches the name of a platform or an environment: it is a part of URNs.
var urnPart = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// names checks the names in URNs. The platform is that of the adapter unless it is given.
func (d *dbtIngestion) names(adapter string) error {
	if d.settings.Platform == "" {
		d.settings.Platform = adapter
	}
	switch {
	case d.settings.Platform == "":
		return cli.BadUsage(errors.New("the manifest does not name an adapter: name the platform with --platform"))
	case d.settings.Platform == "dbt":
		return cli.BadUsage(errors.New("--platform is the platform on which dbt builds its tables, such as postgres, and not dbt"))
	case !urnPart.MatchString(d.settings.Platform):
		return cli.BadUsage(fmt.Errorf("--platform: %q must consist of letters, digits, and _ . -", d.settings.Platform))
	case !urnPart.MatchString(d.settings.Env):
		return cli.BadUsage(fmt.Errorf("--env: %q must consist of letters, digits, and _ . -", d.settings.Env))
	}
	return nil
}
