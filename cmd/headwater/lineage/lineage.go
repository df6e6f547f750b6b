// Package lineage has the commands lineage, impact and columns: they show the lineage of an
// entity and the entities that a change affects, and find columns.
package lineage

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newLineage(e), newImpact(e), newColumns(e), newUnused(e)}
}

// lineageOptions are the flags of lineage.
type lineageOptions struct {
	upstream, downstream, columns, siblings, urns bool
	hops, limit                                   int
	asOf, removed, format                         string
	diff, overlay                                 string
	filters                                       map[string]*[]string
}

func newLineage(e *cli.Environment) *cobra.Command {
	o := lineageOptions{}
	c := &cobra.Command{
		Use:   "lineage NAME",
		Short: "Show what an entity or column comes from, or feeds",
		Long: `Show what is upstream of an entity or, with --downstream, what is downstream of
it: each entity once, at its smallest distance. From a column (a schemaField),
and with --columns from all columns of an entity, the walk goes from column to
column.

With --as-of, the walk uses the graph of a past moment. With --diff, the lineage
of that moment is compared with the present one. Moments are epoch milliseconds,
days (2026-10-21) or times (2026-10-21T08:00:00Z).

Soft-deleted entities are walked through and left out. --removed show lists them,
--removed stop does not walk beyond them.

` + cli.ColumnHelp + `

` + cli.ExitHelp,
		Example: `  headwater lineage marts.orders
  headwater lineage orders.net_revenue
  headwater lineage snowflake:marts.orders --downstream --hops 2 --format mermaid
  headwater lineage marts.orders --columns --as-of 2026-10-21
  headwater lineage 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)' --diff 2026-10-21`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return showLineage(c.Context(), e, args[0], &o) },
	}
	f := c.Flags()
	f.BoolVar(&o.upstream, "upstream", false, "where data comes from (the default)")
	f.BoolVar(&o.downstream, "downstream", false, "where data goes to")
	f.IntVar(&o.hops, "hops", 0, "greatest distance; 0 for no limit")
	f.BoolVar(&o.columns, "columns", false, "walk from column to column")
	f.BoolVar(&o.siblings, "merge-siblings", false, "continue from siblings, such as the dbt model of a table")
	f.StringVar(&o.asOf, "as-of", "", "past moment (default: now)")
	f.StringVar(&o.diff, "diff", "", "past moment to compare with now, or with --as-of")
	f.StringVar(&o.overlay, "overlay", "", "file with an overlay, such as that of headwater check --overlay-out, over which the question is asked")
	f.StringVar(&o.removed, "removed", "", "treatment of soft-deleted entities: pass, show or stop")
	f.IntVar(&o.limit, "limit", limits.DefaultShownEntities, fmt.Sprintf("number of entities to show, at most %d", limits.MaxPageCount))
	f.BoolVar(&o.urns, "urns", false, "show URNs instead of types and places")
	f.StringVarP(&o.format, "format", "f", "tree", "output format: tree, json, dot or mermaid")
	f.StringVarP(&o.format, "output", "o", "tree", "the same as --format; table means tree")
	o.filters = filterFlags(c)
	for _, flag := range []string{"format", "output"} {
		cli.CompleteWith(c, flag, lineageFormats...)
	}
	e.ClientFlags(c)
	e.CompleteArgs(c, 1, e.Names(client.NameQuery{}))
	completeFilters(e, c)
	e.CompleteTypes(c)
	return c
}

// filterFlags adds the flags that filter the entities of a walk.
func filterFlags(c *cobra.Command) map[string]*[]string {
	filters := map[string]*[]string{}
	for _, name := range []string{"type", "platform", "owner", "tag", "term", "domain"} {
		filters[name] = &[]string{}
		c.Flags().StringArrayVar(filters[name], name, nil, "show only entities of this "+name+"; repeatable")
	}
	return filters
}

// encode encodes a query with filters. Each value is a list parameter with one item, and is
// encoded separately, so that a comma in a value does not separate items.
func encode(query url.Values, filters map[string]*[]string) string {
	text := query.Encode()
	for name, values := range filters {
		for _, value := range *values {
			text += "&" + name + "s=List(" + url.PathEscape(value) + ")"
		}
	}
	return text
}

var lineageFormats = []string{"tree", "json", "dot", "mermaid"}

func showLineage(ctx context.Context, e *cli.Environment, name string, o *lineageOptions) error {
	if o.format == "table" { // "table" is the default of --output in other commands
		o.format = "tree"
	}
	if !slices.Contains(lineageFormats, o.format) {
		return cli.BadUsage(fmt.Errorf("--format must be one of %s, not %q", strings.Join(lineageFormats, ", "), o.format))
	}
	if o.upstream && o.downstream {
		return cli.BadUsage(errors.New("--upstream and --downstream cannot be combined"))
	}
	urn, err := e.URNOf(ctx, name, cli.EitherPart)
	if err != nil {
		return err
	}
	if err := e.ResolveFilters(ctx, o.filters); err != nil {
		return err
	}
	query := url.Values{"direction": {lineage.Upstream}}
	if o.downstream {
		query.Set("direction", lineage.Downstream)
	}
	for name, value := range map[string]string{"removed": o.removed, "hops": strconv.Itoa(o.hops), "columns": strconv.FormatBool(o.columns)} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if o.diff != "" {
		if o.overlay != "" {
			return cli.BadUsage(errors.New("--diff and --overlay cannot be combined: an overlay is about the present"))
		}
		return lineageDiff(ctx, e, urn, query, o)
	}
	query.Set("count", strconv.Itoa(o.limit))
	query.Set("edges", "true")
	if o.format != "json" {
		query.Set("paths", "0") // a drawing needs only the edges
	}
	query.Set("basis", "true")
	query.Set("asOf", o.asOf)
	query.Set("mergeSiblings", strconv.FormatBool(o.siblings))
	var page lineage.Result
	raw, err := ask(ctx, e, "/lineage/"+model.EncodeURN(urn)+"?"+encode(query, o.filters), o.overlay, &page)
	if err != nil {
		return err
	}
	switch o.format {
	case "json":
		return e.WriteJSON(raw)
	case "dot":
		err = writeDot(e.Stdout, &page)
	case "mermaid":
		err = writeMermaid(e.Stdout, &page)
	default:
		if err = writeTree(e.Stdout, &page, o.urns); err == nil {
			err = writeReadings(e.Stdout, page.Edges, o.urns)
		}
		if err == nil {
			fmt.Fprintln(e.Stdout)
			writeBasis(e.Stdout, page.Basis, screen.WidthOf(e.Stdout))
		}
	}
	if err != nil {
		return err
	}
	if shown := page.Start + page.Count; shown < page.Total {
		fmt.Fprintf(e.Stderr, "headwater: %d of %d entities are shown; --limit shows more\n", shown, page.Total)
	}
	if page.Partial {
		note(e, "this is incomplete: "+page.Reason)
	}
	note(e, page.Note)
	return nil
}

// note shows a remark of the server on standard error.
func note(e *cli.Environment, text string) {
	if text != "" {
		fmt.Fprintln(e.Stderr, "headwater:", screen.Line(text))
	}
}

func lineageDiff(ctx context.Context, e *cli.Environment, urn string, query url.Values, o *lineageOptions) error {
	if o.format != "tree" && o.format != "json" {
		return cli.BadUsage(fmt.Errorf("a diff can be shown as tree or json, not as %q", o.format))
	}
	query.Set("before", o.diff)
	query.Set("after", o.asOf)
	var diff lineage.Diff
	raw, err := e.Ask(ctx, "/lineage-diff/"+model.EncodeURN(urn)+"?"+query.Encode(), &diff)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return e.WriteJSON(raw)
	}
	note(e, diff.Note)
	return writeDiff(e.Stdout, &diff, o.urns)
}
