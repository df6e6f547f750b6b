package lineage

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// These are internals that the tests of this package need.
const (
	HopEdges  = hopEdges
	MaxReport = maxReport
)

func (w *Walk) CutNow() graphstore.Cut { return w.cut }

// BoundDiff lowers the bounds of differences until undo is called.
func BoundDiff(nodes, edges int) (undo func()) {
	was, wasEdges := diffNodesMost, diffEdgesMost
	diffNodesMost, diffEdgesMost = nodes, edges
	return func() { diffNodesMost, diffEdgesMost = was, wasEdges }
}

// TraceEachHop makes walks of any size find their paths hop by hop, until undo is called.
func TraceEachHop() (undo func()) {
	was := tracedAtOnce
	tracedAtOnce = 0
	return func() { tracedAtOnce = was }
}

// PathsByEdges finds paths from all edges of each entity on the way. Tests compare Paths with
// it.
func (s *Service) PathsByEdges(ctx context.Context, walk *Walk, urns []string, most int) (map[string][]Path, error) {
	f := &pathFinder{walk: walk, before: map[string][]*Link{}, most: most}
	levels := map[int][]string{}
	for urn, degree := range walk.degrees {
		levels[degree] = append(levels[degree], urn)
	}
	back := opposite(walk.Query.Direction)
	for degree := range len(levels) {
		for _, urn := range levels[degree] {
			if of, twin := walk.twins[urn]; twin {
				f.before[urn] = []*Link{f.toSibling(of, urn)}
				continue
			}
			if degree == 0 {
				continue
			}
			hop := s.hopOf(back, &walk.Query)
			if err := hop.readEdges(ctx, []string{urn}); err != nil {
				return nil, err
			}
			edges := hop.edges[urn]
			slices.SortStableFunc(edges, func(a, b Relationship) int {
				return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Type, b.Type))
			})
			for i := range edges {
				if at, ok := walk.degrees[edges[i].Entity]; ok && at == degree-1 && len(f.before[urn]) < most {
					link := lineageLink(urn, &edges[i], back)
					f.before[urn] = append(f.before[urn], &link)
				}
			}
		}
	}
	paths := map[string][]Path{}
	for _, urn := range urns {
		f.extend(urn, nil, func(p Path) bool {
			paths[urn] = append(paths[urn], p)
			return len(paths[urn]) < most
		})
	}
	return paths, nil
}

// EdgesByEdges finds the edges among entities from all edges of each entity. Tests compare
// EdgesWithin with it.
func (s *Service) EdgesByEdges(ctx context.Context, walk *Walk, urns []string) ([]Link, error) {
	back := opposite(walk.Query.Direction)
	hop := s.hopOf(back, &walk.Query)
	urns = slices.Concat(walk.Starts, urns)
	if err := hop.readEdges(ctx, urns); err != nil {
		return nil, err
	}
	edges := []Link{}
	for _, urn := range urns {
		for i := range hop.edges[urn] {
			if slices.Contains(urns, hop.edges[urn][i].Entity) {
				edges = append(edges, lineageLink(urn, &hop.edges[urn][i], back))
			}
		}
	}
	return edges, nil
}
