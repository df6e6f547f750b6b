package lineage

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// columnsOptions are the flags of columns.
type columnsOptions struct {
	personal        bool
	datasets, types []string
	start, limit    int
	format          string
	filters         map[string]*[]string
}

func newColumns(e *cli.Environment) *cobra.Command {
	o := columnsOptions{filters: map[string]*[]string{}}
	c := &cobra.Command{
		Use:   "columns [WORDS...]",
		Short: "Find columns of datasets",
		Long: `Find columns by words in their path or description, by tag or term, by type,
and by the platform, owners and domain of their dataset. Some of the words may be in
the name of the dataset. Without words and flags, find all columns.

Several values of one flag are alternatives; --tag and --term are one list. A column
must pass all flags. --personal finds the columns with a label of personal data: a tag
or term whose name, or the group around the term, has the word PII, personal, GDPR or
PHI. DOWNSTREAM counts the columns one hop downstream or, if no lineage of the column
is known, the entities one hop downstream of its dataset.

With --format csv, all columns found are written unless --limit is given.

` + cli.ExitHelp,
		Example: `  headwater columns --personal
  headwater columns customer email
  headwater columns --tag PII --platform snowflake
  headwater columns amount --column-type 'numeric(10,2)' --domain Finance
  headwater columns --personal --format csv > personal.csv`,
		RunE: func(c *cobra.Command, args []string) error {
			return showColumns(c.Context(), e, strings.Join(args, " "), &o, c.Flags().Changed("limit"))
		},
	}
	f := c.Flags()
	for name, help := range map[string]string{
		"tag": "tag of the column", "term": "glossary term of the column", "platform": "platform of the dataset",
		"owner": "owner of the dataset", "domain": "domain of the dataset, with the domains within it",
	} {
		o.filters[name] = &[]string{}
		f.StringArrayVar(o.filters[name], name, nil, help+"; repeatable")
	}
	f.BoolVar(&o.personal, "personal", false, "only columns with a label of personal data")
	f.StringArrayVar(&o.datasets, "dataset", nil, "dataset of the column; repeatable")
	f.StringArrayVar(&o.types, "column-type", nil, "type of the column in its source; repeatable")
	f.IntVar(&o.start, "start", 0, "number of columns to skip")
	f.IntVar(&o.limit, "limit", limits.DefaultFoundColumns, fmt.Sprintf("number of columns to show, at most %d", limits.MaxFoundColumns))
	f.StringVarP(&o.format, "format", "f", "table", "output format: table, json or csv")
	f.StringVarP(&o.format, "output", "o", "table", "the same as --format")
	for _, flag := range []string{"format", "output"} {
		cli.CompleteWith(c, flag, "table", "json", "csv")
	}
	e.ClientFlags(c)
	e.CompleteArgs(c, 0, cli.Fixed())
	for flag, types := range cli.FilterTypes {
		e.CompleteFlag(c, flag, e.Names(client.NameQuery{Part: cli.EntityPart, Types: types}))
	}
	e.CompleteFlag(c, "dataset", e.Names(client.NameQuery{Part: cli.EntityPart, Types: []string{"dataset"}}))
	return c
}

// columnsFound is the server's answer.
type columnsFound struct {
	Start    int  `json:"start"`
	Total    int  `json:"total"`
	Datasets int  `json:"datasets"`
	Partial  bool `json:"partial"`
	Columns  []struct {
		Dataset     string   `json:"dataset"`
		Table       string   `json:"table"`
		Path        string   `json:"path"`
		Type        string   `json:"type"`
		Tags        []string `json:"tags"`
		Terms       []string `json:"terms"`
		Owners      []string `json:"owners"`
		Downstreams int      `json:"downstreams"`
	} `json:"columns"`
	Personal []string `json:"personal"`
	Reason   string   `json:"reason"`
}

func showColumns(ctx context.Context, e *cli.Environment, words string, o *columnsOptions, limited bool) error {
	if !slices.Contains([]string{"table", "json", "csv"}, o.format) {
		return cli.BadUsage(fmt.Errorf("--format must be table, json or csv, not %q", o.format))
	}
	path, err := columnsPath(ctx, e, words, o, limited)
	if err != nil {
		return err
	}
	if o.format == "csv" {
		return impactTable(ctx, e, path)
	}
	var found columnsFound
	raw, err := e.Ask(ctx, path, &found)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return e.WriteJSON(raw)
	}
	if found.Partial {
		note(e, "this is incomplete: "+found.Reason)
	}
	return writeColumns(ctx, e, &found, o)
}

// columnsPath returns the request, with the names of the flags replaced by URNs.
func columnsPath(ctx context.Context, e *cli.Environment, words string, o *columnsOptions, limited bool) (string, error) {
	for filter, types := range cli.FilterTypes {
		for i, value := range *o.filters[filter] {
			urn, err := filterURN(ctx, e, filter, value, types)
			if err != nil {
				return "", err
			}
			(*o.filters[filter])[i] = urn
		}
	}
	for i, dataset := range o.datasets {
		urn, err := e.URNOf(ctx, dataset, cli.EntityPart)
		if err != nil {
			return "", err
		}
		o.datasets[i] = urn
	}
	query := url.Values{"start": {strconv.Itoa(o.start)}}
	if words != "" {
		query.Set("query", words)
	}
	if o.personal {
		query.Set("personal", "true")
	}
	if o.format != "csv" || limited {
		query.Set("count", strconv.Itoa(o.limit))
	}
	if o.format == "csv" {
		query.Set("format", "csv")
	}
	labels := slices.Concat(*o.filters["tag"], *o.filters["term"])
	lists := map[string]*[]string{"label": &labels, "dataset": &o.datasets, "type": &o.types}
	for _, name := range []string{"platform", "owner", "domain"} {
		lists[name] = o.filters[name]
	}
	return "/columns?" + encode(query, lists), nil
}

// filterURN returns the URN that the value of a filter means. The platform need not be described in
// the catalog.
func filterURN(ctx context.Context, e *cli.Environment, filter, value string, types []string) (string, error) {
	if filter != "platform" {
		named, err := e.Resolve(ctx, value, client.NameQuery{Part: cli.EntityPart, Types: types})
		if err != nil {
			return "", err
		}
		return named.URN, nil
	}
	urn, err := e.ValueOf(ctx, value, types)
	if err == nil && !strings.HasPrefix(urn, "urn:") {
		urn = "urn:li:dataPlatform:" + urn
	}
	return urn, err
}

// writeColumns writes a page of columns as a table.
func writeColumns(ctx context.Context, e *cli.Environment, found *columnsFound, o *columnsOptions) error {
	if len(found.Columns) == 0 {
		fmt.Fprintln(e.Stdout, noColumns(found, o))
		return nil
	}
	var named []string
	for i := range found.Columns {
		c := &found.Columns[i]
		named = slices.Concat(named, c.Tags, c.Terms, c.Owners)
	}
	cards, err := show.ReadCards(ctx, e.Client(), named)
	if err != nil {
		return err
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "COLUMN", Least: 16}, {Head: "TYPE"}, {Head: "PLATFORM"}, {Head: "TABLE", Least: 16, Front: true}, {Head: "DOWNSTREAM", Right: true}, {Head: "LABELS", Least: 8}, {Head: "OWNERS"},
	}, Below: true}
	for i := range found.Columns {
		c := &found.Columns[i]
		table.Add(
			c.Path, c.Type, show.PlaceOf(c.Dataset).Platform, c.Table, strconv.Itoa(c.Downstreams),
			strings.Join(cards.NamesOf(slices.Concat(c.Tags, c.Terms)), ", "), strings.Join(cards.NamesOf(c.Owners), ", "),
		)
	}
	if err := table.Write(e.Stdout, screen.WidthOf(e.Stdout)); err != nil {
		return err
	}
	line := fmt.Sprintf("%s of %s", wording.Counted(found.Total, "column", "columns"), wording.Counted(found.Datasets, "dataset", "datasets"))
	if end := found.Start + len(found.Columns); end < found.Total {
		line = fmt.Sprintf("%d to %d of %s; --start %d shows the next", found.Start+1, end, line, end)
	} else if found.Start > 0 {
		line = fmt.Sprintf("%d to %d of %s", found.Start+1, end, line)
	}
	fmt.Fprintf(e.Stdout, "\n%s\n", line)
	return nil
}

// noColumns says why a page has no columns.
func noColumns(found *columnsFound, o *columnsOptions) string {
	switch {
	case found.Total > 0 && o.limit > 0:
		return fmt.Sprintf("%s, and --start %d is beyond the last", wording.Counted(found.Total, "column", "columns"), o.start)
	case found.Total > 0:
		return wording.Counted(found.Total, "column", "columns")
	case o.personal && len(found.Personal) == 0:
		return "no column is found: no tag or term says by its name that data is personal"
	}
	return "no column is found; try fewer words or flags"
}
