package lineage

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// These bound a walk.
const (
	// MaxReach is the largest Reach of a walk.
	MaxReach = limits.MaxReach
	// walkPatience is the longest time that a walk may take.
	walkPatience = 30 * time.Second
	// maxHops bounds walks that read hop by hop.
	maxHops = 1000
)

// Directions of lineage.
const (
	Upstream   = "UPSTREAM"
	Downstream = "DOWNSTREAM"
)

// WalkQuery asks for all entities upstream or downstream of an entity.
type WalkQuery struct {
	// URN is an entity, or a column (a schemaField) for lineage between columns.
	URN model.URN
	// Also lists further columns of the entity to which the column URN belongs; the walk begins at
	// all these columns.
	Also []model.URN
	// Direction is UPSTREAM or DOWNSTREAM.
	Direction string
	// Columns asks for a walk along column lineage: from the column or, if URN is an entity, from
	// all of its columns.
	Columns bool
	// MaxHops bounds the hops; 0 is unbounded.
	MaxHops int
	// Reach bounds the entities that the walk reaches, the nearest first; 0 means
	// limits.DefaultReach.
	Reach int
	// AsOf asks for a past moment, epoch milliseconds; 0 is now.
	AsOf int64
	// From and To bound the time at which an edge was created or updated, as in
	// [RelationshipsQuery].
	From, To int64
	// MergeSiblings asks the walk to continue also from the siblings of reached entities. The step
	// to a sibling does not count as a hop.
	MergeSiblings bool
	// WithoutRemoved tells the walk neither to reach soft-deleted entities nor to continue from
	// them.
	WithoutRemoved bool
	// References asks the walk to follow also, downstream, the assertions, data contracts and
	// saved queries about an entity.
	References bool
	// paths tells that paths to the reached entities will be asked for. statedBy has types of entities; the edges that they state
	// will be asked for.
	paths    bool
	statedBy []string
}

// Reached is an entity that a walk reached. Its predecessors are known of a walk whose paths are asked for.
type Reached = graphstore.Visit

// Walk is the result of a walk. Walk lists each entity once, ordered by degree and URN.
type Walk struct {
	Query WalkQuery
	// Starts are the entities at which the walk began: the entity, or its columns.
	Starts  []string
	Reached []Reached
	// cut tells why the walk is incomplete; graphstore.NotCut if it is complete.
	cut graphstore.Cut

	degrees map[string]int
	// twins has the siblings from which the walk continued, each with the entity whose sibling it
	// is.
	twins map[string]string
	// links has, by URN, the link to each reached entity that the walk did not reach by an edge
	// of its own, such as a reader of a lost column.
	links map[string]*Link
	// restricted has the hops with a restricted end that a walk by hops took.
	restricted map[graphstore.Pair]bool
	// nodes has the nodes of reached entities that the request has read.
	nodes nodesRead
}

// Partial reports whether the walk was cut.
func (w *Walk) Partial() bool { return w.cut != graphstore.NotCut }

// Reason describes why the walk was cut, "" if it is complete.
func (w *Walk) Reason() string {
	switch w.cut {
	case graphstore.CutByLimit:
		return "the walk has reached its limit of entities; there are more"
	case graphstore.CutByTime:
		return "the walk took longer than allowed; these are the hops until then"
	}
	return ""
}

// Explored reports whether the walk went on from the entities of a degree.
func (w *Walk) Explored(degree int) bool {
	if w.Partial() && degree == w.deepest() {
		return false
	}
	return w.Query.MaxHops == 0 || degree < w.Query.MaxHops
}

// Truncated reports whether the walk was cut before it had followed all edges of the entities
// of a degree.
func (w *Walk) Truncated(degree int) bool {
	switch deepest := w.deepest(); w.cut {
	case graphstore.CutByLimit: // the walk was cut in the middle of a hop
		return degree >= deepest-1
	case graphstore.CutByTime: // the walk was cut between two hops
		return degree == deepest
	}
	return false
}

// deepest returns the largest degree that the walk reached.
func (w *Walk) deepest() int {
	if len(w.Reached) == 0 {
		return 0
	}
	return w.Reached[len(w.Reached)-1].Degree
}

// enterWalk waits for a place among the requests that walk and process the results of walks:
// paths, names, owners. Each exported method takes one place for its whole work, and calls only
// methods that take none. The caller must call leave to free the place.
func (s *Service) enterWalk(ctx context.Context) (leave func(), err error) {
	leave, err = s.walks.Enter(ctx)
	return leave, catalog.StoreFailure(err)
}

// Walk walks to all entities upstream or downstream, after it has waited for a place.
func (s *Service) Walk(ctx context.Context, q WalkQuery) (*Walk, error) {
	if err := checkWalk(&q); err != nil {
		return nil, err
	}
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.walk(ctx, q)
}

// walk does the work of Walk, for a request that has a place among the walks. It fails with NotFound when
// nothing is known of the column at which the walk begins: a walk that reaches something has shown that lineage
// names the column, so walk asks whether the column is known only if nothing was reached.
func (s *Service) walk(ctx context.Context, q WalkQuery) (*Walk, error) {
	if err := checkWalk(&q); err != nil {
		return nil, err
	}
	walk, err := s.walkFromStart(ctx, q)
	if err == nil && len(walk.Reached) == 0 && q.URN.EntityType() == model.EntitySchemaField {
		err = s.requireColumn(ctx, q.URN, q.AsOf != 0 || q.From != 0 || q.To != 0)
	}
	if err != nil {
		return nil, err
	}
	return walk, nil
}

// walkFromStart does a walk whose query was checked.
func (s *Service) walkFromStart(ctx context.Context, q WalkQuery) (_ *Walk, err error) {
	u := q.URN
	walk := &Walk{Query: q, Starts: []string{u.String()}, nodes: nodesRead{}}
	cut := false // the walk begins at some of the columns only
	if q.Columns && u.EntityType() != model.EntitySchemaField {
		if walk.Starts, cut, err = s.columnsOf(ctx, u, &q); err != nil {
			return nil, err
		}
	}
	walk.Starts = append(walk.Starts, catalog.Texts(q.Also)...)
	if q.From != 0 || q.To != 0 || q.MergeSiblings {
		err = s.walkByHops(ctx, walk)
	} else {
		err = s.walkInStore(ctx, walk)
	}
	if err != nil {
		return nil, err
	}
	if cut && walk.cut == graphstore.NotCut {
		walk.cut = graphstore.CutByLimit
	}
	walk.degrees = make(map[string]int, len(walk.Starts)+len(walk.Reached))
	for _, start := range walk.Starts {
		walk.degrees[start] = 0
	}
	for _, r := range walk.Reached {
		walk.degrees[r.URN] = r.Degree
	}
	for twin, of := range walk.twins {
		walk.degrees[twin] = walk.degrees[of]
	}
	return walk, nil
}

// maxReport bounds the walks of requests whose answers have no pages.
const maxReport = limits.MaxReport

// checkReport checks the Reach of a walk whose answer has no pages.
func checkReport(q *WalkQuery) error {
	if q.Reach > maxReport {
		return catalog.Errorf(catalog.Invalid, "the reach of this request must be from 1 to %d entities", maxReport)
	}
	return nil
}

// requireKnown fails with NotFound when nothing is known of the entity at which a walk begins
// or, for a column, of the column and its entity.
func (s *Service) requireKnown(ctx context.Context, urn model.URN) error {
	nodes, err := s.store.Entities(ctx, []string{urn.String(), assetOfURN(urn)})
	if err == nil && len(nodes) == 0 {
		return catalog.NotStored(urn, "nothing is known of %s")
	}
	return catalog.StoreFailure(err)
}

// checkWalk checks a query and fills in its bounds.
func checkWalk(q *WalkQuery) error {
	switch {
	case q.Direction != Upstream && q.Direction != Downstream:
		return catalog.Errorf(catalog.Invalid, "direction must be UPSTREAM or DOWNSTREAM, not %q", q.Direction)
	case q.MaxHops < 0:
		return catalog.Errorf(catalog.Invalid, "hops must not be negative")
	case q.MaxHops > limits.MaxHops:
		return catalog.Errorf(catalog.Invalid, "hops must not be above %d", limits.MaxHops)
	case q.Reach < 0 || q.Reach > MaxReach:
		return catalog.Errorf(catalog.Invalid, "the reach of a walk must be from 1 to %d entities", MaxReach)
	case q.AsOf < 0 || q.From < 0 || q.To < 0:
		return catalog.Errorf(catalog.Invalid, "moments are epoch milliseconds")
	}
	for _, more := range q.Also {
		if q.URN.EntityType() != model.EntitySchemaField || more.EntityType() != model.EntitySchemaField || assetOfURN(more) != assetOfURN(q.URN) {
			return catalog.Errorf(catalog.Invalid, "%s and %s are not columns of one entity", q.URN, more)
		}
	}
	q.Columns = q.Columns || q.URN.EntityType() == model.EntitySchemaField
	if q.Reach == 0 {
		q.Reach = limits.DefaultReach
	}
	return nil
}

// steps returns the kinds of edge that a walk follows.
func (s *Service) steps(q *WalkQuery) []graphstore.Step {
	kinds := s.registry.LineageKinds()
	if q.Columns {
		kinds = []model.LineageKind{model.ColumnLineage()}
	}
	steps := make([]graphstore.Step, len(kinds))
	for i, kind := range kinds {
		steps[i] = graphstore.Step{EdgeKind: graphKind(kind.EdgeKind)}
		if kind.Upstream != (q.Direction == Upstream) {
			steps[i].Direction = graphstore.Incoming
		}
	}
	if q.References && q.Direction == Downstream {
		steps = append(steps, incoming(referenceKinds)...)
	}
	return steps
}

// walkFailure converts an error of the store during a walk; nil stays nil.
func walkFailure(err error) error {
	if errors.Is(err, graphstore.ErrImpatient) {
		return catalog.Errorf(catalog.Timeout, "the walk took longer than %v; ask for fewer hops", walkPatience)
	}
	return catalog.StoreFailure(err)
}

// walkInStore lets the store do the walk.
func (s *Service) walkInStore(ctx context.Context, walk *Walk) error {
	q := &walk.Query
	found, err := s.store.Walk(ctx, graphstore.WalkQuery{
		From: walk.Starts, Steps: s.steps(q), MaxHops: q.MaxHops, Limit: q.Reach, AsOf: q.AsOf,
		WithoutRemoved: q.WithoutRemoved, Patience: walkPatience,
		// References lead along foreign keys in paths, and not in walks.
		Before: q.paths && !q.References, StatedBy: q.statedBy,
	})
	if err != nil {
		return walkFailure(err)
	}
	walk.cut, walk.Reached = found.Cut, found.Visits
	return nil
}

// hopOf returns a hop in a direction, along the edges that the walk follows.
func (s *Service) hopOf(direction string, q *WalkQuery) *lineageHop {
	return &lineageHop{c: s, query: RelationshipsQuery{
		Direction: direction, Count: catalog.MaxPage, SeparateSiblings: true, From: q.From, To: q.To, AsOf: q.AsOf,
	}, siblings: map[string]siblings{}, references: q.References}
}

// lookUpReached reads the nodes of entities, and returns them as reached at a degree.
func (s *Service) lookUpReached(ctx context.Context, urns []string, degree int, withoutRemoved bool) ([]Reached, error) {
	nodes, err := s.store.Entities(ctx, urns)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	found := make([]Reached, 0, len(nodes))
	for _, n := range nodes {
		if !withoutRemoved || !n.Removed {
			found = append(found, Reached{URN: n.URN, Type: n.Type, Degree: degree, Exists: n.Exists, Removed: n.Removed})
		}
	}
	return found, nil
}

// withSiblings adds the unseen siblings of entities to the list, if the walk merges siblings.
func (s *Service) withSiblings(ctx context.Context, walk *Walk, urns []string, seen map[string]bool) ([]string, error) {
	q := &walk.Query
	if !q.MergeSiblings || len(urns) == 0 {
		return urns, nil
	}
	all := slices.Clone(urns)
	for _, direction := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
		found, err := s.store.Edges(ctx, graphstore.EdgeQuery{
			URNs: urns, Direction: direction, Types: []string{model.RelationshipSiblingOf}, AsOf: q.AsOf, Page: graphstore.Page{Count: catalog.MaxPage},
			Walks: true, WithoutRemoved: q.WithoutRemoved,
		})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for _, urn := range urns {
			for i := range found[urn].Edges {
				if other := found[urn].Edges[i].OtherEnd(direction); !seen[other] {
					seen[other], walk.twins[other] = true, urn
					all = append(all, other)
				}
			}
		}
	}
	return all, nil
}

// GraphKinds returns the edge kinds of a model as a graph store takes them: all kinds, and the
// kinds of lineage that lead downstream.
func GraphKinds(registry *model.Registry) (all, downstream []graphstore.EdgeKind) {
	for _, kind := range registry.EdgeKinds() {
		all = append(all, graphKind(kind))
	}
	for _, kind := range registry.LineageKinds() {
		if !kind.Upstream {
			downstream = append(downstream, graphKind(kind.EdgeKind))
		}
	}
	return all, downstream
}

func graphKind(kind model.EdgeKind) graphstore.EdgeKind {
	return graphstore.EdgeKind{Type: kind.Relationship, SourceType: kind.SourceType, DestinationType: kind.DestinationType}
}
