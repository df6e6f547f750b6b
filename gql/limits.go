package gql

import (
	"context"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/headwater-io/headwater/catalog"
)

// limits refuse queries that would be too much work, before they do any.
type limits struct {
	// depth is how many fields may be within each other.
	depth int
	// weight is how many fields an answer may have if every page is full.
	weight int
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = limits{}

// ExtensionName identifies the extension to the engine.
func (l limits) ExtensionName() string { return "Limits" }

// Validate accepts every schema.
func (l limits) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext checks an operation.
func (l limits) MutateOperationContext(_ context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	m := meter{variables: operation.Variables, fragments: map[string]measure{}, limit: l.weight}
	size := m.selection(operation.Operation.SelectionSet)
	var err *catalog.Error
	switch {
	case size.depth > l.depth:
		err = catalog.Errorf(catalog.Invalid, "the query has %d fields within each other, at most %d are taken", size.depth, l.depth)
	case size.weight > l.weight:
		err = catalog.Errorf(catalog.Invalid, "the answer could have more than %d fields; ask for smaller pages or fewer fields", l.weight)
	default:
		return nil
	}
	return gqlerror.Wrap(err)
}

// measure is the size of a part of a query.
type measure struct{ depth, weight int }

// meter measures parts of a query. A fragment is measured once.
type meter struct {
	variables map[string]any
	fragments map[string]measure
	limit     int
}

func (m *meter) selection(set ast.SelectionSet) measure {
	var whole measure
	for _, selected := range set {
		part := m.part(selected)
		whole.depth = max(whole.depth, part.depth)
		whole.weight = min(whole.weight+part.weight, m.limit+1) // beyond the limit it does not matter how far
	}
	return whole
}

func (m *meter) part(selected ast.Selection) measure {
	switch selected := selected.(type) {
	case *ast.Field:
		below := m.selection(selected.SelectionSet)
		weight := 1
		if below.weight > 0 {
			weight += min(below.weight*min(m.times(selected), m.limit+1), m.limit+1)
		}
		return measure{below.depth + 1, weight}
	case *ast.InlineFragment:
		return m.selection(selected.SelectionSet)
	case *ast.FragmentSpread:
		size, ok := m.fragments[selected.Name]
		if !ok && selected.Definition != nil {
			size = m.selection(selected.Definition.SelectionSet)
			m.fragments[selected.Name] = size
		}
		return size
	}
	return measure{}
}

// introspected are about how many items the lists of an introspection have.
var introspected = map[string]int{"types": 300, "fields": 20, "possibleTypes": 5, "interfaces": 3, "args": 3, "inputFields": 5, "enumValues": 5}

// defaultPages are the sizes of pages of fields that take one, when none is
// asked for; of other such fields they are 10.
var defaultPages = map[string]int{"lineage": 100, "relationships": 100, "runs": 20, "entities": 20}

// times is how often a field's own fields can be in the answer, as far as the
// query says: the size of the page that it asks for.
func (m *meter) times(f *ast.Field) int {
	if f.Definition == nil {
		return 1
	}
	if n, ok := introspected[f.Name]; ok && f.ObjectDefinition != nil && len(f.ObjectDefinition.Name) > 1 && f.ObjectDefinition.Name[:2] == "__" {
		return n
	}
	if len(f.Definition.Arguments) == 0 {
		return 1
	}
	arguments := f.ArgumentMap(m.variables)
	if urns, ok := arguments["urns"].([]any); ok {
		return max(len(urns), 1)
	}
	if n, ok := pageSize(arguments); ok {
		return n
	}
	if input, ok := arguments["input"].(map[string]any); ok {
		if n, ok := pageSize(input); ok {
			return n
		}
	}
	if n, ok := defaultPages[f.Name]; ok {
		return n
	}
	if f.Definition.Arguments.ForName("count") != nil || f.Definition.Arguments.ForName("input") != nil {
		return 10
	}
	return 1
}

func pageSize(arguments map[string]any) (int, bool) {
	for _, name := range []string{"count", "limit"} {
		switch n := arguments[name].(type) {
		case int64:
			return clamp(n), true
		case int:
			return clamp(int64(n)), true
		case json.Number:
			if i, err := n.Int64(); err == nil {
				return clamp(i), true
			}
		}
	}
	return 0, false
}

// clamp keeps a requested page within what any listing returns.
func clamp(n int64) int { return int(min(max(n, 1), catalog.MaxPage)) }
