package history

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
)

func newRuns(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "runs",
		Short: "List ingestion runs, show what they wrote, roll them back",
		Long: `An ingestion run is everything that was written with one run id. A run is listed
as long as something that it wrote is current.

` + cli.ExitHelp,
		Args: cli.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRunsList(e), newRunsShow(e), newRunsRollback(e))
	return c
}

func newRunsList(e *cli.Environment) *cobra.Command {
	var q runsQuery
	c := &cobra.Command{
		Use:   "list",
		Short: "List runs, newest first",
		Long: `List the runs that wrote something that is current, and those that were rolled
back, newest first. The counts are those of a rollback: with --include-soft-deleted,
those of one with --hard. Of a run that was rolled back, what was rolled back is counted.

Bookkeeping is left out: what was written without a run (no-run-id-provided), and
what every catalog has.

` + cli.ExitHelp,
		Example: `  headwater runs list --limit 10
  headwater runs list --pipeline nightly`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			runs, raw, err := listRuns(c.Context(), e, &q)
			if err != nil {
				return err
			}
			if len(runs) == 0 && q.Pipeline != "" && q.Start == 0 {
				return noPipeline(c.Context(), e, q.Pipeline)
			}
			if e.Output == "json" {
				return e.WriteJSON(raw)
			}
			return writeRuns(e, runs, q.Start, q.Count)
		},
	}
	f := c.Flags()
	f.IntVar(&q.Start, "start", 0, "number of runs to skip")
	f.IntVar(&q.Count, "limit", limits.DefaultRuns, fmt.Sprintf("number of runs to show, at most %d", limits.MaxRunCount))
	f.StringVar(&q.Pipeline, "pipeline", "", "only the runs of this pipeline")
	f.BoolVar(&q.Bookkeeping, "bookkeeping", false, "also list bookkeeping")
	f.BoolVar(&q.IncludeSoft, "include-soft-deleted", false, "also count aspects of entities that others soft-deleted")
	e.ClientFlags(c)
	e.OutputFlag(c)
	e.CompleteFlag(c, "pipeline", completePipelines(e))
	return c
}

// runsQuery asks for a page of runs.
type runsQuery struct {
	Start       int    `json:"pageOffset"`
	Count       int    `json:"pageSize"`
	IncludeSoft bool   `json:"includeSoft"`
	Bookkeeping bool   `json:"bookkeeping"`
	Pipeline    string `json:"pipeline"`
	RunID       string `json:"runId"`
	Overview    bool   `json:"overview"`
}

// listRuns reads a page of runs, including those rolled back.
func listRuns(ctx context.Context, e *cli.Environment, q *runsQuery) (runs []removal.RunSummary, raw json.RawMessage, err error) {
	q.Overview = true
	raw, err = e.Post(ctx, "/runs?action=list", q, &runs)
	return runs, raw, err
}

func newRunsShow(e *cli.Environment) *cobra.Command {
	var q removal.RunQuery
	c := &cobra.Command{
		Use:     "show RUN",
		Short:   "Show what a run wrote, if it is current",
		Long:    "Show what a run wrote, if it is current: how much of which type and aspect, then entity\nby entity, with time series at the end.\n\n" + cli.ExitHelp,
		Example: "  headwater runs show nightly-42 --limit 20",
		Args:    cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			q.RunID = args[0]
			if e.Output != "json" {
				if !c.Flags().Changed("limit") {
					q.Count = runRowsShown
				}
				return writeRun(c.Context(), e, &q)
			}
			rows, raw, err := runRows(c.Context(), e, &q)
			if err != nil {
				return err
			}
			if len(rows) == 0 && q.Start == 0 {
				return noRun(c.Context(), e, q.RunID)
			}
			return e.WriteJSON(raw)
		},
	}
	f := c.Flags()
	f.IntVar(&q.Start, "start", 0, "number of aspects to skip")
	f.IntVar(&q.Count, "limit", limits.DefaultRunRows, fmt.Sprintf("number of aspects to show, at most %d", limits.MaxPageCount))
	f.BoolVar(&q.IncludeSoft, "include-soft-deleted", false, "also show aspects of entities that others soft-deleted")
	f.BoolVar(&q.IncludeAspect, "values", false, "show the values too (with --output json)")
	e.ClientFlags(c)
	e.OutputFlag(c)
	e.CompleteArgs(c, 1, completeRuns(e))
	return c
}

// runRows reads a page of the rows that a run wrote.
func runRows(ctx context.Context, e *cli.Environment, q *removal.RunQuery) (rows []removal.RunRow, raw json.RawMessage, err error) {
	raw, err = e.Post(ctx, "/runs?action=describe", map[string]any{
		"runId": q.RunID, "start": q.Start, "count": q.Count, "includeSoft": q.IncludeSoft, "includeAspect": q.IncludeAspect,
	}, &rows)
	return rows, raw, err
}

// noRun returns the error about a run without current values. It says when the run was
// rolled back, or suggests runs with similar names.
func noRun(ctx context.Context, e *cli.Environment, runID string) error {
	runs, _, err := listRuns(ctx, e, &runsQuery{RunID: runID, Count: 1})
	if err == nil && len(runs) > 0 && runs[0].RolledBack {
		return &client.Error{Status: http.StatusNotFound, Message: fmt.Sprintf("the run %s was rolled back at %s by %s; nothing that it wrote is current", runID, show.TimeOf(runs[0].RolledBackAt), runs[0].RolledBackBy)}
	}
	var known []string
	for _, r := range latestRuns(ctx, e) {
		known = append(known, r.RunID)
	}
	near := nearest.Names(runID, slices.Values(known))
	return &client.Error{Status: http.StatusNotFound, Message: "nothing that the run " + runID + " wrote is current; if it was rolled back, the timelines of its entities show that" + nearest.Question(near)}
}

// noPipeline returns the error about a pipeline without a known run. It suggests pipelines
// with similar names.
func noPipeline(ctx context.Context, e *cli.Environment, pipeline string) error {
	near := nearest.Names(pipeline, slices.Values(latestPipelines(ctx, e)))
	return &client.Error{Status: http.StatusNotFound, Message: "no run of the pipeline " + pipeline + " is known" + nearest.Question(near)}
}

// latestPipelines returns the pipelines of the newest runs.
func latestPipelines(ctx context.Context, e *cli.Environment) []string {
	var found []string
	for _, r := range latestRuns(ctx, e) {
		if r.Pipeline != "" && !slices.Contains(found, r.Pipeline) {
			found = append(found, r.Pipeline)
		}
	}
	return found
}

// latestRuns returns the newest runs, or none if they cannot be read.
func latestRuns(ctx context.Context, e *cli.Environment) []removal.RunSummary {
	runs, _, err := listRuns(ctx, e, &runsQuery{Count: offeredRuns, IncludeSoft: true})
	if err != nil {
		return nil
	}
	return runs
}

// offeredRuns is how many of the newest runs completions and suggestions consider.
const offeredRuns = 100
