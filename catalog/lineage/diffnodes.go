package lineage

import (
	"cmp"
	"context"

	"github.com/headwater-io/headwater/internal/limits"
)

// NodeDiff is a difference whose entities have the details of a graph's nodes.
type NodeDiff struct {
	Diff *Diff
	// Added, Ended and Moved have the entities of the lists of Diff. The degree of a node upstream
	// of the start is negative. Labels and counts of neighbours are as of the moment after; for
	// Ended, as of the moment before.
	Added, Ended, Moved []Node
}

// diffNodesMost and diffEdgesMost bound the lists of a difference. Tests lower them.
var diffNodesMost, diffEdgesMost = limits.MaxGraphNodes, limits.MaxGraphEdges

// DiffDetails selects the details that are read of each list of a difference.
type DiffDetails struct{ Added, Ended, Moved Details }

// DiffNodes compares the entities that were upstream or downstream at two moments. If there are
// more entities or edges than a graph may have, DiffNodes returns the first entities and edges,
// and marks the difference as partial.
func (s *Service) DiffNodes(ctx context.Context, r DiffRequest, with DiffDetails) (*NodeDiff, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	known := nodesRead{}
	d, err := s.diff(ctx, r, known)
	if err != nil {
		return nil, err
	}
	d.bound(diffNodesMost, diffEdgesMost)
	found, sign := &NodeDiff{Diff: d}, 1
	if d.Direction == Upstream {
		sign = -1
	}
	moved := make([]Entity, len(d.Moved))
	for i := range d.Moved {
		moved[i] = d.Moved[i].Entity
	}
	for _, part := range []struct {
		to       *[]Node
		entities []Entity
		at       int64
		with     Details
	}{{&found.Added, d.Added, r.After, with.Added}, {&found.Ended, d.Ended, r.Before, with.Ended}, {&found.Moved, moved, r.After, with.Moved}} {
		reached := make([]Reached, len(part.entities))
		urns := make([]string, len(part.entities))
		for i, e := range part.entities {
			reached[i] = Reached{URN: e.URN, Type: e.Type, Degree: sign * e.Degree, Exists: e.Exists, Removed: e.Removed}
			urns[i] = e.URN
		}
		if *part.to, err = s.nodes(ctx, known, reached, part.at, part.with); err != nil {
			return nil, err
		}
		if !part.with.Neighbours {
			continue
		}
		counts, err := s.countNeighbours(ctx, urns, part.at)
		if err != nil {
			return nil, err
		}
		for i := range *part.to {
			n := &(*part.to)[i]
			n.Upstreams, n.Downstreams = counts[n.URN].upstreams, counts[n.URN].downstreams
		}
	}
	for i := range found.Moved {
		before := sign * d.Moved[i].DegreeBefore
		found.Moved[i].DegreeBefore = &before
	}
	return found, nil
}

// bound shortens the lists, in their order, to the number of nodes and edges that an answer may
// have.
func (d *Diff) bound(nodes, edges int) {
	cut := shorten(&d.Added, &nodes)
	cut = shorten(&d.Ended, &nodes) || cut
	cut = shorten(&d.Moved, &nodes) || cut
	cut = shorten(&d.EdgesAdded, &edges) || cut
	if cut = shorten(&d.EdgesEnded, &edges) || cut; cut {
		d.Partial = true
		d.Reason = cmp.Or(d.Reason, "there are more differences than an answer may have; ask for fewer hops")
	}
}

// shorten cuts a list to the room that is left, and lowers the room by the length of the list.
func shorten[T any](list *[]T, room *int) (cut bool) {
	cut = len(*list) > *room
	*list = (*list)[:min(len(*list), *room)]
	*room -= len(*list)
	return cut
}
