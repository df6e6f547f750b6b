package cli

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

// Criterion is a condition of a filter: the field must have one of the values.
type Criterion struct {
	Field  string   `json:"field"`
	Values []string `json:"values"`
}

// CriteriaOf reads field=value filters.
func CriteriaOf(filters []string) ([]*Criterion, error) {
	var all []*Criterion
	for _, text := range filters {
		field, value, ok := strings.Cut(text, "=")
		if !ok || field == "" || value == "" {
			return nil, BadUsage(fmt.Errorf("--filter %q is not field=value", text))
		}
		values := strings.Split(value, ",")
		if strings.HasPrefix(value, "urn:") {
			values = []string{value} // a URN, whose commas do not separate values
		}
		known := false
		for _, c := range all {
			if c.Field == field {
				c.Values, known = append(c.Values, values...), true
			}
		}
		if !known {
			all = append(all, &Criterion{field, values})
		}
	}
	return all, nil
}

// FilterOf returns a filter in the interface's form, nil without criteria.
func FilterOf(all []*Criterion) map[string]any {
	if len(all) == 0 {
		return nil
	}
	return map[string]any{"or": []any{map[string]any{"and": all}}}
}

// FieldTypes has the search fields whose values are URNs, with the entity types of these
// URNs.
var FieldTypes = map[string][]string{
	"platform":      FilterTypes["platform"],
	"owners":        FilterTypes["owner"],
	"tags":          FilterTypes["tag"],
	"fieldTags":     FilterTypes["tag"],
	"glossaryTerms": FilterTypes["term"],
	"domains":       FilterTypes["domain"],
	"container":     {model.EntityContainer},
}

// ResolveCriteria replaces the names among the values of a search filter by URNs.
func (e *Environment) ResolveCriteria(ctx context.Context, all []*Criterion) error {
	for _, c := range all {
		types, ok := FieldTypes[c.Field]
		if !ok {
			continue
		}
		for i, value := range c.Values {
			urn, err := e.ValueOf(ctx, value, types)
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

// Criteria completes the values of --filter: field names, and names of entities after a
// field.
func (e *Environment) Criteria(ctx context.Context, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	field, value, ok := strings.Cut(typed, "=")
	if !ok {
		fields := func(yield func(string) bool) {
			for _, name := range slices.Sorted(maps.Keys(FieldTypes)) {
				if !yield(name + "=") {
					return
				}
			}
		}
		return BeginningWith(typed, fields), cobra.ShellCompDirectiveNoSpace
	}
	types, known := FieldTypes[field]
	if !known {
		return nil, cobra.ShellCompDirectiveDefault
	}
	found, directive := e.Names(client.NameQuery{Part: EntityPart, Types: types})(ctx, args, value)
	for i := range found {
		found[i] = field + "=" + found[i]
	}
	return found, directive
}
