package lineage

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// BetweenRequest asks how two entities, two columns, or a column and an entity are
// connected.
type BetweenRequest struct {
	From, To model.URN
	// Most is how many shortest paths are returned, up to MaxPaths.
	Most int
	// AsOf asks for a past moment, epoch milliseconds; 0 is now.
	AsOf int64
}

// Between is how two entities, two columns, or a column and an entity are connected.
type Between struct {
	// Direction is the one in which From leads to To, "" when neither does.
	Direction string
	// Paths are the shortest paths. Each begins with From and ends with To. The step
	// between an entity and its column has no edge.
	Paths [][]PathStep
	// Possible: data of the column may get to the entity, since something on the path does
	// not state which columns it is made from.
	Possible bool
	// Partial: a walk was cut, for the Reason. There may then be a path although
	// none was found.
	Partial bool
	Reason  string
}

// Between returns the shortest paths from one entity or column to another: downstream or,
// if there is none, upstream. It fails with NotFound when nothing is known of From or To.
func (s *Service) Between(ctx context.Context, r BetweenRequest) (*Between, error) {
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
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
		walk, err := s.walk(ctx, WalkQuery{URN: r.From, Direction: direction, AsOf: r.AsOf})
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
