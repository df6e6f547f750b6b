package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/internal/client"
	"github.com/headwater-io/headwater/internal/nearest"
)

func newRuns(e *environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "runs",
		Short: "List ingestion runs, show what they wrote, roll them back",
		Long: `An ingestion run is everything that was written with one run id. A run is listed
as long as something that it wrote is current.

` + exitHelp,
		Args: onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRunsList(e), newRunsShow(e), newRunsRollback(e))
	return c
}

func timeOf(millis int64) string { return time.UnixMilli(millis).UTC().Format(time.RFC3339) }

func newRunsList(e *environment) *cobra.Command {
	var start, limit int
	var soft bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List runs, newest first",
		Long:    "List the runs that wrote something that is current, newest first.\n\n" + exitHelp,
		Example: "  headwater runs list --limit 10",
		Args:    exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			var runs []removal.RunSummary
			raw, err := e.post(c.Context(), "/runs?action=list", map[string]any{"pageOffset": start, "pageSize": limit, "includeSoft": soft}, &runs)
			if err != nil {
				return err
			}
			if e.output == "json" {
				return e.writeJSON(raw)
			}
			return e.writeRuns(runs, start, limit)
		},
	}
	f := c.Flags()
	f.IntVar(&start, "start", 0, "number of runs to skip")
	f.IntVar(&limit, "limit", 100, "number of runs to show, at most 10000")
	f.BoolVar(&soft, "include-soft-deleted", false, "also count aspects of soft-deleted entities")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

func newRunsShow(e *environment) *cobra.Command {
	var q removal.RunQuery
	c := &cobra.Command{
		Use:     "show RUN",
		Short:   "Show what a run wrote, if it is current",
		Long:    "Show what a run wrote, if it is current: how much of which type and aspect, then entity\nby entity, with time series at the end.\n\n" + exitHelp,
		Example: "  headwater runs show nightly-42 --limit 20",
		Args:    exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			q.RunID = args[0]
			if e.output != "json" {
				if !c.Flags().Changed("limit") {
					q.Count = runRowsShown
				}
				return e.writeRun(c.Context(), &q)
			}
			rows, raw, err := e.runRows(c.Context(), &q)
			if err != nil {
				return err
			}
			if len(rows) == 0 && q.Start == 0 {
				return e.noRun(c.Context(), q.RunID)
			}
			return e.writeJSON(raw)
		},
	}
	f := c.Flags()
	f.IntVar(&q.Start, "start", 0, "number of aspects to skip")
	f.IntVar(&q.Count, "limit", 100, "number of aspects to show, at most 10000")
	f.BoolVar(&q.IncludeSoft, "include-soft-deleted", false, "also show aspects of soft-deleted entities")
	f.BoolVar(&q.IncludeAspect, "values", false, "show the values too (with --output json)")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

// runRows reads a page of what a run wrote.
func (e *environment) runRows(ctx context.Context, q *removal.RunQuery) (rows []removal.RunRow, raw json.RawMessage, err error) {
	raw, err = e.post(ctx, "/runs?action=describe", map[string]any{
		"runId": q.RunID, "start": q.Start, "count": q.Count, "includeSoft": q.IncludeSoft, "includeAspect": q.IncludeAspect,
	}, &rows)
	return rows, raw, err
}

// noRun is the error about a run of which nothing is current. It suggests similar runs.
func (e *environment) noRun(ctx context.Context, runID string) error {
	var known []string
	for _, r := range e.latestRuns(ctx) {
		known = append(known, r.RunID)
	}
	near := nearest.Names(runID, slices.Values(known))
	return &client.Error{Status: http.StatusNotFound, Message: "nothing that the run " + runID + " wrote is current; if it was rolled back, the timelines of its entities show that" + nearest.Question(near)}
}

// latestRuns returns the newest runs, or none if they cannot be read.
func (e *environment) latestRuns(ctx context.Context) []removal.RunSummary {
	var runs []removal.RunSummary
	if _, err := e.post(ctx, "/runs?action=list", map[string]any{"pageOffset": 0, "pageSize": offeredRuns, "includeSoft": true}, &runs); err != nil {
		return nil
	}
	return runs
}

// offeredRuns is how many runs are offered where one is to be named, the newest.
const offeredRuns = 100

// rollbackOptions are the flags of runs rollback.
type rollbackOptions struct{ hard, dryRun, yes bool }

func newRunsRollback(e *environment) *cobra.Command {
	var o rollbackOptions
	c := &cobra.Command{
		Use:   "rollback RUN",
		Short: "Undo what a run wrote",
		Long: `Undo what a run wrote. Older values replace the values of the run, with their own
stamps; aspects without an older value are removed. Entities that the run created
are hidden or, with --hard, deleted with everything that anybody wrote about them.

If a rollback is interrupted, every entity is either unchanged or completely
rolled back. The rollback continues when it is started again.

` + exitHelp,
		Example: `  headwater runs rollback nightly-42 --dry-run
  headwater runs rollback nightly-42 --yes
  headwater runs rollback nightly-42 --hard`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return e.rollback(c.Context(), args[0], &o) },
	}
	f := c.Flags()
	f.BoolVar(&o.hard, "hard", false, "delete the entities that the run created, instead of hiding them")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "count, and change nothing")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

// rolledBackAtOnce is how many rows one request rolls back.
const rolledBackAtOnce = 2000

func (e *environment) rollback(ctx context.Context, runID string, o *rollbackOptions) error {
	request := map[string]any{"runId": runID, "safe": !o.hard, "dryRun": true}
	var plan removal.Rollback
	if _, err := e.post(ctx, "/runs?action=rollback", request, &plan); err != nil {
		return err
	}
	if plan.EntitiesAffected+plan.TimeSeriesRows == 0 {
		return e.noRun(ctx, runID)
	}
	if o.dryRun {
		return e.showRollback(&plan, o)
	}
	if err := e.confirm(o.yes, "This "+rollbackText(&plan, o, true)+"."); err != nil {
		return err
	}
	request["dryRun"], request["limit"] = false, rolledBackAtOnce
	total := removal.Rollback{Rows: []removal.RunRow{}, UnsafeEntities: []removal.UnsafeEntity{}}
	bar := e.countBar("rolling back", int(plan.AspectsReverted))
	defer bar.finish()
	for {
		var part removal.Rollback
		if _, err := e.post(ctx, "/runs?action=rollback", request, &part); err != nil {
			return fmt.Errorf("%w (%d aspects are reverted; the same command continues)", err, total.AspectsReverted)
		}
		total.Add(&part)
		bar.set(int(total.AspectsReverted))
		if part.Next == "" {
			bar.finish()
			return e.showRollback(&total, o)
		}
		request["after"] = part.Next
	}
}

// rollbackText says what a rollback does or, otherwise, did.
func rollbackText(r *removal.Rollback, o *rollbackOptions, does bool) string {
	takes, made := "reverted", "hid"
	switch {
	case does && o.hard:
		takes, made = "reverts", "deletes"
	case does:
		takes, made = "reverts", "hides"
	case o.hard:
		made = "deleted"
	}
	text := fmt.Sprintf("%s %s of %s", takes, plural(int(r.AspectsReverted), "aspect", "aspects"), plural(int(r.EntitiesAffected), "entity", "entities"))
	if r.TimeSeriesRows > 0 {
		text += " and " + plural(int(r.TimeSeriesRows), "time-series value", "time-series values")
	}
	return text + fmt.Sprintf(", and %s %s that the run created", made, plural(int(r.EntitiesDeleted), "entity", "entities"))
}

func (e *environment) showRollback(r *removal.Rollback, o *rollbackOptions) error {
	if e.output == "json" {
		return e.writeJSON(r)
	}
	text := rollbackText(r, o, o.dryRun)
	if o.dryRun {
		text = "a rollback " + text
		if err := e.writeRunRows(r.Rows); err != nil {
			return err
		}
	}
	fmt.Fprintln(e.stdout, text)
	if r.UnsafeEntitiesCount > 0 {
		fmt.Fprintf(e.stdout, "others wrote %s of %s among these, for example of\n",
			plural(int(r.AspectsAffected), "aspect", "aspects"), plural(int(r.UnsafeEntitiesCount), "entity", "entities"))
		for i := range min(len(r.UnsafeEntities), shownFailures) {
			fmt.Fprintf(e.stdout, "  %s\n", r.UnsafeEntities[i].URN)
		}
	}
	return nil
}
