package graphstore

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Merge joins two statements of one edge. The result has the earlier Since and creation, the later
// update, and the properties and the query of the first statement that has any. Resumed is set so
// that CurrentSince is the earlier of the two. The edge is current if either statement is.
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

// CurrentSince is the time since which the edge has been current without a break, epoch
// milliseconds.
func (e *Edge) CurrentSince() int64 { return max(e.Since, e.Resumed) }

// MergeEdges sorts the statements of one entity by type and other end, and merges statements of
// the same edge. MergeEdges works in place.
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

// KindsOf returns the Kinds of the query that apply to an entity, as steps from the entity to
// the other end. KindsOf returns none if the query has no Kinds, or none for entities of this
// type.
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

// Cut selects the page from a list of all edges.
func (p Page) Cut(edges []Edge) []Edge {
	start := min(max(p.Start, 0), len(edges))
	return edges[start:min(start+max(p.Count, 0), len(edges))]
}

// TypeOf returns the entity type that a URN names, urn:<namespace>:<type>:…, or "" if it
// names none. Only stores use it, because they know no model; all other packages take the type
// from a model.URN.
func TypeOf(urn string) string {
	_, rest, _ := strings.Cut(urn, ":")
	_, rest, _ = strings.Cut(rest, ":")
	entityType, _, inKey := strings.Cut(rest, ":")
	if !inKey {
		return ""
	}
	return entityType
}

// EdgeID identifies a statement: the aspect of the owner states, at a path, that the source has
// a relationship of a type to the destination. The source is usually the owner. The statements
// of column lineage have datasets as owners and columns as ends.
type EdgeID struct {
	Owner, Aspect, Path       string
	Source, Type, Destination string
}

// EdgeStatement is a current statement.
type EdgeStatement struct {
	EdgeID
	// SourceType and DestinationType are the entity types of the ends, for node labels.
	SourceType, DestinationType string
	EdgeAttributes
	// Shown has properties of the relationship for people who read the graph directly; a nil value
	// removes a property. A store may ignore Shown. No answer of a store contains Shown or depends
	// on it.
	Shown map[string]any
	// Since is when the statement became current, epoch milliseconds. SinceRun and SinceActor are
	// the run and the actor of that write.
	Since                int64
	SinceRun, SinceActor string
	// Resumed is when a rollback made the ended statement current again, epoch milliseconds, and
	// ResumedActor is the actor of the rollback. Resumed is 0 if no rollback did. The statement
	// was not current right before Resumed. UpdateEdges leaves these five members as they are.
	Resumed      int64
	ResumedActor string
}

// CurrentSince is the time since which the statement has been current without a break, epoch
// milliseconds.
func (e *EdgeStatement) CurrentSince() int64 { return max(e.Since, e.Resumed) }

// StatementAt asks for a statement that was current at a moment, epoch milliseconds.
type StatementAt struct {
	EdgeID
	At int64
}

// EdgeAttributes are stated by the aspect itself. A zero member is not stated.
type EdgeAttributes struct {
	CreatedOn    int64
	CreatedActor string
	UpdatedOn    int64
	UpdatedActor string
	// Properties is a JSON object, or empty.
	Properties json.RawMessage
	// Via is the URN of the query from which the edge comes.
	Via string
}

// EdgeEnd ends a statement at Until, epoch milliseconds, by a run and an actor.
type EdgeEnd struct {
	EdgeID
	Until                int64
	UntilRun, UntilActor string
}

// Direction is the direction of an edge as seen from an entity.
type Direction int

const (
	// Outgoing: the entity is the source of the edge.
	Outgoing Direction = iota
	// Incoming: the entity is the destination of the edge.
	Incoming
)

// EdgeQuery asks for the edges of entities. The page applies to the edges of each entity.
type EdgeQuery struct {
	URNs      []string
	Direction Direction
	// Types lists relationship names; empty means all.
	Types []string
	// Kinds lists kinds of edges, in queries that must tell kinds with the same relationship name
	// apart. Kinds excludes Types. Every member of a kind must be set.
	Kinds []EdgeKind
	// AsOf, when not 0, asks for the edges that were current at that moment
	// (CurrentSince <= AsOf < until), epoch milliseconds.
	AsOf int64
	// Walks: the query is a hop of a walk, which may continue from entities that its caller may not see.
	// WithoutRemoved then has the meaning that it has in [WalkQuery]. A store that hides entities uses both,
	// other stores neither.
	Walks, WithoutRemoved bool
	Page
}

// EdgePage is a page of an entity's edges, and the total number before paging.
type EdgePage struct {
	Edges []Edge
	Total int64
}

// Edge merges the statements of one (source, type, destination): it has the earliest Since and
// CreatedOn and the latest UpdatedOn.
type Edge struct {
	Source, Type, Destination string
	EdgeAttributes
	// Since is when the edge became current, SinceRun and SinceActor the run and the actor of that
	// write.
	Since                int64
	SinceRun, SinceActor string
	// Resumed is the time since which the edge has been current without a break if that is later
	// than Since, else 0. ResumedActor is the actor whose rollback made the edge current again; it
	// is "" if another statement of the edge has been current for longer.
	Resumed      int64
	ResumedActor string
	// Until is when the edge ended, UntilRun and UntilActor the run and the actor of that write.
	// Until is 0 for a current edge.
	Until                int64
	UntilRun, UntilActor string
	// Owners are the entities whose aspects state the edge, ordered by URN.
	Owners []string
}

// OtherEnd is the end of an edge that a reader reaches who follows the edge in a direction.
func (e *Edge) OtherEnd(d Direction) string {
	if d == Incoming {
		return e.Source
	}
	return e.Destination
}
