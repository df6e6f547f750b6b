package visible

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// That an entity has a tag at all, as the condition hasTags asks, would tell a caller of a tag that is hidden. So the condition
// is asked about the tags that the caller may see.

// tellingFields returns the fields that count others, or tell that there are any, by their names, with those others.
func tellingFields(r *model.Registry, schema *indexer.Schema) map[string][]string {
	fields := map[string][]string{}
	for _, e := range r.Entities() {
		for _, f := range schema.Fields(e.Name) {
			for _, of := range f.Of {
				if !slices.Contains(fields[f.Name], of) {
					fields[f.Name] = append(fields[f.Name], of)
				}
			}
		}
	}
	return fields
}

// mayName reports whether a field has values that are entities which may be hidden from the caller.
func (o *openFields) mayName(field string) bool { return o.urns[field] != nil && !o.has(field) }

// tellsOfHidden reports whether a field tells that there are values which may be hidden from the caller.
func (n *narrowing) tellsOfHidden(field string) bool {
	return slices.ContainsFunc(n.index.tells[field], n.fields.mayName)
}

// tellsIn reports whether a field of a hit tells that there are values which may be hidden from the caller.
func (n *narrowing) tellsIn(hit indexer.Hit) bool {
	for field := range hit.Values {
		if n.tellsOfHidden(field) {
			return true
		}
	}
	return false
}

// isTrue is the text of a field that tells that there are values.
const isTrue = "true"

// presence returns a condition in which only values that the caller may see count as present.
func (n *narrowing) presence(ctx context.Context, e indexer.Expr) (indexer.Expr, error) {
	switch e := e.(type) {
	case indexer.And:
		parts, err := n.presences(ctx, e)
		return indexer.And(parts), err
	case indexer.Or:
		parts, err := n.presences(ctx, e)
		return indexer.Or(parts), err
	case indexer.Not:
		part, err := n.presence(ctx, e.Expr)
		return indexer.Not{Expr: part}, err
	case indexer.Exists:
		if n.fields.mayName(e.Field) {
			return n.visibleIn(ctx, e.Field)
		}
		if n.tellsOfHidden(e.Field) {
			return n.visibleOf(ctx, e.Field)
		}
		if indexer.IsStructured(e.Field) {
			return n.visibleProperty(ctx, e)
		}
	case indexer.Range:
		if n.tellsOfHidden(e.Field) {
			return nil, countsHidden(e.Field)
		}
	case indexer.In:
		if n.tellsOfHidden(e.Field) {
			if slices.Contains(e.Values, isTrue) {
				return n.visibleOf(ctx, e.Field)
			}
			return indexer.Never, nil // documents never have false
		}
	case indexer.Match:
		if n.tellsOfHidden(e.Field) {
			if slices.ContainsFunc(e.Texts, func(text string) bool { return e.Holds(isTrue, text) }) {
				return n.visibleOf(ctx, e.Field)
			}
			return indexer.Never, nil
		}
	case indexer.Words:
		if fields := slices.DeleteFunc(slices.Clone(e.Fields), n.tellsOfHidden); len(fields) < len(e.Fields) {
			if e.Fields = fields; len(fields) == 0 {
				return indexer.Never, nil
			}
		}
		return e, nil
	}
	return e, nil
}

func (n *narrowing) presences(ctx context.Context, parts []indexer.Expr) ([]indexer.Expr, error) {
	changed := make([]indexer.Expr, len(parts))
	for i, part := range parts {
		var err error
		if changed[i], err = n.presence(ctx, part); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// visibleOf returns the condition that one of the fields of which a field tells has a value that the caller may see.
func (n *narrowing) visibleOf(ctx context.Context, telling string) (indexer.Expr, error) {
	either := indexer.Or{}
	for _, field := range n.index.tells[telling] {
		if !n.fields.mayName(field) {
			either = append(either, indexer.Exists{Field: field})
			continue
		}
		part, err := n.visibleIn(ctx, field)
		if err != nil {
			return nil, err
		}
		either = append(either, part)
	}
	return either, nil
}

// countsHidden is the error of a number that counts entities of which some may be hidden from the caller.
func countsHidden(field string) error {
	return catalog.Errorf(catalog.Invalid, "the field %q counts entities, and some may be hidden from you: nothing can be compared with it or ordered by it", field)
}

// visibleIn returns the condition that a field has one of its values. The hidden ones are removed with all others that the
// condition of a caller names.
func (n *narrowing) visibleIn(ctx context.Context, field string) (indexer.Expr, error) {
	values, err := n.valuesOf(ctx, field)
	if err != nil {
		return nil, err
	}
	return oneOf(field, values)
}

// valuesOf returns the values of a field, and one more than the limit if there are too many.
func (n *narrowing) valuesOf(ctx context.Context, field string) ([]string, error) {
	return n.index.Values(ctx, field, limits.VisiblePresence+1)
}

// visibleProperty returns the condition that an entity has a structured property. Only properties with URNs may name hidden entities.
func (n *narrowing) visibleProperty(ctx context.Context, e indexer.Exists) (indexer.Expr, error) {
	values, err := n.valuesOf(ctx, e.Field)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(values, func(value string) bool { return isURN(value) && n.mayHide(value) }) {
		return e, nil
	}
	return oneOf(e.Field, values)
}

func oneOf(field string, values []string) (indexer.Expr, error) {
	if len(values) > limits.VisiblePresence {
		return nil, catalog.Errorf(catalog.Invalid, "the field %q has more than %d values, and some may be hidden from you: ask for the values that you look for, not whether there are any", field, limits.VisiblePresence)
	}
	return indexer.In{Field: field, Values: values}, nil
}
