package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/model"
)

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
			return nil, badUsage(fmt.Errorf("--filter %q is not field=value", text))
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

// fieldTypes are the fields of searches whose values are URNs, and of which types.
var fieldTypes = map[string][]string{
	"platform":      filterTypes["platform"],
	"owners":        filterTypes["owner"],
	"tags":          filterTypes["tag"],
	"fieldTags":     filterTypes["tag"],
	"glossaryTerms": filterTypes["term"],
	"domains":       filterTypes["domain"],
	"container":     {model.EntityContainer},
}

// resolveCriteria replaces names by URNs in the values of a filter of a search.
func (e *environment) resolveCriteria(ctx context.Context, all []*criterion) error {
	for _, c := range all {
		types, ok := fieldTypes[c.Field]
		if !ok {
			continue
		}
		for i, value := range c.Values {
			urn, err := e.valueOf(ctx, value, types)
			if err != nil {
				return err
			}
			if urn == value && !strings.HasPrefix(value, "urn:") && len(types) == 1 && slices.Contains(types, model.EntityDataPlatform) {
				urn = "urn:li:dataPlatform:" + value
			}
			c.Values[i] = urn
		}
	}
	return nil
}

// criteria offers the values of --filter: a field, or a name after it.
func (e *environment) criteria(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	field, value, ok := strings.Cut(typed, "=")
	if !ok {
		fields := func(yield func(string) bool) {
			for _, name := range slices.Sorted(maps.Keys(fieldTypes)) {
				if !yield(name + "=") {
					return
				}
			}
		}
		return beginningWith(typed, fields), cobra.ShellCompDirectiveNoSpace
	}
	types, known := fieldTypes[field]
	if !known {
		return nil, cobra.ShellCompDirectiveDefault
	}
	found, directive := e.names(client.NameQuery{Part: entityPart, Types: types})(ctx, args, value)
	for i := range found {
		found[i] = field + "=" + found[i]
	}
	return found, directive
}
