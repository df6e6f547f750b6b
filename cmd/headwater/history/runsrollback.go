package history

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// rollbackOptions are the flags of runs rollback.
type rollbackOptions struct {
	hard, dryRun, yes, last bool
	pipeline                string
}

func newRunsRollback(e *cli.Environment) *cobra.Command {
	var o rollbackOptions
	c := &cobra.Command{
		Use:   "rollback {RUN | --last}",
		Short: "Undo what a run wrote",
		Long: `Undo what a run wrote. Older values replace the values of the run, with their own
stamps; aspects without an older value are removed. Entities that the run created
are hidden or, with --hard, deleted with everything that anybody wrote about them.

--last stands for the newest run of "headwater runs list" that is not rolled back:
of a pipeline with --pipeline, otherwise of all.

If a rollback is interrupted, every entity is either unchanged or completely
rolled back. The rollback continues when it is started again.

` + cli.ExitHelp,
		Example: `  headwater runs rollback nightly-42 --dry-run
  headwater runs rollback nightly-42 --yes
  headwater runs rollback nightly-42 --hard
  headwater runs rollback --last --pipeline nightly --dry-run`,
		Args: func(c *cobra.Command, args []string) error {
			if !o.last && o.pipeline != "" {
				return cli.BadUsage(errors.New("--pipeline needs --last"))
			}
			if o.last && len(args) > 0 {
				return cli.BadUsage(fmt.Errorf("name the run %s, or use --last", args[0]))
			}
			return cli.ExactArgs(map[bool]int{false: 1}[o.last])(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if !o.last {
				return rollBack(c.Context(), e, args[0], &o)
			}
			run, err := lastRun(c.Context(), e, &o)
			if err != nil {
				return err
			}
			fmt.Fprintf(e.Stderr, "the last run is %s, which wrote until %s\n", screen.Line(run.RunID), show.TimeOf(run.Timestamp))
			return rollBack(c.Context(), e, run.RunID, &o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.last, "last", false, "the newest run that is not rolled back")
	f.StringVar(&o.pipeline, "pipeline", "", "with --last: of this pipeline")
	f.BoolVar(&o.hard, "hard", false, "delete the entities that the run created, instead of hiding them")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "count, and change nothing")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	e.ClientFlags(c)
	e.OutputFlag(c)
	e.CompleteArgs(c, 1, completeRuns(e))
	e.CompleteFlag(c, "pipeline", completePipelines(e))
	return c
}

// lastRun returns the newest run that is not rolled back.
func lastRun(ctx context.Context, e *cli.Environment, o *rollbackOptions) (*removal.RunSummary, error) {
	q := runsQuery{Count: offeredRuns, IncludeSoft: o.hard, Pipeline: o.pipeline}
	for {
		runs, _, err := listRuns(ctx, e, &q)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(runs, func(r removal.RunSummary) bool { return !r.RolledBack }); i >= 0 {
			return &runs[i], nil
		}
		if len(runs) == 0 && q.Start == 0 && o.pipeline != "" {
			return nil, noPipeline(ctx, e, o.pipeline)
		}
		if q.Start += len(runs); len(runs) < q.Count {
			return nil, &client.Error{Status: http.StatusNotFound, Message: "there is no run that is not rolled back"}
		}
	}
}

// rolledBackAtOnce is how many rows one request rolls back.
const rolledBackAtOnce = 2000

func rollBack(ctx context.Context, e *cli.Environment, runID string, o *rollbackOptions) error {
	request := map[string]any{"runId": runID, "safe": !o.hard, "dryRun": true}
	var plan removal.Rollback
	if _, err := e.Post(ctx, "/runs?action=rollback", request, &plan); err != nil {
		return err
	}
	if plan.EntitiesAffected+plan.TimeSeriesRows == 0 {
		return noRun(ctx, e, runID)
	}
	if o.dryRun {
		return showRollback(e, runID, &plan, o)
	}
	if err := e.Confirm(o.yes, "This "+rollbackText(&plan, o, true)+"."+laterText(&plan)); err != nil {
		return err
	}
	request["dryRun"], request["limit"] = false, rolledBackAtOnce
	total := removal.Rollback{Rows: []removal.RunRow{}, UnsafeEntities: []removal.UnsafeEntity{}}
	bar := e.CountBar("rolling back", int(plan.RowsOfRun))
	defer bar.Finish()
	for {
		var part removal.Rollback
		if _, err := e.Post(ctx, "/runs?action=rollback", request, &part); err != nil {
			return fmt.Errorf("%w (%d aspects are reverted; headwater runs rollback %s continues)", err, total.RowsOfRun, screen.Line(runID))
		}
		total.Add(&part)
		bar.Set(int(total.RowsOfRun))
		if part.Next == "" {
			bar.Finish()
			return showRollback(e, runID, &total, o)
		}
		request["after"] = part.Next
	}
}

// rollbackText describes the effect of a rollback: in the present tense if does is set,
// otherwise in the past tense.
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
	text := fmt.Sprintf("%s %s of %s", takes, wording.Counted(int(r.RowsOfRun), "aspect", "aspects"), wording.Counted(int(r.EntitiesAffected), "entity", "entities"))
	if r.TimeSeriesRows > 0 {
		text += " and " + wording.Counted(int(r.TimeSeriesRows), "time-series value", "time-series values")
	}
	return text + fmt.Sprintf(", and %s %s that the run created", made, wording.Counted(int(r.EntitiesDeleted), "entity", "entities"))
}

// laterText warns that the rollback is incomplete, because a later run of the same recipe
// has written a checkpoint. It returns "" if none has.
func laterText(r *removal.Rollback) string {
	if len(r.LaterCheckpoints) == 0 {
		return ""
	}
	return fmt.Sprintf("\nThe run %s of the same recipe wrote a checkpoint later. If this run hid entities that the source no longer has,\nthe recipe does not hide them again: roll that run back first.", screen.Line(r.LaterCheckpoints[0]))
}

func showRollback(e *cli.Environment, runID string, r *removal.Rollback, o *rollbackOptions) error {
	if e.Output == "json" {
		return e.WriteJSON(struct {
			RunID string `json:"runId"`
			*removal.Rollback
		}{runID, r})
	}
	text := rollbackText(r, o, o.dryRun)
	if o.dryRun {
		text = "a rollback " + text
		if err := writeRunRows(e, r.Rows); err != nil {
			return err
		}
	}
	fmt.Fprintln(e.Stdout, text+laterText(r))
	if r.UnsafeEntitiesCount > 0 {
		fmt.Fprintf(e.Stdout, "others wrote %s of %s among these, for example of\n",
			wording.Counted(int(r.AspectsAffected), "aspect", "aspects"), wording.Counted(int(r.UnsafeEntitiesCount), "entity", "entities"))
		for i := range min(len(r.UnsafeEntities), cli.ShownFailures) {
			fmt.Fprintf(e.Stdout, "  %s\n", r.UnsafeEntities[i].URN)
		}
	}
	return nil
}
