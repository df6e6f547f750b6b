package lineage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/unused"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// unusedOptions are the flags of unused.
type unusedOptions struct {
	query     string
	platforms []string
	days      int
	all       bool
}

func newUnused(e *cli.Environment) *cobra.Command {
	var o unusedOptions
	c := &cobra.Command{
		Use:   "unused [DATASET...]",
		Short: "Find columns that nobody reads",
		Long: `Find columns that nobody reads: of datasets, of those that --query finds, or of all.
Nobody reads a column if dropping it would affect nothing one hop downstream (lineage
of columns, SQL of views and charts, assertions, foreign keys, saved queries), if no
query that ran reads it, and if the usage of its dataset does not name it. Queries and
usage count for --days.

A column is "unused", or "not known" if something may read it, or if neither usage
nor queries of its dataset are known; WHY says which. RESTS ON says for how many days
the usage of the dataset is known, and how many queries about it. --all lists the columns that
are read, too.

The server is asked page after page, and what it answers is shown at once. With
-o json, each column is an object on a line of its own.

` + cli.ExitHelp,
		Example: `  headwater unused marts.orders
  headwater unused --platform snowflake --days 180
  headwater unused --query refunds -o json | jq -r 'select(.verdict == "unused") | .urn'`,
		RunE: func(c *cobra.Command, args []string) error { return showUnused(c.Context(), e, &o, args) },
	}
	f := c.Flags()
	f.StringVar(&o.query, "query", "", "words by which datasets are searched for")
	f.StringArrayVar(&o.platforms, "platform", nil, "platform of the dataset; repeatable")
	f.IntVar(&o.days, "days", limits.DefaultUnusedDays, "for how many days nobody must have read a column")
	f.BoolVar(&o.all, "all", false, "also list the columns that are read")
	e.ClientFlags(c)
	e.OutputFlag(c)
	datasets := e.Names(client.NameQuery{Part: cli.EntityPart, Types: []string{"dataset"}})
	e.CompleteArgs(c, limits.MaxUnusedDatasets, datasets)
	e.CompleteFlag(c, "platform", e.Names(client.NameQuery{Part: cli.EntityPart, Types: cli.FilterTypes["platform"]}))
	return c
}

func showUnused(ctx context.Context, e *cli.Environment, o *unusedOptions, names []string) error {
	path, err := unusedPath(ctx, e, o, names)
	if err != nil {
		return err
	}
	var counts unusedCounts
	bar := e.CountBar("columns", 0)
	defer bar.Finish()
	for start := 0; ; {
		var page unused.Page
		raw, err := e.Ask(ctx, path+"&start="+strconv.Itoa(start), &page)
		if err != nil {
			return err
		}
		if err := counts.show(e, &page, raw); err != nil {
			return err
		}
		bar.Set(counts.judged)
		if page.Next == 0 {
			break
		}
		start = page.Next
	}
	if e.Output == "json" {
		return nil
	}
	return counts.sum(e)
}

// unusedPath returns the request without its start.
func unusedPath(ctx context.Context, e *cli.Environment, o *unusedOptions, names []string) (string, error) {
	if o.days < 1 || o.days > limits.MaxUnusedDays {
		return "", cli.BadUsage(fmt.Errorf("--days must be from 1 to %d", limits.MaxUnusedDays))
	}
	if o.query != "" && len(names) > 0 {
		return "", cli.BadUsage(errors.New("name datasets, or search for them with --query, not both"))
	}
	if len(names) > limits.MaxUnusedDatasets {
		return "", cli.BadUsage(fmt.Errorf("at most %d datasets may be named", limits.MaxUnusedDatasets))
	}
	query := url.Values{"days": {strconv.Itoa(o.days)}, "all": {strconv.FormatBool(o.all)}}
	if o.query != "" {
		query.Set("query", o.query)
	}
	datasets := make([]string, len(names))
	for i, name := range names {
		urn, err := e.URNOf(ctx, name, cli.EntityPart)
		if err != nil {
			return "", err
		}
		datasets[i] = urn
	}
	platforms := make([]string, len(o.platforms))
	for i, name := range o.platforms {
		urn, err := filterURN(ctx, e, "platform", name, cli.FilterTypes["platform"])
		if err != nil {
			return "", err
		}
		platforms[i] = urn
	}
	return "/unused-columns?" + encode(query, map[string]*[]string{"dataset": &datasets, "platform": &platforms}), nil
}

// unusedCounts counts the columns that were shown.
type unusedCounts struct {
	unused, notKnown, judged, datasets int
	// headed: a page with the heads of the table was shown.
	headed bool
}

// show shows a page.
func (n *unusedCounts) show(e *cli.Environment, page *unused.Page, raw json.RawMessage) error {
	n.judged, n.datasets = n.judged+page.Judged, n.datasets+page.Datasets
	for i := range page.Columns {
		switch page.Columns[i].Verdict {
		case unused.VerdictUnused:
			n.unused++
		case unused.VerdictNotKnown:
			n.notKnown++
		}
	}
	if page.Partial != "" {
		note(e, "this is incomplete: "+page.Partial)
	}
	if e.Output == "json" {
		return writeUnusedLines(e, raw)
	}
	if len(page.Columns) == 0 {
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "VERDICT"}, {Head: "COLUMN", Least: 12}, {Head: "PLATFORM"}, {Head: "TABLE", Least: 12, Front: true}, {Head: "RESTS ON"}, {Head: "WHY", Least: 16},
	}, Below: true, Continued: n.headed}
	n.headed = true
	for i := range page.Columns {
		c := &page.Columns[i]
		place := show.PlaceOf(c.Dataset)
		table.Add(verdictWords[c.Verdict], c.Path, place.Platform, place.Path, basisWords(c), whyWords(c))
	}
	return table.Write(e.Stdout, screen.WidthOf(e.Stdout))
}

// writeUnusedLines writes the columns of a page as the server gives them, each on a line of its own.
func writeUnusedLines(e *cli.Environment, raw json.RawMessage) error {
	var page struct {
		Columns []json.RawMessage `json:"columns"`
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return err
	}
	for _, column := range page.Columns {
		if _, err := e.Stdout.Write(append(screen.JSON(column), '\n')); err != nil {
			return err
		}
	}
	return nil
}

var verdictWords = map[string]string{unused.VerdictUnused: "unused", unused.VerdictNotKnown: "not known", unused.VerdictRead: "read"}

// basisWords names the evidence of the readers of a column's dataset.
func basisWords(c *unused.Column) string {
	days := wording.Counted(c.Basis.UsageDays, "day", "days") + " of usage"
	if c.Basis.UsageDays == 0 {
		days = "no usage"
	}
	return days + ", " + wording.Counted(c.Basis.Queries, "query", "queries")
}

// whyWords says why a column is not unused.
func whyWords(c *unused.Column) string {
	var words []string
	for i := range c.Readers {
		words = append(words, c.Readers[i].Why)
	}
	if more := c.ReaderCount - len(c.Readers); more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	if c.Verdict == unused.VerdictRead && len(words) == 0 {
		return "the usage names it, or a part of it is read, or the column around it"
	}
	if len(words) > 0 && c.Verdict == unused.VerdictNotKnown {
		return strings.Join(words, "; ")
	}
	return strings.Join(append(words, c.Doubts...), "; ")
}

// sum shows the counts.
func (n *unusedCounts) sum(e *cli.Environment) error {
	_, err := fmt.Fprintf(e.Stdout, "\n%d of %s of %s unused, %d not known\n",
		n.unused, wording.Counted(n.judged, "column", "columns"), wording.Counted(n.datasets, "dataset", "datasets"), n.notKnown)
	return err
}
