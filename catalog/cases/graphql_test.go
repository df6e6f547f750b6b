package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/gql/object"
)

// graphQLDoor asks over GraphQL.
type graphQLDoor struct{ handler http.Handler }

func newGraphQL(c *services.Services) graphQLDoor {
	return graphQLDoor{gql.New(gql.Options{Catalog: c})}
}

func (graphQLDoor) name() string { return "graphql" }

func (d graphQLDoor) ask(q *question) (answer, error) {
	switch {
	case q.Lineage != nil:
		a, err := d.lineage(q.Lineage)
		if errors.Is(err, errNotExpressible) {
			return d.graph(q.Lineage)
		}
		return a, err
	case q.Impact != nil:
		return d.impact(q.Impact)
	case q.Diff != nil:
		return d.diff(q.Diff)
	case q.Search != nil:
		return d.search(q.Search)
	case q.Autocomplete != nil:
		return d.autocomplete(q.Autocomplete)
	case q.Browse != nil:
		return d.browse(q.Browse)
	case q.BrowseV2 != nil:
		return d.browseV2(q.BrowseV2)
	case q.BrowsePaths != nil:
		return d.browsePaths(q.BrowsePaths)
	case q.Count != nil:
		return d.count(q.Count)
	}
	return nil, errNotExpressible
}

// query asks for one field, whose value it decodes.
func (d graphQLDoor) query(field, inputType, selection string, input map[string]any, value any) (answer, error) {
	body, err := json.Marshal(map[string]any{
		"query":     fmt.Sprintf("query q($input: %s!) { answer: %s(input: $input) %s }", inputType, field, selection),
		"variables": map[string]any{"input": input},
	})
	if err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	d.handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(string(body))))
	var envelope struct {
		Data   struct{ Answer json.RawMessage }
		Errors []struct {
			Message    string
			Extensions struct{ Code int }
		}
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &envelope); err != nil || recorder.Code != http.StatusOK {
		return nil, fmt.Errorf("%d %s: %w", recorder.Code, recorder.Body, err)
	}
	if len(envelope.Errors) > 0 {
		return refusal(codeOf(envelope.Errors[0].Extensions.Code), envelope.Errors[0].Message), nil
	}
	return nil, json.Unmarshal(envelope.Data.Answer, value)
}

// typesOf returns entity types as GraphQL spells them.
func typesOf(names []string) ([]object.EntityType, error) {
	types := []object.EntityType{}
	for _, name := range names {
		t, ok := object.TypeOf(name)
		if !ok {
			return nil, errNotExpressible
		}
		types = append(types, t)
	}
	return types, nil
}

// filterInto adds a filter to an input, as orFilters or as the older filters.
func filterInto(input map[string]any, f *catalog.Filter, older bool) error {
	if f == nil {
		return nil
	}
	criteria := func(list []catalog.Criterion) ([]map[string]any, error) {
		inputs := []map[string]any{}
		for _, c := range list {
			if c.Condition == catalog.CondIsNull { // the schema does not have this condition
				return nil, errNotExpressible
			}
			in := map[string]any{"field": c.Field, "negated": c.Negated}
			if c.Condition != "" {
				in["condition"] = c.Condition
			}
			if c.Values != nil {
				in["values"] = c.Values
			}
			if c.Value != "" || c.Values == nil {
				in["value"] = c.Value
			}
			inputs = append(inputs, in)
		}
		return inputs, nil
	}
	if len(f.Criteria) > 0 {
		legacy, err := criteria(f.Criteria)
		if input["filters"] = legacy; !older {
			return errNotExpressible
		}
		return err
	}
	alternatives := []map[string]any{}
	for _, conjunction := range f.Or {
		and, err := criteria(conjunction.And)
		if err != nil {
			return err
		}
		alternatives = append(alternatives, map[string]any{"and": and})
	}
	input["orFilters"] = alternatives
	return nil
}

// lineage is a search among everything up- or downstream. It finds entities and no columns, and leaves out
// soft-deleted entities.
func (d graphQLDoor) lineage(q *lineageQuestion) (answer, error) {
	paged := q.Start != 0 || q.Count != 0
	selected := len(q.Where.Platforms)+len(q.Where.Owners)+len(q.Where.Tags)+len(q.Where.Terms)+len(q.Where.Domains) > 0
	if paged || selected || q.Edges || q.Removed != "" {
		return nil, errNotExpressible
	}
	a, err := d.search(&searchQuestion{Among: &q.walk, Types: q.Where.Types, Input: "*", Count: page})
	if a["refused"] == nil && err == nil {
		delete(a, "ordered") // a search has an order of its own
		if q.Paths == 0 {
			delete(a, "paths") // it has them always
		}
	}
	return a, err
}

// walkInto adds a walk to an input.
func walkInto(input map[string]any, w *walk) error {
	if w.Columns || w.MergeSiblings || w.Reach != 0 || strings.HasPrefix(w.Of, "urn:li:schemaField:") {
		return errNotExpressible
	}
	input["urn"], input["direction"] = w.Of, w.direction()
	if w.Hops != 0 {
		input["maxHops"] = w.Hops
	}
	for name, value := range map[string]int64{"asOf": millis(w.AsOf), "startTimeMillis": w.From, "endTimeMillis": w.To} {
		if value != 0 {
			input[name] = value
		}
	}
	return nil
}

// foundOverGraphQL is an answer to a search.
type foundOverGraphQL struct {
	Total         int
	NextScrollID  string
	Partial       *bool
	SearchResults []struct {
		Entity        struct{ URN string }
		Degree        int
		MatchedFields []struct{ Name, Value string }
		Paths         []struct{ Path []struct{ URN string } }
	}
	Facets []struct {
		Field, DisplayName string
		Aggregations       []struct {
			Value string
			Count int
		}
	}
}

func (d graphQLDoor) search(q *searchQuestion) (answer, error) {
	if q.Facets != nil || q.Sort != nil && q.Among != nil && q.Scroll {
		return nil, errNotExpressible
	}
	types, err := typesOf(q.Types)
	if err != nil {
		return nil, err
	}
	input := map[string]any{"query": q.Input, "types": types, "count": size(q.Count)}
	field, more, hits, what := "search", "", "matchedFields { name value }", "Entities"
	if q.Among != nil {
		what, more, hits = "Lineage", " partial", hits+" degree paths { path { urn } }"
		if err := walkInto(input, q.Among); err != nil {
			return nil, err
		}
	}
	if q.Scroll {
		field, more = "scroll", more+" nextScrollId"
	} else {
		input["start"] = q.Start
	}
	if q.View != "" {
		input["viewUrn"] = q.View
	}
	if q.Sort != nil {
		order := q.Sort.Order
		if order == "" {
			order = "ASCENDING"
		}
		if !object.SortOrder(order).IsValid() {
			return nil, errNotExpressible
		}
		input["sortInput"] = map[string]any{"sortCriterion": map[string]string{"field": q.Sort.Field, "sortOrder": order}}
	}
	if err := filterInto(input, q.Filter, !q.Scroll); err != nil {
		return nil, err
	}
	field += "Across" + what
	selection := fmt.Sprintf("{ total%s searchResults { entity { urn } %s } facets { field displayName aggregations { value count } } }", more, hits)
	inputType := strings.ToUpper(field[:1]) + field[1:] + "Input"
	var refused answer
	a, err := pages(q, func(scroll string) (*found, error) {
		if scroll != "" {
			input["scrollId"] = scroll
		}
		var value foundOverGraphQL
		if refused, err = d.query(field, inputType, selection, input, &value); err != nil || refused != nil {
			return &found{}, err
		}
		return value.found(), nil
	})
	if refused != nil {
		return refused, nil
	}
	return a, err
}

func (v *foundOverGraphQL) found() *found {
	f := &found{total: v.Total, scroll: v.NextScrollID, partial: v.Partial, facets: map[string]map[string]int{}, titles: map[string]string{}}
	for _, facet := range v.Facets {
		counts := map[string]int{}
		for _, n := range facet.Aggregations {
			value := n.Value
			if facet.Field == "_entityType" {
				value = object.NameOf(object.EntityType(value))
			}
			counts[value] = n.Count
		}
		f.facets[facet.Field], f.titles[facet.Field] = counts, facet.DisplayName
	}
	for _, r := range v.SearchResults {
		h := hit{urn: r.Entity.URN, degree: r.Degree, matched: map[string]string{}}
		for _, m := range r.MatchedFields {
			h.matched[m.Name] = m.Value
		}
		for _, path := range r.Paths {
			var urns []string
			for _, s := range path.Path {
				urns = append(urns, s.URN)
			}
			h.paths = append(h.paths, urns)
		}
		f.hits = append(f.hits, h)
	}
	return f
}

func (d graphQLDoor) autocomplete(q *autocompleteQuestion) (answer, error) {
	types, err := typesOf([]string{q.Type})
	if err != nil || strings.TrimSpace(q.Query) == "" { // a blank query is refused
		return nil, errNotExpressible
	}
	input := map[string]any{"type": types[0], "query": q.Query, "limit": limit(q.Limit)}
	if q.Field != "" {
		input["field"] = q.Field
	}
	if err := filterInto(input, q.Filter, true); err != nil {
		return nil, err
	}
	var value struct {
		Suggestions []string
		Entities    []struct{ URN string }
	}
	refused, err := d.query("autoComplete", "AutoCompleteInput", "{ suggestions entities { urn } }", input, &value)
	if err != nil || refused != nil {
		return refused, err
	}
	a, urns := answer{"suggestions": value.Suggestions, "suggested": len(value.Suggestions)}, []string{}
	for _, e := range value.Entities {
		urns = append(urns, e.URN)
	}
	a.list(urns)
	return a, nil
}

// browseInput is the input of both kinds of browsing.
func browseInput(q *browseQuestion, separator string, older bool) (map[string]any, error) {
	types, err := typesOf([]string{q.Type})
	if err != nil {
		return nil, err
	}
	steps := slices.DeleteFunc(strings.Split(q.Path, separator), func(step string) bool { return step == "" })
	input := map[string]any{"type": types[0], "path": steps, "start": q.Start, "count": limit(q.Limit)}
	return input, filterInto(input, q.Filter, older)
}

// groupsOverGraphQL are groups of either kind.
type groupsOverGraphQL struct {
	Total    int
	Entities []struct{ URN string }
	Groups   []struct {
		Name         string
		Count        int
		Entity       struct{ URN string }
		HasSubGroups bool
	}
	Metadata struct{ TotalNumEntities int }
}

func (d graphQLDoor) browse(q *browseQuestion) (answer, error) {
	input, err := browseInput(q, "/", true)
	if err != nil {
		return nil, err
	}
	var value groupsOverGraphQL
	refused, err := d.query("browse", "BrowseInput", "{ total entities { urn } groups { name count } metadata { totalNumEntities } }", input, &value)
	if err != nil || refused != nil {
		return refused, err
	}
	p := place{entities: value.Total, below: value.Metadata.TotalNumEntities}
	for _, g := range value.Groups {
		p.steps = append(p.steps, browseGroup{name: g.Name, count: g.Count})
	}
	for _, e := range value.Entities {
		p.hits = append(p.hits, e.URN)
	}
	return p.answer(), nil
}

func (d graphQLDoor) browseV2(q *browseQuestion) (answer, error) {
	input, err := browseInput(q, "␟", false)
	if err != nil {
		return nil, err
	}
	if q.Input != "" {
		input["query"] = q.Input
	}
	var value groupsOverGraphQL
	refused, err := d.query("browseV2", "BrowseV2Input", "{ total groups { name count hasSubGroups entity { urn } } metadata { totalNumEntities } }", input, &value)
	if err != nil || refused != nil {
		return refused, err
	}
	p := place{below: value.Metadata.TotalNumEntities, groups: &value.Total}
	for _, g := range value.Groups {
		p.steps = append(p.steps, browseGroup{g.Name, g.Count, g.Entity.URN, g.HasSubGroups})
	}
	a := p.answer()
	for _, untold := range []string{"found", "ordered", "entities"} {
		delete(a, untold)
	}
	return a, nil
}

func (d graphQLDoor) browsePaths(q *browsePathQuestion) (answer, error) {
	types, err := typesOf([]string{strings.Split(q.Of+"::", ":")[2]})
	if err != nil {
		return nil, err
	}
	var value []struct{ Path []string }
	refused, err := d.query("browsePaths", "BrowsePathsInput", "{ path }", map[string]any{"type": types[0], "urn": q.Of}, &value)
	if err != nil || refused != nil {
		return refused, err
	}
	paths := []string{}
	for _, p := range value {
		paths = append(paths, "/"+strings.Join(p.Path, "/"))
	}
	return answer{"paths": paths}, nil
}

func (d graphQLDoor) count(q *countQuestion) (answer, error) {
	types, err := typesOf(q.Types)
	if err != nil {
		return nil, err
	}
	var value struct {
		Counts []struct {
			EntityType object.EntityType
			Count      int
		}
	}
	refused, err := d.query("getEntityCounts", "EntityCountInput", "{ counts { entityType count } }", map[string]any{"types": types}, &value)
	if err != nil || refused != nil {
		return refused, err
	}
	counts := map[string]int{}
	for _, n := range value.Counts {
		counts[object.NameOf(n.EntityType)] = n.Count
	}
	return answer{"counts": counts}, nil
}
