package main

import (
	"context"
	"fmt"
	"net/http"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/client"
)

func newRuns(e *environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "runs",
		Short: "List ingestion runs, show what they wrote, take them back",
		Long: `An ingestion run is everything that was written with one run id. A run is there
as long as something is current that it wrote.

` + exitHelp,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no verb runs %q; see headwater runs --help", args[0])}
			}
			return nil
		},
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
		Short:   "List runs, the newest first",
		Long:    "List the runs of which something is current, the newest first.\n\n" + exitHelp,
		Example: "  headwater runs list --limit 10",
		Args:    exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			var runs []catalog.RunSummary
			raw, err := e.post(c.Context(), "/runs?action=list", map[string]any{"pageOffset": start, "pageSize": limit, "includeSoft": soft}, &runs)
			if err != nil {
				return err
			}
			if e.output == "json" {
				return e.writeJSON(raw)
			}
			w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "run\taspects\ttime-series values\tlast written")
			for _, r := range runs {
				fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", r.RunID, r.Rows, r.TimeSeriesRows, timeOf(r.Timestamp))
			}
			return w.Flush()
		},
	}
	f := c.Flags()
	f.IntVar(&start, "start", 0, "how many runs to pass over")
	f.IntVar(&limit, "limit", 100, "how many runs to show, at most 10000")
	f.BoolVar(&soft, "include-soft-deleted", false, "count what soft-deleted entities have, too")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

func newRunsShow(e *environment) *cobra.Command {
	var q catalog.RunQuery
	c := &cobra.Command{
		Use:     "show RUN",
		Short:   "Show what a run wrote that is current",
		Long:    "Show what a run wrote that is current, entity by entity, then its time series.\n\n" + exitHelp,
		Example: "  headwater runs show nightly-42 --limit 20",
		Args:    exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var rows []catalog.RunRow
			raw, err := e.post(c.Context(), "/runs?action=describe", map[string]any{
				"runId": args[0], "start": q.Start, "count": q.Count, "includeSoft": q.IncludeSoft, "includeAspect": q.IncludeAspect,
			}, &rows)
			if err != nil {
				return err
			}
			if len(rows) == 0 && q.Start == 0 {
				return noRun(args[0])
			}
			if e.output == "json" {
				return e.writeJSON(raw)
			}
			return e.writeRunRows(rows)
		},
	}
	f := c.Flags()
	f.IntVar(&q.Start, "start", 0, "how many aspects to pass over")
	f.IntVar(&q.Count, "limit", 100, "how many aspects to show, at most 10000")
	f.BoolVar(&q.IncludeSoft, "include-soft-deleted", false, "of soft-deleted entities, too")
	f.BoolVar(&q.IncludeAspect, "values", false, "with the values (with --output json)")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

func noRun(runID string) error {
	return &client.Error{Status: http.StatusNotFound, Message: "nothing is current that the run " + runID + " wrote"}
}

func (e *environment) writeRunRows(rows []catalog.RunRow) error {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for i := range rows {
		note := ""
		switch r := &rows[i]; {
		case r.KeyAspect:
			note = "made"
		case r.TimeSeriesRows > 0:
			note = plural(int(r.TimeSeriesRows), "value", "values")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", rows[i].URN, rows[i].AspectName, timeOf(rows[i].Timestamp), note)
	}
	return w.Flush()
}

// rollbackOptions are the flags of runs rollback.
type rollbackOptions struct{ hard, dryRun, yes bool }

func newRunsRollback(e *environment) *cobra.Command {
	var o rollbackOptions
	c := &cobra.Command{
		Use:   "rollback RUN",
		Short: "Take back what a run wrote",
		Long: `Take back what a run wrote: older values take the place of its own, with their
own stamps; aspects that had none go. Entities that the run made are hidden, or
with --hard deleted with all that anybody wrote of them.

An interrupted rollback leaves every entity wholly as it was or wholly taken
back, and goes on when it is started again.

` + exitHelp,
		Example: `  headwater runs rollback nightly-42 --dry-run
  headwater runs rollback nightly-42 --yes
  headwater runs rollback nightly-42 --hard`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return e.rollback(c.Context(), args[0], &o) },
	}
	f := c.Flags()
	f.BoolVar(&o.hard, "hard", false, "delete the entities that the run made, instead of hiding them")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "count, and change nothing")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

// rolledBackAtOnce is how many rows one request takes back.
const rolledBackAtOnce = 2000

func (e *environment) rollback(ctx context.Context, runID string, o *rollbackOptions) error {
	request := map[string]any{"runId": runID, "safe": !o.hard, "dryRun": true}
	var plan catalog.Rollback
	if _, err := e.post(ctx, "/runs?action=rollback", request, &plan); err != nil {
		return err
	}
	if plan.EntitiesAffected+plan.TimeSeriesRows == 0 {
		return noRun(runID)
	}
	if o.dryRun {
		return e.showRollback(&plan, o)
	}
	if err := e.confirm(o.yes, "This "+rollbackText(&plan, o, true)+"."); err != nil {
		return err
	}
	request["dryRun"], request["limit"] = false, rolledBackAtOnce
	total := catalog.Rollback{Rows: []catalog.RunRow{}, UnsafeEntities: []catalog.UnsafeEntity{}}
	bar := e.countBar("rolling back", int(plan.AspectsReverted))
	defer bar.finish()
	for {
		var part catalog.Rollback
		if _, err := e.post(ctx, "/runs?action=rollback", request, &part); err != nil {
			return fmt.Errorf("%w (%d aspects are taken back; the same command goes on)", err, total.AspectsReverted)
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
func rollbackText(r *catalog.Rollback, o *rollbackOptions, does bool) string {
	takes, made := "took back", "hid"
	switch {
	case does && o.hard:
		takes, made = "takes back", "deletes"
	case does:
		takes, made = "takes back", "hides"
	case o.hard:
		made = "deleted"
	}
	text := fmt.Sprintf("%s %s of %s", takes, plural(int(r.AspectsReverted), "aspect", "aspects"), plural(int(r.EntitiesAffected), "entity", "entities"))
	if r.TimeSeriesRows > 0 {
		text += " and " + plural(int(r.TimeSeriesRows), "time-series value", "time-series values")
	}
	return text + fmt.Sprintf(", and %s %s that the run made", made, plural(int(r.EntitiesDeleted), "entity", "entities"))
}

func (e *environment) showRollback(r *catalog.Rollback, o *rollbackOptions) error {
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
		fmt.Fprintf(e.stdout, "others wrote %s of %s among these, such as of\n",
			plural(int(r.AspectsAffected), "aspect", "aspects"), plural(int(r.UnsafeEntitiesCount), "entity", "entities"))
		for i := range min(len(r.UnsafeEntities), shownFailures) {
			fmt.Fprintf(e.stdout, "  %s\n", r.UnsafeEntities[i].URN)
		}
	}
	return nil
}
