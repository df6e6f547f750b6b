package lineage

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// impactOptions are the flags of impact.
type impactOptions struct {
	column, change, only, asOf, removed, format, overlay string
	hops                                                 int
	all                                                  bool
	filters                                              map[string]*[]string
}

func newImpact(e *cli.Environment) *cobra.Command {
	o := impactOptions{}
	c := &cobra.Command{
		Use:   "impact NAME",
		Short: "Show what depends on an entity or column, and whom to notify",
		Long: `Show what is downstream of an entity, grouped by type, platform, owner and
distance, with the owners to notify.

With --column, or for a column, show what breaks if the column is dropped,
renamed or given another type (--change). The effect is certain for what reads the
column, whatever for, and for what stands behind that; it is possible where nothing that
is known rules that out. Of more than ` + strconv.Itoa(possibleShown) + ` possible effects, only the reasons are
counted; --all lists them, --only certain leaves them out.

` + cli.ColumnHelp + `

` + cli.ExitHelp,
		Example: `  headwater impact marts.orders
  headwater impact orders.net_revenue
  headwater impact marts.orders --column net_revenue
  headwater impact orders.customer_id --change retype --only certain
  headwater impact marts.orders --format csv > affected.csv`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return showImpact(c.Context(), e, args[0], &o) },
	}
	f := c.Flags()
	f.StringVar(&o.column, "column", "", "path of the column that is lost")
	f.StringVar(&o.change, "change", "", "change of the column: drop, rename or retype (default: drop)")
	f.StringVar(&o.only, "only", "", "certain: list only what is affected for certain")
	f.BoolVar(&o.all, "all", false, "list all possible effects")
	f.IntVar(&o.hops, "hops", 0, "greatest distance; 0 for no limit")
	f.StringVar(&o.asOf, "as-of", "", "past moment (default: now)")
	f.StringVar(&o.overlay, "overlay", "", "file with an overlay, such as that of headwater check --overlay-out, over which the question is asked")
	f.StringVar(&o.removed, "removed", "", "treatment of soft-deleted entities: pass, show or stop")
	f.StringVarP(&o.format, "format", "f", "table", "output format: table, json or csv")
	f.StringVarP(&o.format, "output", "o", "table", "the same as --format")
	o.filters = filterFlags(c)
	for _, flag := range []string{"format", "output"} {
		cli.CompleteWith(c, flag, "table", "json", "csv")
	}
	cli.CompleteWith(c, "change", lineage.ChangeDrop, lineage.ChangeRename, lineage.ChangeRetype)
	cli.CompleteWith(c, "only", lineage.EffectCertain)
	e.ClientFlags(c)
	e.CompleteArgs(c, 1, e.Names(client.NameQuery{}))
	completeFilters(e, c)
	e.CompleteTypes(c)
	e.CompleteFlag(c, "column", completeColumns(e))
	return c
}

func showImpact(ctx context.Context, e *cli.Environment, name string, o *impactOptions) error {
	urn, err := changedURN(ctx, e, name, o)
	if err != nil {
		return err
	}
	if err := e.ResolveFilters(ctx, o.filters); err != nil {
		return err
	}
	query := url.Values{"hops": {strconv.Itoa(o.hops)}}
	for name, value := range map[string]string{"column": o.column, "change": o.change, "only": o.only, "asOf": o.asOf, "removed": o.removed} {
		if value != "" {
			query.Set(name, value)
		}
	}
	path := "/impact/" + model.EncodeURN(urn) + "?"
	switch o.format {
	case "csv":
		query.Set("format", "csv")
		if o.overlay != "" {
			return cli.BadUsage(errors.New("--overlay has no csv format: use json or table"))
		}
		return impactTable(ctx, e, path+encode(query, o.filters))
	case "json", "table":
	default:
		return cli.BadUsage(fmt.Errorf("--format must be table, json or csv, not %q", o.format))
	}
	var impact lineage.Impact
	raw, err := ask(ctx, e, path+encode(query, o.filters), o.overlay, &impact)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return e.WriteJSON(raw)
	}
	note(e, impact.Note)
	return writeImpact(ctx, e, &impact, o.all)
}

// impactTable writes the affected entities as comma-separated values, in the server's form.
func impactTable(ctx context.Context, e *cli.Environment, path string) error {
	text, partial, err := e.Client().DownloadTable(ctx, path)
	if err != nil {
		return err
	}
	if screen.IsTerminal(e.Stdout) {
		text = []byte(screen.Text(string(text)))
	}
	if partial {
		note(e, "this is incomplete; --format json says why")
	}
	_, err = e.Stdout.Write(text)
	return err
}

// changedURN returns the URN of the entity or column that is to change. If several entities
// have the name and only one has the column of --column, that entity is meant.
func changedURN(ctx context.Context, e *cli.Environment, name string, o *impactOptions) (string, error) {
	if o.column == "" || strings.HasPrefix(name, "urn:") {
		return e.URNOf(ctx, name, cli.EitherPart)
	}
	named, err := e.ResolveColumn(ctx, name, o.column)
	if err != nil {
		return "", err
	}
	o.column = ""
	return named.URN, nil
}
