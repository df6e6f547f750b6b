package lineage

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// MaxPaths bounds the paths to one entity, maxPathSteps the steps of all returned paths
// together.
const (
	MaxPaths     = limits.MaxPaths
	maxPathSteps = 200_000
)

// Link is a lineage edge with the direction in which data flows, whichever way its relationship
// points.
type Link struct {
	Upstream   string `json:"upstream"`
	Downstream string `json:"downstream"`
	// Type is the relationship.
	Type string `json:"type"`
	// Created and Updated are the stamps that the aspect states; nil if it states none.
	Created *catalog.AuditStamp `json:"created,omitempty"`
	Updated *catalog.AuditStamp `json:"updated,omitempty"`
	// Manual tells that somebody drew the edge by hand.
	Manual bool `json:"manual,omitempty"`
	// derived: the server has read the edge from stored SQL.
	derived bool
	// TransformOperation and ConfidenceScore are set by column lineage. They tell how one column
	// derives from the other, and how certain that is.
	TransformOperation string   `json:"transformOperation,omitempty"`
	ConfidenceScore    *float64 `json:"confidenceScore,omitempty"`
	// Query is the URN of the query by which Downstream derives from Upstream.
	Query string `json:"query,omitempty"`
	// Fading is set if the answer tells of it and later good runs of the source of the edge have not stated it again.
	Fading *Fading `json:"fading,omitempty"`
	// StatedBy are the entities whose aspects state the edge.
	StatedBy []string `json:"statedBy"`
	// Since is when the edge became current, SinceRun and SinceActor the run and actor that stated
	// it. Until is when the edge ended. Both are epoch milliseconds; Until is 0 for a current
	// edge.
	Since      int64  `json:"since"`
	SinceRun   string `json:"sinceRun,omitempty"`
	SinceActor string `json:"sinceActor,omitempty"`
	// Resumed is set if the edge ended after Since and was restored. Resumed is the time since
	// which the edge has been current without a break, epoch milliseconds. ResumedActor is the
	// actor whose rollback restored the edge.
	Resumed      int64  `json:"resumed,omitempty"`
	ResumedActor string `json:"resumedActor,omitempty"`
	Until        int64  `json:"until,omitempty"`
	UntilRun     string `json:"untilRun,omitempty"`
	UntilActor   string `json:"untilActor,omitempty"`
	// Provenance tells who or what stated the edge; nil for a step between siblings.
	Provenance *statements.Provenance `json:"provenance,omitempty"`
}

// Began returns when the edge last became current, and by which run and actor. The run is "" if
// a rollback restored the edge.
func (e *Link) Began() (at int64, run, actor string) {
	if e.Resumed != 0 {
		return e.Resumed, "", e.ResumedActor
	}
	return e.Since, e.SinceRun, e.SinceActor
}

// Path leads from the start of a walk to an entity.
type Path struct {
	Start string
	// Edges are in the order of the walk. Paths of one answer share them.
	Edges []*Link
	// downstream tells that the walk goes downstream.
	downstream bool
}

// URNs returns the entities on the path, both ends included.
func (p Path) URNs() []string {
	urns := append(make([]string, 0, len(p.Edges)+1), p.Start)
	for i := range p.Edges {
		urns = append(urns, p.end(i))
	}
	return urns
}

// end returns the entity to which an edge of the path leads.
func (p Path) end(edge int) string {
	if p.downstream {
		return p.Edges[edge].Downstream
	}
	return p.Edges[edge].Upstream
}

// URNsWithSteps returns the entities on the path, both ends included. Between the ends of an
// edge, URNsWithSteps adds the query of the edge, or the job that states the edge between
// columns.
func (p Path) URNsWithSteps() []string {
	urns := p.URNs()
	steps := urns[:1:1]
	for i := range p.Edges {
		if through := p.Edges[i].through(); through != "" {
			steps = append(steps, through)
		}
		steps = append(steps, urns[i+1])
	}
	return steps
}

// lineageLink makes a Link of an edge that was read from one of its ends, in a direction of
// lineage.
func lineageLink(from string, r *Relationship, direction string) Link {
	e := Link{
		Upstream: r.Entity, Downstream: from, Type: r.Type, Created: r.Created, Updated: r.Updated, Manual: r.Manual, derived: r.properties.FromSQL(),
		TransformOperation: r.properties.TransformOperation, ConfidenceScore: r.properties.Confidence,
		Query: r.edge.Via, StatedBy: r.edge.Owners, Since: r.edge.Since, SinceRun: r.edge.SinceRun, SinceActor: r.edge.SinceActor,
		Resumed: r.edge.Resumed, ResumedActor: r.edge.ResumedActor, Until: r.edge.Until, UntilRun: r.edge.UntilRun, UntilActor: r.edge.UntilActor,
	}
	if direction == Downstream {
		e.Upstream, e.Downstream = from, r.Entity
	}
	if isRestricted(e.Upstream) || isRestricted(e.Downstream) {
		return Link{Upstream: e.Upstream, Downstream: e.Downstream, Type: catalog.Restricted, StatedBy: []string{}}
	}
	provenance := statements.OfEdgeWith(&r.edge, &r.properties)
	e.Provenance = &provenance
	return e
}

// opposite returns the other direction of lineage.
func opposite(direction string) string {
	if direction == Upstream {
		return Downstream
	}
	return Upstream
}

// pathFinder finds the paths from entities that a walk reached back to its start.
type pathFinder struct {
	walk *Walk
	// before has, for each entity, the edges that lead to it from the hop before.
	before map[string][]*Link
	most   int
	// known has, for each entity of a small walk, the entities that lead to it.
	known map[string][]string
}

// Paths finds up to most shortest paths to each of the entities. The number of its store calls
// depends only on the number of hops. Paths finds no path to an entity if the graph has changed
// since the walk.
func (s *Service) Paths(ctx context.Context, walk *Walk, urns []string, most int) (map[string][]Path, error) {
	if most < 0 || most > MaxPaths {
		return nil, catalog.Errorf(catalog.Invalid, "a request may ask for 0 to %d paths of each entity", MaxPaths)
	}
	f := &pathFinder{walk: walk, before: make(map[string][]*Link, len(urns)), most: most}
	paths := make(map[string][]Path, len(urns))
	if most == 0 || len(urns) == 0 {
		return paths, nil
	}
	if err := f.read(ctx, s, urns); err != nil {
		return nil, err
	}
	steps := 0
	for _, urn := range urns {
		f.extend(urn, nil, func(p Path) bool {
			paths[urn] = append(paths[urn], p)
			steps += len(p.Edges)
			return len(paths[urn]) < most && steps <= maxPathSteps
		})
		if steps > maxPathSteps {
			return nil, catalog.Errorf(catalog.Invalid, "the paths have more than %d steps in all; ask for fewer entities or fewer paths of each", maxPathSteps)
		}
	}
	return paths, nil
}

// read reads the edges on the ways back from entities, the farthest entities first.
func (f *pathFinder) read(ctx context.Context, c *Service, urns []string) error {
	byDegree := map[int][]string{}
	wanted := make(map[string]bool, len(urns))
	farthest := 0
	want := func(urn string) {
		if degree, known := f.walk.degrees[urn]; known && !wanted[urn] {
			wanted[urn] = true
			byDegree[degree] = append(byDegree[degree], urn)
			farthest = max(farthest, degree)
		}
	}
	for _, urn := range urns {
		want(urn)
	}
	feeders := make(map[string][]string, len(urns))
	for degree := farthest; degree >= 0; degree-- {
		// The loop may add siblings to the list while it runs: a sibling has the distance of its
		// entity.
		for from := 0; from < len(byDegree[degree]); {
			part := byDegree[degree][from:]
			from = len(byDegree[degree])
			var others []string
			for _, urn := range part {
				if of, twin := f.walk.twins[urn]; twin {
					f.before[urn] = []*Link{f.toSibling(of, urn)}
					want(of)
				} else if link, led := f.walk.linkTo(urn); led {
					f.before[urn] = []*Link{link}
					want(link.Upstream)
				} else {
					others = append(others, urn)
				}
			}
			found, err := f.stepBack(ctx, c, others, degree)
			if err != nil {
				return err
			}
			maps.Copy(feeders, found)
			for _, urn := range others {
				for _, feeder := range found[urn] {
					want(feeder)
				}
			}
		}
	}
	if err := f.link(ctx, c, feeders); err != nil {
		return err
	}
	for degree := range farthest + 1 {
		f.prune(byDegree[degree])
	}
	return nil
}

// linkTo returns the link by which a walk downstream reached an entity, and whether there is
// one.
func (w *Walk) linkTo(urn string) (*Link, bool) {
	link, ok := w.links[urn]
	return link, ok && w.degrees[link.Upstream] == w.degrees[urn]-1
}

// prune removes edges that lead to a dead end because the graph has changed since the walk.
// Afterwards every edge is on a path.
func (f *pathFinder) prune(urns []string) {
	for _, twins := range []bool{false, true} { // siblings last: they lead to entities at the same distance
		for _, urn := range urns {
			if _, twin := f.walk.twins[urn]; twin != twins {
				continue
			}
			f.before[urn] = slices.DeleteFunc(f.before[urn], func(e *Link) bool {
				previous := f.previous(e)
				return !f.begins(previous) && len(f.before[previous]) == 0
			})
		}
	}
}

// begins reports whether the walk began at an entity.
func (f *pathFinder) begins(urn string) bool {
	return f.walk.degrees[urn] == 0 && f.walk.twins[urn] == ""
}

// toSibling returns the link of a path from an entity to its sibling.
func (f *pathFinder) toSibling(of, twin string) *Link {
	if f.walk.Query.Direction == Downstream {
		return &Link{Upstream: of, Downstream: twin, Type: model.RelationshipSiblingOf, StatedBy: []string{}}
	}
	return &Link{Upstream: twin, Downstream: of, Type: model.RelationshipSiblingOf, StatedBy: []string{}}
}

// previous returns the end of an edge that is nearer to the start of the walk.
func (f *pathFinder) previous(e *Link) string {
	return e.nearEnd(f.walk.Query.Direction)
}

// extend completes the paths that end with an entity and the steps behind it. extend stops when
// found returns false.
func (f *pathFinder) extend(urn string, behind []*Link, found func(Path) bool) bool {
	if f.begins(urn) {
		edges := make([]*Link, len(behind))
		for i, edge := range behind {
			edges[len(behind)-1-i] = edge
		}
		return found(Path{Start: urn, Edges: edges, downstream: f.walk.Query.Direction == Downstream})
	}
	for _, edge := range f.before[urn] {
		if !f.extend(f.previous(edge), append(behind, edge), found) {
			return false
		}
	}
	return true
}

// EdgesWithin lists the edges among the start of a walk and entities that the walk reached.
func (s *Service) EdgesWithin(ctx context.Context, walk *Walk, urns []string) ([]Link, error) {
	all := slices.Concat(walk.Starts, urns) // with the starts, because a cycle may lead to the start
	return s.linksWithin(ctx, walk, slices.Sorted(slices.Values(all)), all)
}

// edgesTo lists the edges that lead to entities from any entity of a walk.
func (s *Service) edgesTo(ctx context.Context, walk *Walk, urns []string) ([]Link, error) {
	return s.linksWithin(ctx, walk, slices.Sorted(maps.Keys(walk.degrees)), slices.Concat(walk.Starts, urns))
}

// edgesStatedBy lists the edges of a walk that are stated by entities of a type.
func (s *Service) edgesStatedBy(ctx context.Context, walk *Walk, entityType string) ([]Link, error) {
	all, to := slices.Clone(walk.Starts), slices.Clone(walk.Starts)
	for _, r := range walk.Reached {
		all = append(all, r.URN)
		if !r.Unstated {
			to = append(to, r.URN)
		}
	}
	feeders, err := s.feeders(ctx, &walk.Query, all, to, 0, entityType)
	if err != nil {
		return nil, err
	}
	for _, some := range feeders {
		slices.Sort(some)
	}
	return s.linksFrom(ctx, walk, feeders, slices.DeleteFunc(all, func(urn string) bool { return feeders[urn] == nil }))
}
