package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/internal/limits"
)

// searchOptions are the flags of search.
type searchOptions struct {
	types   []string
	filters []string
	start   int
	limit   int
	facets  bool
}

func newSearch(e *environment) *cobra.Command {
	var o searchOptions
	c := &cobra.Command{
		Use:   "search [WORDS...]",
		Short: "Find entities",
		Long: `Find entities by words or by <field>:<value>. Without words, or with *, find all
entities.

Words that begin with /q are a structured query: terms that must all be found,
with AND, OR, NOT (or -), parentheses, "phrases", beginnings* and <field>:<value>.
Put it in single quotes, so that the shell leaves it as it is.

A --filter is field=value. Several values of one field, separated by commas or
given in several filters, are alternatives. Filters on several fields must all
match. Where a field contains URNs (platform, owners, tags, glossaryTerms, domains,
container), a value may be a name.

` + exitHelp,
		Example: `  headwater search orders
  headwater search tags:PII --type dataset
  headwater search '/q tag:PII AND (orders OR "order lines") -staging'
  headwater search --filter origin=PROD --filter platform=hive --facets`,
		RunE: func(c *cobra.Command, args []string) error { return e.search(c.Context(), strings.Join(args, " "), &o) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.types, "type", nil, "entity types to search (default: all)")
	f.StringArrayVar(&o.filters, "filter", nil, "field=value; repeatable")
	f.IntVar(&o.start, "start", 0, "number of hits to skip")
	f.IntVar(&o.limit, "limit", limits.DefaultSearchPage, fmt.Sprintf("number of hits to show, at most %d", limits.MaxPageCount))
	f.BoolVar(&o.facets, "facets", false, "show the facets of the hits")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

func (e *environment) search(ctx context.Context, input string, o *searchOptions) error {
	criteria, err := criteriaOf(o.filters)
	if err != nil {
		return err
	}
	if err := e.resolveCriteria(ctx, criteria); err != nil {
		return err
	}
	filter := filterOf(criteria)
	if input == "" {
		input = "*"
	}
	body, err := json.Marshal(map[string]any{"input": input, "entities": o.types, "start": o.start, "count": o.limit, "filter": filter})
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := e.client().Post(ctx, "/entities?action=searchAcrossEntities", body, &raw); err != nil {
		return err
	}
	if e.output == "json" {
		return e.writeJSON(raw)
	}
	var found searchFound
	if err := decodeAnswer(raw, &found); err != nil {
		return err
	}
	return e.showSearch(ctx, &found, input, o)
}

// criterion is a field with the values of which it must have one.
type criterion struct {
	Field  string   `json:"field"`
	Values []string `json:"values"`
}

// criteriaOf reads field=value filters.
func criteriaOf(filters []string) ([]*criterion, error) {
	var all []*criterion
	for _, text := range filters {
		field, value, ok := strings.Cut(text, "=")
		if !ok || field == "" || value == "" {
			return nil, usageError{fmt.Errorf("--filter %q is not field=value", text)}
		}
		values := strings.Split(value, ",")
		if strings.HasPrefix(value, "urn:") {
			values = []string{value} // the commas belong to the URN
		}
		known := false
		for _, c := range all {
			if c.Field == field {
				c.Values, known = append(c.Values, values...), true
			}
		}
		if !known {
			all = append(all, &criterion{field, values})
		}
	}
	return all, nil
}

// filterOf is a filter in the form of the interface, nil without criteria.
func filterOf(all []*criterion) map[string]any {
	if len(all) == 0 {
		return nil
	}
	return map[string]any{"or": []any{map[string]any{"and": all}}}
}
