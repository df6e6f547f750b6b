package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/sending"
	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/run"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// sourceIngestion are the flags of ingest source.
type sourceIngestion struct {
	dryRun, test bool
	cache        string
	report       string
	sending      sending.Flags
}

func newIngestSource(e *cli.Environment) *cobra.Command {
	var s sourceIngestion
	c := &cobra.Command{
		Use:   "source RECIPE",
		Short: "Read a database or the artifacts of dbt as a recipe says, without Python",
		Long: `Read a database or the artifacts of dbt as a recipe of DataHub's Python client says,
without Python, and write what they contain to a server: tables, views with their
lineage, procedures, and profiles where the recipe asks for them; models, tests and
runs of dbt. URNs and aspects are those that the client gives. RECIPE is a file in YAML or JSON; - is standard input. ` + "${NAME}" + ` in it is a
variable of the environment.

Sources of the types postgres, mysql, mariadb and dbt are read, and of sqlalchemy with
SQLite.
Other types, and recipes with settings that only the client knows, are refused;
docs/connectors.md has all settings.

The sink of the recipe is not used: proposals go to the server of this command. If the
recipe has a pipeline_name, what the source no longer has is marked as removed, unless
stateful_ingestion says otherwise. --dry-run prints the proposals as JSON lines instead,
and needs no server. --test only says what could be read.

` + cli.ExitHelp,
		Example: `  PASSWORD=… headwater ingest source postgres.yml
  headwater ingest source postgres.yml --test
  headwater ingest source postgres.yml --dry-run | jq .entityUrn`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return s.run(e, c, args[0]) },
	}
	f := c.Flags()
	f.BoolVar(&s.test, "test", false, "connect to the source and say what can be read, but read nothing")
	f.BoolVar(&s.dryRun, "dry-run", false, "print the proposals as JSON lines, but send nothing")
	f.StringVar(&s.cache, "cache-dir", "", "directory of the compiled SQL parser (default: the user's cache directory)")
	f.StringVar(&s.report, "report", "", "file to which a report is written, in the form of the Python client's")
	s.sending.Add(e, c)
	return c
}

func (s *sourceIngestion) run(e *cli.Environment, c *cobra.Command, name string) error {
	recipe, err := readRecipe(e, name)
	if err != nil {
		return cli.BadUsage(fmt.Errorf("%s: %w", name, err))
	}
	return s.runRecipe(e, c, name, recipe)
}

// runRecipe runs a recipe that was read from the file of the name.
func (s *sourceIngestion) runRecipe(e *cli.Environment, c *cobra.Command, name string, recipe *run.Recipe) error {
	finish, err := s.sending.Prepare(e)
	if err != nil {
		return err
	}
	defer finish()
	defer boundMemory()()
	cache, err := cli.ParserCache(s.cache)
	if err != nil {
		return err
	}
	sql := &lineage.Reader{Parser: parser.New(cache)}
	defer sql.Parser.Close()
	var states connectors.Checkpoints
	if !s.dryRun {
		states = run.Remote{Client: e.Client()}
	}
	r, err := run.New(recipe, sql, states)
	if err != nil {
		return cli.BadUsage(fmt.Errorf("%s: %w", name, err))
	}
	if s.test {
		return s.testSource(e, c.Context(), r)
	}
	s.sending.Options.Pipeline = recipe.Pipeline
	if recipe.RunID != "" && !c.Flags().Changed("run-id") {
		s.sending.Options.RunID = recipe.RunID
	}
	return s.send(e, c, name, r)
}

// readingMemory is how much memory the reading of a source aims at. The SQL parser takes half of this memory, and the
// garbage collector would otherwise let the heap grow far beyond it.
const readingMemory = 120 << 20

// boundMemory makes the collector work harder near the bound, unless the environment has set one. It returns how to end
// that.
func boundMemory() func() {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	debug.SetMemoryLimit(readingMemory)
	return func() { debug.SetMemoryLimit(math.MaxInt64) }
}

func readRecipe(e *cli.Environment, name string) (*run.Recipe, error) {
	if name == "-" {
		return run.ReadRecipe(e.Stdin, run.OSVariable)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return run.ReadRecipe(file, run.OSVariable)
}

// send writes the contents of the source, and then the state of the run.
func (s *sourceIngestion) send(e *cli.Environment, c *cobra.Command, name string, r *run.Run) error {
	o := &s.sending.Options
	o.DryRun = s.dryRun
	began := time.Now()
	lines := sending.NewSource(r.Proposals(c.Context()))
	defer lines.Close()
	var from io.Reader = lines
	if s.dryRun {
		from = io.TeeReader(lines, e.Stdout)
	}
	summary, err := ingest.Stream(c.Context(), name, from, *o)
	stopped := sending.IsStopped(err)
	showReport(e, &r.Report)
	if err := s.writeReport(runReport(r, &summary, err)); err != nil {
		return err
	}
	if err != nil && !stopped {
		return fmt.Errorf("%s: %w (%d proposals are written)", sending.FileName(name), err, summary.Succeeded)
	}
	if !s.dryRun && !stopped && summary.Failed == 0 {
		state, err := s.state(c.Context(), r)
		if err != nil {
			return fmt.Errorf("the state of the source: %w", err)
		}
		summary.Add(state)
	}
	if s.dryRun {
		sending.ShowRefused(e, &summary)
	} else if err := sending.Show(e, o, &summary, time.Since(began), stopped); err != nil {
		return err
	}
	if err := sending.Error(&summary, stopped); err != nil {
		return err
	}
	if len(r.Report.Failures) > 0 {
		return errors.New("not all of the source could be read")
	}
	return nil
}

func (s *sourceIngestion) state(ctx context.Context, r *run.Run) (ingest.Summary, error) {
	proposals := r.State(s.sending.Options.RunID)
	if len(proposals) == 0 {
		return ingest.Summary{}, nil
	}
	lines := sending.NewSource(all(proposals))
	defer lines.Close()
	return ingest.Stream(ctx, "state", lines, s.sending.Options)
}

func all(proposals []*model.FileProposal) iter.Seq2[*model.FileProposal, error] {
	return func(yield func(*model.FileProposal, error) bool) {
		for _, p := range proposals {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// showReport shows on standard error the parts that could not be read.
func showReport(e *cli.Environment, r *connectors.Report) {
	for _, list := range []struct {
		word string
		of   []string
		more int
	}{{"failure", r.Failures, r.MoreFailures}, {"warning", r.Warnings, r.MoreWarnings}} {
		for _, text := range list.of {
			fmt.Fprintf(e.Stderr, "%s: %s\n", list.word, screen.Line(text))
		}
		if list.more > 0 {
			fmt.Fprintf(e.Stderr, "%s: and %d more\n", list.word, list.more)
		}
	}
}

// testSource shows the capabilities of a source.
func (s *sourceIngestion) testSource(e *cli.Environment, ctx context.Context, r *run.Run) error {
	found, err := r.Connector.Test(ctx, r.Recipe.Source.Config)
	if err != nil {
		return cli.BadUsage(err)
	}
	if err := s.writeReport(testReport(found)); err != nil {
		return err
	}
	if found.Basic != nil {
		return fmt.Errorf("the source cannot be reached: %w", found.Basic)
	}
	fmt.Fprintln(e.Stdout, "the source can be reached")
	for _, ability := range slices.Sorted(maps.Keys(found.Found)) {
		answer := "yes"
		if why := found.Found[ability]; why != nil {
			answer = "no: " + screen.Line(why.Error())
		}
		fmt.Fprintf(e.Stdout, "  %s: %s\n", ability, answer)
	}
	return nil
}
