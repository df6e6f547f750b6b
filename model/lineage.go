package model

import "slices"

// Column-level lineage is stated by no annotated field of its own: the edges
// between columns all have this relationship, and lead upstream.
const (
	schemaFieldType   = "schemaField"
	columnLineageName = "DownstreamOf"
)

// EdgeKind is a relationship between entities of two types. An empty
// destination type is any.
type EdgeKind struct{ Relationship, SourceType, DestinationType string }

// LineageKind is a kind of edge that is lineage. Upstream says that its
// destination is upstream of its source.
type LineageKind struct {
	EdgeKind
	Upstream bool
}

// ColumnLineage is the kind of edge between columns.
func ColumnLineage() LineageKind {
	return LineageKind{EdgeKind{columnLineageName, schemaFieldType, schemaFieldType}, true}
}

// LineageKinds are the kinds of edge between entities that are lineage.
func (r *Registry) LineageKinds() []LineageKind {
	var kinds []LineageKind
	for _, rel := range r.relationships {
		if !rel.IsLineage {
			continue
		}
		for _, source := range rel.SourceEntities {
			for _, destination := range rel.DestinationTypes {
				kind := LineageKind{EdgeKind{rel.Name, source, destination}, rel.IsUpstream}
				if !slices.Contains(kinds, kind) {
					kinds = append(kinds, kind)
				}
			}
		}
	}
	return kinds
}

// EdgeKinds are all kinds of edge that aspects can state.
func (r *Registry) EdgeKinds() []EdgeKind {
	kinds := []EdgeKind{
		{columnLineageName, schemaFieldType, schemaFieldType}, {columnLineageName, schemaFieldType, "dataset"},
	}
	for _, rel := range r.relationships {
		if rel.Path == fineGrainedPath {
			continue // between columns
		}
		destinations := rel.DestinationTypes
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

// LineageSteps names the relationships that lead from entities of a type one
// hop upstream, or else downstream: those that leave the entity and those that
// lead to it.
func (r *Registry) LineageSteps(entityType string, upstream bool) (outgoing, incoming []string) {
	add := func(names *[]string, name string) {
		if !slices.Contains(*names, name) {
			*names = append(*names, name)
		}
	}
	for _, rel := range r.relationships {
		if !rel.IsLineage {
			continue
		}
		if rel.IsUpstream == upstream && slices.Contains(rel.SourceEntities, entityType) {
			add(&outgoing, rel.Name)
		}
		if rel.IsUpstream != upstream && slices.Contains(rel.DestinationTypes, entityType) {
			add(&incoming, rel.Name)
		}
	}
	if entityType == schemaFieldType {
		if upstream {
			add(&outgoing, columnLineageName)
		} else {
			add(&incoming, columnLineageName)
		}
	}
	return outgoing, incoming
}

// IsLineage reports whether an edge between entities of two types is lineage,
// and whether its destination is then upstream of its source.
func (r *Registry) IsLineage(relationship, sourceType, destinationType string) (lineage, upstream bool) {
	if sourceType == schemaFieldType && destinationType == schemaFieldType {
		return relationship == columnLineageName, true
	}
	for _, rel := range r.relationships {
		if rel.IsLineage && rel.Name == relationship && slices.Contains(rel.SourceEntities, sourceType) &&
			slices.Contains(rel.DestinationTypes, destinationType) {
			return true, rel.IsUpstream
		}
	}
	return false, false
}
