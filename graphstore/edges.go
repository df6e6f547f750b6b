package graphstore

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Merge joins two statements of one edge: the earliest Since and creation, since when
// either has been current without a break, the latest update, the properties and the query of the first that has any; the edge is current
// if either is.
func (e Edge) Merge(other Edge) Edge {
	whole, resumedActor := e.CurrentSince(), e.ResumedActor
	if at := other.CurrentSince(); at < whole {
		whole, resumedActor = at, other.ResumedActor
	}
	if other.Since < e.Since {
		e.Since, e.SinceRun, e.SinceActor = other.Since, other.SinceRun, other.SinceActor
	}
	if e.Resumed, e.ResumedActor = whole, resumedActor; whole <= e.Since {
		e.Resumed, e.ResumedActor = 0, ""
	}
	if other.Until == 0 || e.Until != 0 && other.Until > e.Until {
		e.Until, e.UntilRun, e.UntilActor = other.Until, other.UntilRun, other.UntilActor
	}
	for _, owner := range other.Owners {
		if at, found := slices.BinarySearch(e.Owners, owner); !found {
			e.Owners = slices.Insert(slices.Clone(e.Owners), at, owner)
		}
	}
	if other.CreatedOn != 0 && (e.CreatedOn == 0 || other.CreatedOn < e.CreatedOn) {
		e.CreatedOn, e.CreatedActor = other.CreatedOn, other.CreatedActor
	}
	if other.UpdatedOn > e.UpdatedOn {
		e.UpdatedOn, e.UpdatedActor = other.UpdatedOn, other.UpdatedActor
	}
	if len(e.Properties) == 0 {
		e.Properties = other.Properties
	}
	if e.Via == "" {
		e.Via = other.Via
	}
	return e
}

// CurrentSince is since when an edge has been current without a break.
func (e *Edge) CurrentSince() int64 { return max(e.Since, e.Resumed) }

// MergeEdges sorts the statements of one entity by type and other end, and merges
// those that state the same edge. It works in place.
func MergeEdges(edges []Edge, d Direction) []Edge {
	other := func(e *Edge) string {
		if d == Incoming {
			return e.Source
		}
		return e.Destination
	}
	slices.SortStableFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(other(&a), other(&b)))
	})
	merged := edges[:0]
	for _, e := range edges {
		last := len(merged) - 1
		if last >= 0 && merged[last].Type == e.Type && other(&merged[last]) == other(&e) {
			merged[last] = merged[last].Merge(e)
			continue
		}
		merged = append(merged, e)
	}
	return merged
}

// KindsOf are the kinds of edge that a query asks for of an entity, as steps from
// it to the other end. None: it asks for none of the entity's, or for no kinds.
func (q *EdgeQuery) KindsOf(urn string) []Step {
	var steps []Step
	near := TypeOf(urn)
	for _, kind := range q.Kinds {
		if step := (Step{kind, q.Direction}); step.NearType() == near {
			steps = append(steps, step)
		}
	}
	return steps
}

// Cut selects the page from edges that were all read.
func (p Page) Cut(edges []Edge) []Edge {
	start := min(max(p.Start, 0), len(edges))
	return edges[start:min(start+max(p.Count, 0), len(edges))]
}

// TypeOf is the entity type that a URN names, urn:<namespace>:<type>:…, or ""
// if it names none. It is for the stores, which know no model; above them the
// type is that of a model.URN.
func TypeOf(urn string) string {
	parts := strings.SplitN(urn, ":", 4)
	if len(parts) < 4 {
		return ""
	}
	return parts[2]
}

// EdgeID identifies a statement: that Owner's Aspect says, at Path, that
// Source has a Type relationship to Destination. Source is usually the Owner;
// column-level lineage is stated by datasets about schema fields.
type EdgeID struct {
	Owner, Aspect, Path       string
	Source, Type, Destination string
}

// EdgeStatement is a current statement.
type EdgeStatement struct {
	EdgeID
	// SourceType and DestinationType are the entity types, for node labels.
	SourceType, DestinationType string
	EdgeAttributes
	// Shown are properties of the relationship for people who read the graph directly; a
	// nil value removes a property. No answer of a store depends on them, and a store may
	// ignore them. What a store returns does not have them.
	Shown map[string]any
	// Since is when the statement became current (epoch milliseconds), by
	// which run and actor.
	Since                int64
	SinceRun, SinceActor string
	// Resumed is when a rollback made a statement current again that had ended (epoch
	// milliseconds), and ResumedActor who rolled back; 0 if it was never so. The
	// statement was not current right before. UpdateEdges leaves all five as they were.
	Resumed      int64
	ResumedActor string
}

// CurrentSince is since when a statement has been current without a break.
func (e *EdgeStatement) CurrentSince() int64 { return max(e.Since, e.Resumed) }

// StatementAt asks for a statement that was current at a moment, epoch milliseconds.
type StatementAt struct {
	EdgeID
	At int64
}

// EdgeAttributes are stated by the aspect itself. Zero means not stated.
type EdgeAttributes struct {
	CreatedOn    int64
	CreatedActor string
	UpdatedOn    int64
	UpdatedActor string
	// Properties is a JSON object or empty.
	Properties json.RawMessage
	// Via is the URN of the query that the edge comes from.
	Via string
}

// EdgeEnd ends a statement at Until, by a run and an actor.
type EdgeEnd struct {
	EdgeID
	Until                int64
	UntilRun, UntilActor string
}

// Direction of an edge as seen from an entity.
type Direction int

const (
	// Outgoing: the entity is the edge's source.
	Outgoing Direction = iota
	// Incoming: the entity is the edge's destination.
	Incoming
)

// EdgeQuery asks for the edges of entities. The page is of each entity's own
// edges.
type EdgeQuery struct {
	URNs      []string
	Direction Direction
	// Types lists relationship names; empty means every type.
	Types []string
	// Kinds lists the kinds of edge that are meant where there are several
	// between entities of other types under one name; it goes with no Types.
	// Every member of a kind is given.
	Kinds []EdgeKind
	// AsOf, when not 0, asks for the edges that were current at that moment
	// (CurrentSince <= AsOf < until), epoch milliseconds.
	AsOf int64
	Page
}

// EdgePage is a page of an entity's edges and the total before paging.
type EdgePage struct {
	Edges []Edge
	Total int64
}

// Edge is the answer: one (source, type, destination), the statements merged
// (earliest Since and CreatedOn, latest UpdatedOn).
type Edge struct {
	Source, Type, Destination string
	EdgeAttributes
	// Since is when the edge became current, by which run and actor.
	Since                int64
	SinceRun, SinceActor string
	// Resumed is since when the edge has been current without a break, if it is not
	// Since, and 0 otherwise. ResumedActor is who made it current again with a
	// rollback; it is empty if another statement of the edge has been current for longer.
	Resumed      int64
	ResumedActor string
	// Until is when it ended, by which run and actor; 0 for a current edge.
	Until                int64
	UntilRun, UntilActor string
	// Owners are the entities whose aspects state it, in order.
	Owners []string
}

// OtherEnd is the end of an edge that a reader reaches who follows the edge in a direction.
func (e *Edge) OtherEnd(d Direction) string {
	if d == Incoming {
		return e.Source
	}
	return e.Destination
}
