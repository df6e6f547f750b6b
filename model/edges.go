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
	// Path is the path of the field that states the edge, as in owners/*/owner.
	Path string
	// CreatedOn and UpdatedOn are epoch milliseconds, 0 if the aspect does not state them.
	CreatedOn, UpdatedOn       int64
	CreatedActor, UpdatedActor string
	// Properties is a JSON object or empty.
	Properties json.RawMessage
	// Via is the URN of the query from which the edge comes, "" for none.
	Via string
	// Shown are properties of the edge for people who read the graph, nil for none.
	Shown map[string]any
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

// Edges returns the edges that an aspect of owner states, each once, in the order of the
// model and of the value. A text that is not a URN states no edge.
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
						Source: owner.text, SourceType: owner.EntityType(), Relationship: rel.Name,
						Destination: u.text, DestinationType: u.EntityType(), Path: rel.Path,
					}
					rel.attributes(v.Tree, chosen, &e)
					set.add(e)
				}
			}
		})
	}
	r.columnEdges(owner, v, &set)
	if marks := r.edgeMarks(v); marks != nil {
		for i := range set.edges {
			set.edges[i].Shown = marks[set.edges[i].Destination]
		}
	}
	return set.edges
}

// states reports whether a destination counts as an edge of the relationship. Fine-grained
// lineage also names whole datasets. For them it states no edge, because the list upstreams
// states that the owner derives from them.
func (rel *Relationship) states(destination URN) bool {
	return !rel.ofColumns() || destination.EntityType() == EntitySchemaField
}

// ofColumns reports whether the relationship leads from an entity to the columns at which
// its fine-grained lineage begins.
func (rel *Relationship) ofColumns() bool { return rel.Path == fineGrainedLineages.path }

// attributes fills in the attributes of an edge from the aspect.
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
		case "via":
			e.Via, _ = value.(string)
		case "properties":
			if object, ok := value.(map[string]any); ok && len(object) > 0 {
				e.Properties, _ = jsontree.Encode(object) // encoding decoded JSON cannot fail
			}
		}
	}
}

// checkDestinations checks the URNs in the relationship fields of an aspect: their entity
// types must be allowed by the model, and they must not be too long.
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
			if len(rel.DestinationTypes) == 0 || slices.Contains(rel.DestinationTypes, u.EntityType()) {
				return
			}
			fault = &URNError{
				URN: text, Path: "/" + strings.Join(jsontree.Fill(rel.steps, chosen), "/"),
				Reason: "it names a " + u.EntityType() + " but the relationship " + rel.Name + " leads to " + strings.Join(rel.DestinationTypes, ", "),
			}
		})
	}
	if fault != nil {
		return fault
	}
	return nil
}

// parseNormal parses a URN and returns it in the graph's spelling.
func (r *Registry) parseNormal(text string) (URN, error) {
	u, err := ParseURN(text)
	return r.Normal(u), err
}
