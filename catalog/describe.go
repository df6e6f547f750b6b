package catalog

import (
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// DescribeNodes returns the function that tells a graph store what people see of an
// entity of which only the URN is known.
func DescribeNodes(r *model.Registry) func(urn string) graphstore.Description {
	return func(urn string) graphstore.Description {
		u := model.StoredURN(urn)
		if u.IsZero() {
			return graphstore.Description{Name: urn}
		}
		d := graphstore.Description{Name: r.NodeName(u)}
		if holder, path, ok := model.ColumnOf(u); ok {
			d.Holder, d.FieldPath = holder.String(), path
		}
		return d
	}
}

// SchemaColumns returns the function that lists the columns of a stored schema of an
// entity, as URNs.
func SchemaColumns(r *model.Registry) func(urn string, schema json.RawMessage) ([]string, error) {
	return func(urn string, schema json.RawMessage) ([]string, error) {
		u := model.StoredURN(urn)
		value, err := r.ParseStored(model.AspectSchemaMetadata, schema)
		if err != nil || u.IsZero() {
			return nil, err
		}
		return model.Columns(u, value), nil
	}
}

// updateColumns records which columns an aspect gives the entity that its former value
// did not, and the other way round. Either value may be nil.
func (s *session) updateColumns(ch *change, former, value *model.Value) {
	if ch.aspect.Name != model.AspectSchemaMetadata {
		return
	}
	before, after := model.Columns(ch.urn, former), model.Columns(ch.urn, value)
	if slices.Equal(before, after) {
		return
	}
	n := s.node(ch)
	n.GainedColumns, n.LostColumns = append(n.GainedColumns, without(after, before)...), append(n.LostColumns, without(before, after)...)
}

// without returns the texts of a list that are not in another.
func without(list, other []string) []string {
	known := make(map[string]bool, len(other))
	for _, text := range other {
		known[text] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return known[text] })
}
