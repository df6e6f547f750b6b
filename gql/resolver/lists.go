package resolver

import (
	"context"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// newestFirst orders entities by the time of their creation.
var newestFirst = &search.SortCriterion{Field: "createdTime", Order: "DESCENDING"}

// newestByStamp orders entities by the time of their creation, for types whose aspects have
// that time in an audit stamp.
var newestByStamp = &search.SortCriterion{Field: "createdAt", Order: "DESCENDING"}

// having returns the filter for entities that have the values in the fields. The value "" is
// ignored.
func having(values map[string]string) *catalog.Filter {
	var all []catalog.Criterion
	for field, value := range values {
		if value != "" {
			all = append(all, catalog.Criterion{Field: field, Value: value, Values: []string{value}, Condition: "EQUAL"})
		}
	}
	return &catalog.Filter{Or: []catalog.Conjunction{{And: all}}}
}

// alsoHaving returns the filter for entities that pass a filter and have the values in the
// fields. The value "" is ignored.
func alsoHaving(or []*object.AndFilterInput, values map[string]string) *catalog.Filter {
	filter, all := object.FilterOf(or, nil), having(values)
	if len(filter.Or) == 0 {
		return all
	}
	for i := range filter.Or {
		filter.Or[i].And = append(filter.Or[i].And, all.Or[0].And...)
	}
	return filter
}

// listViews lists views that have the values in the fields, the newest first.
func listViews(ctx context.Context, start, count *int, query *string, values map[string]string) (*object.ListViewsResult, error) {
	from, size := page(start, count)
	views, found, err := list[*object.DataHubView](ctx, search.Request{
		Types: []string{model.EntityDataHubView}, Input: wordsOr(query), Start: from, Count: size, Sort: newestByStamp, Filter: having(values),
	})
	if err != nil {
		return nil, err
	}
	return &object.ListViewsResult{Start: from, Count: size, Total: found.Total, Views: views}, nil
}

// list searches the entities of one type.
func list[T object.Entity](ctx context.Context, r search.Request) ([]T, *search.Result, error) {
	r.Facets, r.WithoutMatches = []string{}, true
	s := object.SessionOf(ctx)
	found, err := s.Catalog.Search.Search(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	return object.Listed[T](s, found.Hits), found, nil
}

// atTop finds the terms or nodes that are not below a node.
func atTop(entityType string, input object.GetRootGlossaryEntitiesInput) search.Request {
	return search.Request{
		Types: []string{entityType}, Input: "*", Start: input.Start, Count: input.Count,
		Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{edits.AtTop}}}},
	}
}

// pathV2 joins the steps of a newer browse path.
func pathV2(steps []string) string {
	if len(steps) == 0 {
		return ""
	}
	return search.PathV2Separator + strings.Join(steps, search.PathV2Separator)
}

func browsePath(steps []string) string {
	if len(steps) == 0 {
		return ""
	}
	return "/" + strings.Join(steps, "/")
}

// stepsOf returns the steps of a path, and never nil, because the schema requires a list.
func stepsOf(path []string) []string {
	if path == nil {
		return []string{}
	}
	return path
}

// versionsOf parses a version stamp such as datasetProperties:2;ownership:0. It returns nil
// when the stamp is empty.
func versionsOf(stamp *string) (map[string]int64, error) {
	if optional.Or(stamp, "") == "" {
		return nil, nil
	}
	versions := map[string]int64{}
	for part := range strings.SplitSeq(*stamp, ";") {
		name, number, ok := strings.Cut(part, ":")
		version, err := strconv.ParseInt(number, 10, 64)
		if !ok || name == "" || err != nil || version < 0 {
			return nil, catalog.Errorf(catalog.Invalid, "the version stamp must look like datasetProperties:2;ownership:0, not %q", *stamp)
		}
		versions[name] = version
	}
	return versions, nil
}

// suggest completes the names of entities of some types.
func suggest(ctx context.Context, types []string, query string, input object.AutoCompleteMultipleInput) (*search.Suggestions, []object.Entity, error) {
	s := object.SessionOf(ctx)
	view, err := s.URNOrNone(input.ViewUrn)
	if err != nil {
		return nil, nil, err
	}
	found, err := s.Catalog.Search.Autocomplete(ctx, search.AutocompleteRequest{
		Types: types, Query: query, Field: optional.Or(input.Field, ""), Filter: object.FilterOf(input.OrFilters, input.Filters),
		View: view, Limit: optional.Or(input.Limit, limits.DefaultSuggestions),
	})
	if err != nil {
		return nil, nil, err
	}
	return found, object.Listed[object.Entity](s, found.Hits), nil
}

// requireWords fails if the query is empty.
func requireWords(query string) error {
	if strings.TrimSpace(query) == "" {
		return catalog.Errorf(catalog.Invalid, "query must not be blank")
	}
	return nil
}

// facetNames returns the fields whose values are counted; nil means the usual fields.
func facetNames(names []*string) []string {
	var fields []string
	for _, name := range names {
		if name != nil {
			fields = append(fields, *name)
		}
	}
	return fields
}
