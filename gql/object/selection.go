package object

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// siblingFields are the names of the fields that the query selects of the
// entity whose field is being resolved, of whatever type that entity is.
func siblingFields(ctx context.Context) []string {
	field := graphql.GetFieldContext(ctx)
	if field == nil || !graphql.HasOperationContext(ctx) {
		return nil
	}
	parent := field.Parent
	for parent != nil && parent.Field.Field == nil { // a position in a list
		parent = parent.Parent
	}
	if parent == nil {
		return nil
	}
	return fieldsOf(ctx, parent)
}

// selects reports whether the query selects a field of the one that is being
// resolved. It does, as far as is known, outside of a query.
func selects(ctx context.Context, name string) bool {
	field := graphql.GetFieldContext(ctx)
	if field == nil || !graphql.HasOperationContext(ctx) {
		return true
	}
	return slices.Contains(fieldsOf(ctx, field), name)
}

func fieldsOf(ctx context.Context, field *graphql.FieldContext) []string {
	s := selection{seen: map[string]bool{}, spread: map[string]bool{}}
	s.add(graphql.GetOperationContext(ctx).Doc, field.Field.Selections)
	return s.names
}

// selection gathers field names through fragments, each once.
type selection struct {
	names        []string
	seen, spread map[string]bool
}

func (s *selection) add(doc *ast.QueryDocument, set ast.SelectionSet) {
	for _, selected := range set {
		switch selected := selected.(type) {
		case *ast.Field:
			if !s.seen[selected.Name] {
				s.seen[selected.Name] = true
				s.names = append(s.names, selected.Name)
			}
		case *ast.InlineFragment:
			s.add(doc, selected.SelectionSet)
		case *ast.FragmentSpread:
			if fragment := doc.Fragments.ForName(selected.Name); fragment != nil && !s.spread[selected.Name] {
				s.spread[selected.Name] = true
				s.add(doc, fragment.SelectionSet)
			}
		}
	}
}
