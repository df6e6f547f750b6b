// Package history has the commands timeline, changes, runs and restore: they show past changes
// and take them back.
package history

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/model"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newTimeline(e), newRuns(e), newChanges(e), newRestore(e)}
}

// timelineOptions are the flags of timeline.
type timelineOptions struct {
	categories []string
	start, end string
	all        bool
}

func newTimeline(e *cli.Environment) *cobra.Command {
	o := timelineOptions{}
	c := &cobra.Command{
		Use:   "timeline NAME",
		Short: "Show the changes of an entity",
		Long: `Show what was added, removed and changed of an entity, oldest first, as far back
as versions are kept. What one write did to many columns, owners and the like is one
line; --all shows each. Categories: ` + strings.Join(history.TimelineCategories(), ", ") + `.

` + cli.NameHelp + `

` + cli.ExitHelp,
		Example: `  headwater timeline marts.orders --category technical_schema,lineage --start 2026-10-01`,
		Args:    cli.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return showTimeline(c.Context(), e, args[0], &o) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.categories, "category", nil, "categories (default: all)")
	f.StringVar(&o.start, "start", "", "first moment (default: the oldest version that is kept)")
	f.StringVar(&o.end, "end", "", "last moment (default: now)")
	f.BoolVar(&o.all, "all", false, "show every change on a line of its own")
	e.ClientFlags(c)
	e.OutputFlag(c)
	e.CompleteArgs(c, 1, e.Names(client.NameQuery{Part: cli.EntityPart}))
	e.CompleteFlag(c, "category", cli.Listed(cli.Fixed(strings.Fields(strings.ToLower(strings.Join(history.TimelineCategories(), " ")))...)))
	return c
}

// theBeginning is a moment before every change in a timeline. Without a start, the server
// returns only the last 7 days.
const theBeginning = "1"

func showTimeline(ctx context.Context, e *cli.Environment, name string, o *timelineOptions) error {
	urn, err := e.URNOf(ctx, name, cli.EntityPart)
	if err != nil {
		return err
	}
	query := url.Values{"categories": o.categories, "startTime": {cmp.Or(o.start, theBeginning)}, "endTime": {o.end}}
	var transactions []history.ChangeTransaction
	raw, err := e.Ask(ctx, "/openapi/timeline/v1/"+model.EncodeURN(urn)+"?"+query.Encode(), &transactions)
	if err != nil {
		return err
	}
	if e.Output == "json" {
		return e.WriteJSON(raw)
	}
	return writeTimeline(e, transactions, o.all)
}
