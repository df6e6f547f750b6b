package lineage

import (
	"context"
)

// NodeDiff is a difference with its entities as a graph shows them.
type NodeDiff struct {
	Diff *Diff
	// Added, Ended and Moved are those of the difference. Upstream their degrees are
	// negative. The numbers of neighbours and the labels are those of the moment after;
	// of what has ended, those of the moment before.
	Added, Ended, Moved []Node
}

// DiffNodes compares what was upstream or downstream at two moments.
func (s *Service) DiffNodes(ctx context.Context, r DiffRequest, with Details) (*NodeDiff, error) {
	ctx, leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	d, err := s.Diff(ctx, r)
	if err != nil {
		return nil, err
	}
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
	}{{&found.Added, d.Added, r.After}, {&found.Ended, d.Ended, r.Before}, {&found.Moved, moved, r.After}} {
		reached := make([]Reached, len(part.entities))
		urns := make([]string, len(part.entities))
		for i, e := range part.entities {
			reached[i] = Reached{URN: e.URN, Type: e.Type, Degree: sign * e.Degree, Exists: e.Exists, Removed: e.Removed}
			urns[i] = e.URN
		}
		if *part.to, err = s.nodes(ctx, reached, part.at, with); err != nil {
			return nil, err
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
