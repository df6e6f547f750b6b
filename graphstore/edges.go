package graphstore

import (
	"cmp"
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
