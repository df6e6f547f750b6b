package object

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// siblingFields returns the names of all fields that the query selects of the entity whose
// field is being resolved, whatever the type of the entity is.
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

// selects reports whether the query selects a field of the object that is being resolved, or a
// field at the end of a path of fields. Outside of a query, selects returns true.
func selects(ctx context.Context, path ...string) bool {
	field := graphql.GetFieldContext(ctx)
	if field == nil || !graphql.HasOperationContext(ctx) {
		return true
	}
	doc, sets := graphql.GetOperationContext(ctx).Doc, []ast.SelectionSet{field.Field.Selections}
	for _, name := range path {
		var below []ast.SelectionSet
		found := false
		for _, set := range sets {
			s := newSelection()
			s.add(doc, set)
			for _, f := range s.fields {
				if f.Name == name {
					found = true
					below = append(below, f.SelectionSet)
				}
			}
		}
		if !found {
			return false
		}
		sets = below
	}
	return true
}

func fieldsOf(ctx context.Context, field *graphql.FieldContext) []string {
	s := newSelection()
	s.add(graphql.GetOperationContext(ctx).Doc, field.Field.Selections)
	var names []string
	for _, f := range s.fields {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// selection gathers fields through fragments.
type selection struct {
	fields []*ast.Field
	spread map[string]bool
}

func newSelection() *selection { return &selection{spread: map[string]bool{}} }

func (s *selection) add(doc *ast.QueryDocument, set ast.SelectionSet) {
	for _, selected := range set {
		switch selected := selected.(type) {
		case *ast.Field:
			s.fields = append(s.fields, selected)
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

// selectsOnly reports whether the query selects no other fields of the object that is being resolved than some. Outside of a
// query, selectsOnly returns false.
func selectsOnly(ctx context.Context, names ...string) bool {
	field := graphql.GetFieldContext(ctx)
	if field == nil || !graphql.HasOperationContext(ctx) {
		return false
	}
	s := newSelection()
	s.add(graphql.GetOperationContext(ctx).Doc, field.Field.Selections)
	return !slices.ContainsFunc(s.fields, func(f *ast.Field) bool { return f.Name != "__typename" && !slices.Contains(names, f.Name) })
}
