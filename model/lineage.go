package model

import "slices"

// EdgeKind is a relationship between entities of two types. An empty destination type means
// any type.
type EdgeKind struct{ Relationship, SourceType, DestinationType string }

// LineageKind is an EdgeKind that is lineage. Upstream: the destination of such an edge is
// upstream of its source.
type LineageKind struct {
	EdgeKind
	Upstream bool
}

// RelationshipIndirectlyDownstreamOf leads from a column to a column that is read to make it and
// whose values do not flow into it, as the columns that a query joins or filters on. The model of
// the reference does not have this relationship.
const RelationshipIndirectlyDownstreamOf = "IndirectlyDownstreamOf"

// ColumnLineage returns the kind of lineage between columns.
func ColumnLineage() LineageKind {
	return LineageKind{EdgeKind{RelationshipDownstreamOf, EntitySchemaField, EntitySchemaField}, true}
}

// LineageKinds returns the kinds of lineage between entities. Callers may append to the
// list, but must not change it.
func (r *Registry) LineageKinds() []LineageKind {
	return slices.Clip(r.lineageKinds)
}

// addLineageKinds adds the edge kinds of a relationship that is lineage.
func (r *Registry) addLineageKinds(rel *Relationship) {
	if !rel.IsLineage {
		return
	}
	for _, source := range rel.SourceEntities {
		for _, destination := range rel.DestinationTypes {
			kind := LineageKind{EdgeKind{rel.Name, source, destination}, rel.IsUpstream}
			if !slices.Contains(r.lineageKinds, kind) {
				r.lineageKinds = append(r.lineageKinds, kind)
			}
		}
	}
}

// EdgeKinds returns all kinds of edges that aspects can state.
func (r *Registry) EdgeKinds() []EdgeKind {
	kinds := []EdgeKind{
		{RelationshipDownstreamOf, EntitySchemaField, EntitySchemaField},
		{RelationshipDownstreamOf, EntitySchemaField, EntityDataset},
		{RelationshipIndirectlyDownstreamOf, EntitySchemaField, EntitySchemaField},
	}
	for _, rel := range r.relationships {
		destinations := rel.DestinationTypes
		if rel.ofColumns() {
			destinations = []string{EntitySchemaField}
		}
		if len(destinations) == 0 {
			destinations = []string{""}
		}
		for _, source := range rel.SourceEntities {
			for _, destination := range destinations {
				if kind := (EdgeKind{rel.Name, source, destination}); !slices.Contains(kinds, kind) {
					kinds = append(kinds, kind)
				}
			}
		}
	}
	return kinds
}

// IsLineage reports whether an edge between entities of two types is lineage, and whether
// its destination is then upstream of its source.
func (r *Registry) IsLineage(relationship, sourceType, destinationType string) (lineage, upstream bool) {
	if sourceType == EntitySchemaField && destinationType == EntitySchemaField {
		return relationship == RelationshipDownstreamOf, true
	}
	for _, rel := range r.relationships {
		if rel.IsLineage && rel.Name == relationship && slices.Contains(rel.SourceEntities, sourceType) &&
			slices.Contains(rel.DestinationTypes, destinationType) {
			return true, rel.IsUpstream
		}
	}
	return false, false
}
