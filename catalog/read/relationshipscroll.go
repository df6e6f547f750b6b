package read

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/matching"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// RelationshipScroll asks for the edges of the whole graph, page by page.
type RelationshipScroll struct {
	// Types are relationships, SourceTypes and DestinationTypes the entity types of the ends; empty means all.
	Types, SourceTypes, DestinationTypes []string
	// Direction is OUTGOING, which is the default, or INCOMING. With INCOMING, members about
	// sources apply to destinations, and the other way round.
	Direction string
	// Source and Destination select edges by the urn and entityType of their ends. Edge selects
	// edges by relationshipType, createdOn, createdActor, updatedOn and updatedActor.
	Source, Destination, Edge *catalog.Filter
	// Removed tells that edges of soft-deleted entities count too.
	Removed bool
	Count   int
	After   EdgePlace
}

// endFields are the fields that filters of ends may have, edgeFields the fields that filters of edges may have.
var (
	endFields  = []string{"urn", "entityType"}
	edgeFields = []string{"relationshipType", "createdOn", "createdActor", "updatedOn", "updatedActor"}
)

// ScrollRelationships returns a page of edges.
func (rd *Reader) ScrollRelationships(ctx context.Context, q RelationshipScroll) (*EdgePage, error) {
	switch q.Direction {
	case "", "OUTGOING":
	case "INCOMING":
		q.SourceTypes, q.DestinationTypes, q.Source, q.Destination = q.DestinationTypes, q.SourceTypes, q.Destination, q.Source
	default:
		return nil, catalog.Errorf(catalog.Invalid, "direction must be INCOMING or OUTGOING, not %q", q.Direction)
	}
	if err := q.check(rd); err != nil {
		return nil, err
	}
	q.Source, q.Destination = rd.spelled(q.Source), rd.spelled(q.Destination)
	scan := &EdgeScan{
		Looks: []EdgeLook{{Direction: graphstore.Outgoing, Types: q.Types}}, Keep: q.keeps, Removed: q.Removed, Count: q.Count, After: q.After,
	}
	if seeds, ok := urnsOf(q.Source); ok {
		scan.Seeds = seeds
	} else if seeds, ok := urnsOf(q.Destination); ok {
		scan.Seeds, scan.Looks[0].Direction = seeds, graphstore.Incoming
	} else {
		for _, name := range q.SourceTypes {
			for _, d := range rd.Registry().Dialects() {
				scan.Prefixes = append(scan.Prefixes, "urn:"+d.Namespace+":"+name+":")
			}
		}
	}
	return rd.ScanEdges(ctx, scan)
}

// check checks the lists and filters of a scroll, and spells entity types as the model does.
func (q *RelationshipScroll) check(rd *Reader) error {
	if err := catalog.CheckLists("relationship types", q.Types, q.SourceTypes, q.DestinationTypes); err != nil {
		return err
	}
	for _, types := range []*[]string{&q.SourceTypes, &q.DestinationTypes} {
		*types = slices.Clone(*types)
		for i, name := range *types {
			e, err := rd.EntityType(name)
			if err != nil {
				return err
			}
			(*types)[i] = e.Name
		}
	}
	for _, f := range []struct {
		filter *catalog.Filter
		fields []string
	}{{q.Source, endFields}, {q.Destination, endFields}, {q.Edge, edgeFields}} {
		if err := f.filter.Check(); err != nil {
			return err
		}
		for _, all := range f.filter.Conjunctions() {
			for i := range all.And {
				if !slices.Contains(f.fields, all.And[i].Field) {
					return catalog.Errorf(catalog.Invalid, "relationships cannot be filtered by %q; the fields are %s", all.And[i].Field, strings.Join(f.fields, ", "))
				}
			}
		}
	}
	return nil
}

// keeps reports whether the scroll selects an edge.
func (q *RelationshipScroll) keeps(e *graphstore.Edge) bool {
	source, destination := endOf(e.Source), endOf(e.Destination)
	among := func(types []string, end graphEnd) bool {
		return len(types) == 0 || slices.Contains(types, end.entityType)
	}
	return among(q.SourceTypes, source) && among(q.DestinationTypes, destination) &&
		matching.Matches(q.Source, source) && matching.Matches(q.Destination, destination) && matching.Matches(q.Edge, edgeValues{e})
}

// spelled returns a filter with its values in the spelling of the graph.
func (rd *Reader) spelled(f *catalog.Filter) *catalog.Filter {
	if f == nil {
		return nil
	}
	spelled := &catalog.Filter{}
	for _, all := range f.Conjunctions() {
		and := slices.Clone(all.And)
		for i := range and {
			values := []string{}
			for _, operand := range and[i].Operands() {
				values = append(values, rd.Spelled(operand))
			}
			and[i].Values = values
		}
		spelled.Or = append(spelled.Or, catalog.Conjunction{And: and})
	}
	return spelled
}

// urnsOf returns the URNs that pass a filter, and false if the filter does not list all of
// them.
func urnsOf(f *catalog.Filter) ([]string, bool) {
	urns, conjunctions := []string{}, f.Conjunctions()
	for _, all := range conjunctions {
		at := slices.IndexFunc(all.And, func(one catalog.Criterion) bool {
			return one.Field == "urn" && !one.Negated && slices.Contains([]string{"", catalog.CondEqual, catalog.CondIn}, one.Condition) && len(one.Values) > 0
		})
		if at < 0 {
			return nil, false
		}
		urns = append(urns, all.And[at].Values...)
	}
	slices.Sort(urns)
	return slices.Compact(urns), len(conjunctions) > 0
}

// graphEnd has the values of an edge's end that filters compare.
type graphEnd struct{ urn, entityType string }

func endOf(urn string) graphEnd { return graphEnd{urn, model.StoredURN(urn).EntityType()} }

func (e graphEnd) Values(field string) []any {
	if field == "urn" {
		return []any{e.urn}
	}
	return []any{e.entityType}
}

// edgeValues has the values of an edge that filters compare.
type edgeValues struct{ *graphstore.Edge }

func (e edgeValues) Values(field string) []any {
	switch field {
	case "relationshipType":
		return []any{e.Type}
	case "createdOn":
		return []any{e.CreatedOn}
	case "createdActor":
		return []any{e.CreatedActor}
	case "updatedOn":
		return []any{e.UpdatedOn}
	}
	return []any{e.UpdatedActor}
}
