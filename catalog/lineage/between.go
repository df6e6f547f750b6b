package lineage

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// BetweenRequest asks how two entities, two columns, or a column and an entity are
// connected.
type BetweenRequest struct {
	From, To model.URN
	// Most bounds the number of shortest paths that are returned. Most is at most MaxPaths.
	Most int
	// AsOf asks for a past moment, epoch milliseconds; 0 is now.
	AsOf int64
}

// Between tells how two entities, two columns, or a column and an entity are connected.
type Between struct {
	// Direction is the direction in which From leads to To, "" if neither leads to the other.
	Direction string
	// Paths are the shortest paths. Each path begins with From and ends with To. The step between
	// an entity and its column has no edge.
	Paths [][]PathStep
	// Possible tells that data of the column may reach the entity: an entity on the path does not
	// state from which columns it is made.
	Possible bool
	// Partial tells that a walk was cut; Reason says why. A path may then exist although none was
	// found.
	Partial bool
	Reason  string
}

// Between returns the shortest paths from one entity or column to another: downstream or, if
// there is none, upstream. Between fails with NotFound when nothing is known of From or To.
func (s *Service) Between(ctx context.Context, r BetweenRequest) (*Between, error) {
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	found, err := s.between(ctx, r)
	if err != nil {
		return nil, err
	}
	return found, s.annotate(ctx, edgesOn(found.Paths), r.AsOf)
}

// between does the work of Between, for a request that has a place among the walks.
func (s *Service) between(ctx context.Context, r BetweenRequest) (*Between, error) {
	switch from, to := r.From.EntityType() == model.EntitySchemaField, r.To.EntityType() == model.EntitySchemaField; {
	case from && !to:
		return s.betweenParts(ctx, r.From, r.To, r)
	case to && !from:
		found, err := s.betweenParts(ctx, r.To, r.From, r)
		if err != nil {
			return nil, err
		}
		return found.turned(), nil
	}
	found := &Between{}
	to := r.To.String()
	for _, direction := range []string{Downstream, Upstream} {
		walk, err := s.walk(ctx, WalkQuery{URN: r.From, Direction: direction, AsOf: r.AsOf, paths: true})
		if err != nil {
			return nil, err
		}
		if _, reached := walk.degrees[to]; reached {
			paths, err := s.Paths(ctx, walk, []string{to}, r.Most)
			if err != nil {
				return nil, err
			}
			for _, p := range paths[to] {
				found.Paths = append(found.Paths, p.Steps())
			}
			found.Direction, found.Partial, found.Reason = direction, false, ""
			return found, nil
		}
		if walk.Partial() {
			found.Partial, found.Reason = true, walk.Reason()
		}
	}
	for _, urn := range []model.URN{r.From, r.To} {
		if err := s.requireKnown(ctx, urn); err != nil {
			return nil, err
		}
	}
	return found, nil
}
