package model

import "slices"

// Column-level lineage is stated by no annotated field of its own: the edges
// between columns all have this relationship, and lead upstream.
const (
	schemaFieldType   = "schemaField"
	columnLineageName = "DownstreamOf"
)

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
