// Package search has the command search, which finds entities.
package search

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newSearch(e)}
}

// searchOptions are the flags of search.
type searchOptions struct {
	types   []string
	filters []string
	start   int
	limit   int
	facets  bool
	asTyped bool
}

func newSearch(e *cli.Environment) *cobra.Command {
	var o searchOptions
	c := &cobra.Command{
		Use:   "search [WORDS...]",
		Short: "Find entities",
		Long: `Find entities by words or by <field>:<value>. Without words, or with *, find all
entities.

Words that begin with /q are a structured query: terms that must all be found,
with AND, OR, NOT (or -), parentheses, "phrases", beginnings* and <field>:<value>.
Put it in single quotes, so that the shell leaves it as it is.

Plain words are read as people type them: a word may be the name of a type or platform
(dbt model), and entities with most of the words follow those with all. With
--as-typed=false, and with JSON output unless --as-typed is given, only entities with
all words are found.

A --filter is field=value. Several values of one field, separated by commas or
given in several filters, are alternatives. Filters on several fields must all
match. Where a field contains URNs (platform, owners, tags, glossaryTerms, domains,
container), a value may be a name.

` + cli.ExitHelp,
		Example: `  headwater search orders
  headwater search tags:PII --type dataset
  headwater search '/q tag:PII AND (orders OR "order lines") -staging'
  headwater search --filter origin=PROD --filter platform=hive --facets`,
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("as-typed") {
				o.asTyped = e.Output != "json"
			}
			return showHits(c.Context(), e, strings.Join(args, " "), &o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.types, "type", nil, "entity types to search (default: all)")
	f.StringArrayVar(&o.filters, "filter", nil, "field=value; repeatable")
	f.IntVar(&o.start, "start", 0, "number of hits to skip")
	f.IntVar(&o.limit, "limit", limits.DefaultSearchPage, fmt.Sprintf("number of hits to show, at most %d", limits.MaxPageCount))
	f.BoolVar(&o.asTyped, "as-typed", true, "also find entities with most of the words; without it, false with JSON output")
	f.BoolVar(&o.facets, "facets", false, "show the facets of the hits")
	e.ClientFlags(c)
	e.OutputFlag(c)
	e.CompleteArgs(c, 0, cli.Fixed())
	e.CompleteFlag(c, "filter", e.Criteria)
	e.CompleteTypes(c)
	return c
}

func showHits(ctx context.Context, e *cli.Environment, input string, o *searchOptions) error {
	criteria, err := cli.CriteriaOf(o.filters)
	if err != nil {
		return err
	}
	if err := e.ResolveCriteria(ctx, criteria); err != nil {
		return err
	}
	filter := cli.FilterOf(criteria)
	if input == "" {
		input = "*"
	}
	body, err := json.Marshal(map[string]any{
		"input": input, "entities": o.types, "start": o.start, "count": o.limit, "filter": filter, "asTyped": o.asTyped,
	})
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := e.Client().Post(ctx, "/entities?action=searchAcrossEntities", body, &raw); err != nil {
		return err
	}
	if e.Output == "json" {
		return e.WriteJSON(raw)
	}
	var found searchFound
	if err := cli.DecodeAnswer(raw, &found); err != nil {
		return err
	}
	return showSearch(ctx, e, &found, input, o)
}
