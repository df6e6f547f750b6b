package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// Edge is an edge that an aspect states.
type Edge struct {
	Source, SourceType           string
	Relationship                 string
	Destination, DestinationType string
	// Path is the field that states it, as in owners/*/owner.
	Path string
	// CreatedOn and UpdatedOn are epoch milliseconds; zero means not stated.
	CreatedOn, UpdatedOn       int64
	CreatedActor, UpdatedActor string
	// Properties is a JSON object or empty.
	Properties json.RawMessage
}

type edgeKey struct{ source, relationship, destination, path string }

// edgeSet keeps the first statement of each edge, in order.
type edgeSet struct {
	edges []Edge
	seen  map[edgeKey]bool
}

func (s *edgeSet) add(e Edge) {
	key := edgeKey{e.Source, e.Relationship, e.Destination, e.Path}
	if !s.seen[key] {
		s.seen[key] = true
		s.edges = append(s.edges, e)
	}
}

// Edges returns the edges that an aspect of owner states, each once, in the
// order of the model and of the value. Text that is no URN states nothing.
func (r *Registry) Edges(owner URN, v *Value) []Edge {
	if len(v.Aspect.relationships) == 0 {
		return nil
	}
	set := edgeSet{seen: map[edgeKey]bool{}}
	for _, rel := range v.Aspect.relationships {
		jsontree.Walk(v.Tree, rel.steps, func(leaf any, chosen []string) {
			if text, ok := leaf.(string); ok {
				if u, err := r.parseNormal(text); err == nil && rel.states(u) {
					e := Edge{
						Source: owner.text, SourceType: owner.entityType, Relationship: rel.Name,
						Destination: u.text, DestinationType: u.entityType, Path: rel.Path,
					}
					rel.attributes(v.Tree, chosen, &e)
					set.add(e)
				}
			}
		})
	}
	switch v.Aspect.Name {
	case AspectUpstreamLineage, AspectDataJobInputOutput:
		r.fineGrainedEdges(v.Tree, &set)
	case AspectInputFields:
		r.inputFieldEdges(owner, v.Tree, &set)
	}
	return set.edges
}

// states reports whether the relationship is stated with a destination. What
// fine-grained lineage names beside columns are whole datasets; that the owner
// derives from those, and is lineage of it, is for upstreams to say.
func (rel *Relationship) states(destination URN) bool {
	return !rel.ofColumns() || destination.entityType == EntitySchemaField
}

// ofColumns reports whether the relationship leads from an entity to the
// columns that its fine-grained lineage begins at.
func (rel *Relationship) ofColumns() bool { return rel.Path == fineGrainedPath }

// attributes fills in what the aspect states about the edge itself.
func (rel *Relationship) attributes(tree map[string]any, chosen []string, e *Edge) {
	for attribute, steps := range rel.extra {
		value := jsontree.Follow(tree, steps, chosen)
		if value == nil {
			continue
		}
		switch attribute {
		case "createdOn":
			e.CreatedOn = jsontree.Integer(value)
		case "updatedOn":
			e.UpdatedOn = jsontree.Integer(value)
		case "createdActor":
			e.CreatedActor, _ = value.(string)
		case "updatedActor":
			e.UpdatedActor, _ = value.(string)
		case "properties":
			if object, ok := value.(map[string]any); ok && len(object) > 0 {
				e.Properties, _ = jsontree.Encode(object) // decoded JSON always encodes
			}
		}
	}
}

const (
	fineGrainedPath = "fineGrainedLineages/*/upstreams/*"
	inputFieldPath  = "fields/*/schemaField/fieldPath"
)

// fineGrainedEdges adds an edge for each downstream and upstream column of
// each entry; an entry that lacks either adds none. The transformation and
// the confidence travel as the edge's properties.
func (r *Registry) fineGrainedEdges(tree map[string]any, set *edgeSet) {
	entries, _ := tree["fineGrainedLineages"].([]any)
	for _, item := range entries {
		entry, _ := item.(map[string]any)
		properties := map[string]any{}
		for _, name := range []string{"transformOperation", "confidenceScore"} {
			if value, ok := entry[name]; ok {
				properties[name] = value
			}
		}
		var text json.RawMessage
		if len(properties) > 0 {
			text, _ = jsontree.Encode(properties) // decoded JSON always encodes
		}
		for _, downstream := range r.urnsIn(entry["downstreams"]) {
			for _, upstream := range r.urnsIn(entry["upstreams"]) {
				set.add(Edge{
					Source: downstream.text, SourceType: downstream.entityType, Relationship: RelationshipDownstreamOf,
					Destination: upstream.text, DestinationType: upstream.entityType,
					Path: fineGrainedPath, Properties: text,
				})
			}
		}
	}
}

// columnEdges counts the edges that fineGrainedEdges would add at most: each
// entry stands for every pair of its columns. Those from the owner to its
// columns' upstreams are no more than the texts of the value.
func columnEdges(v *Value) int {
	n := 0
	if v.Aspect.Name != AspectUpstreamLineage && v.Aspect.Name != AspectDataJobInputOutput {
		return n
	}
	entries, _ := v.Tree["fineGrainedLineages"].([]any)
	for _, item := range entries {
		entry, _ := item.(map[string]any)
		upstreams, _ := entry["upstreams"].([]any)
		downstreams, _ := entry["downstreams"].([]any)
		n += len(upstreams) * len(downstreams)
	}
	return n
}

// inputFieldEdges adds an edge from each field of a chart or dashboard to the
// column it shows.
func (r *Registry) inputFieldEdges(owner URN, tree map[string]any, set *edgeSet) {
	fields, _ := tree["fields"].([]any)
	for _, item := range fields {
		entry, _ := item.(map[string]any)
		column, _ := entry["schemaFieldUrn"].(string)
		schemaField, _ := entry["schemaField"].(map[string]any)
		path, _ := schemaField["fieldPath"].(string)
		upstream, err := r.parseNormal(column)
		if err != nil || path == "" {
			continue
		}
		field, err := BuildURN(owner.namespace, EntitySchemaField, owner.text, encodeFieldPath.Replace(path))
		if err != nil {
			continue
		}
		set.add(Edge{
			Source: field.text, SourceType: field.entityType, Relationship: RelationshipDownstreamOf,
			Destination: upstream.text, DestinationType: upstream.entityType, Path: inputFieldPath,
		})
	}
}

// encodeFieldPath keeps a column's path one part of a URN.
var encodeFieldPath = strings.NewReplacer("(", "%28", ")", "%29", ",", "%2C")

// EncodeFieldPath writes a column's path as a part of its URN.
func EncodeFieldPath(path string) string { return encodeFieldPath.Replace(path) }

func (r *Registry) urnsIn(list any) []URN {
	items, _ := list.([]any)
	var urns []URN
	for _, item := range items {
		if text, ok := item.(string); ok {
			if u, err := r.parseNormal(text); err == nil {
				urns = append(urns, u)
			}
		}
	}
	return urns
}

// checkDestinations checks that each relationship field names an entity type
// that the model allows there, with a URN that is not too long.
func (r *Registry) checkDestinations(v *Value) error {
	var fault *URNError
	for _, rel := range v.Aspect.relationships {
		jsontree.Walk(v.Tree, rel.steps, func(leaf any, chosen []string) {
			text, _ := leaf.(string)
			u, err := r.parseNormal(text)
			if fault != nil || err != nil {
				return
			}
			if err := u.CheckLength(); err != nil {
				fault = asURNError(err)
				fault.Path = "/" + strings.Join(jsontree.Fill(rel.steps, chosen), "/")
				return
			}
			if len(rel.DestinationTypes) == 0 || slices.Contains(rel.DestinationTypes, u.entityType) {
				return
			}
			fault = &URNError{
				URN: text, Path: "/" + strings.Join(jsontree.Fill(rel.steps, chosen), "/"),
				Reason: "it names a " + u.entityType + " where the relationship " + rel.Name + " goes to " + strings.Join(rel.DestinationTypes, ", "),
			}
		})
	}
	if fault != nil {
		return fault
	}
	return nil
}

// parseNormal reads a URN as the graph names entities.
func (r *Registry) parseNormal(text string) (URN, error) {
	u, err := ParseURN(text)
	return r.Normal(u), err
}
