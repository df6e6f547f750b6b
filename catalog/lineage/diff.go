package lineage

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// DiffRequest asks how lineage changed between two moments.
type DiffRequest struct {
	// Walk is the walk that is compared; its AsOf is ignored.
	Walk WalkQuery
	// Before and After are epoch milliseconds; an After of 0 is now.
	Before, After int64
}

// Diff is the difference between two walks from the same entity.
type Diff struct {
	URN       string `json:"urn"`
	Direction string `json:"direction"`
	Columns   bool   `json:"columns"`
	Before    int64  `json:"before"`
	After     int64  `json:"after,omitempty"`
	// Added lists the entities that only the later walk reached, and Ended lists the entities that
	// only the earlier walk reached. Moved lists the entities whose degree has changed, also beyond
	// the hops of the request: they are neither added nor ended.
	Added []Entity      `json:"added"`
	Ended []Entity      `json:"ended"`
	Moved []MovedEntity `json:"moved"`
	// EdgesAdded lists the edges that became current between the two moments, EdgesEnded the edges
	// that ended. Each has its run and actor.
	EdgesAdded []Link `json:"edgesAdded"`
	EdgesEnded []Link `json:"edgesEnded"`
	Partial    bool   `json:"partial"`
	Reason     string `json:"reason,omitempty"`
	// Note is as in [Result]. Note is about the moment Before.
	Note string `json:"note,omitempty"`
}

// MovedEntity is an entity whose distance has changed.
type MovedEntity struct {
	Entity
	// DegreeBefore is the degree at the moment [Diff].Before.
	DegreeBefore int `json:"degreeBefore"`
}

// check checks the request, and sets the default reach.
func (r *DiffRequest) check() error {
	switch {
	case r.Before <= 0 || r.After < 0:
		return catalog.Errorf(catalog.Invalid, "a diff needs two moments in epoch milliseconds: before, and after unless that is now")
	case r.After != 0 && r.After < r.Before:
		return catalog.Errorf(catalog.Invalid, "the moment after is before the moment before")
	case r.Walk.From != 0 || r.Walk.To != 0 || r.Walk.MergeSiblings:
		return catalog.Errorf(catalog.Invalid, "a diff cannot have a time window or merge siblings")
	}
	if err := checkReport(&r.Walk); err != nil {
		return err
	}
	if r.Walk.Reach == 0 {
		r.Walk.Reach = limits.DefaultDiffReach
	}
	return nil
}

// Diff compares the entities that were upstream or downstream at two moments.
func (s *Service) Diff(ctx context.Context, r DiffRequest) (*Diff, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.diff(ctx, r, nodesRead{})
}

// diff does the work of Diff, for a request that was checked and has a place among the walks.
func (s *Service) diff(ctx context.Context, r DiffRequest, known nodesRead) (*Diff, error) {
	before, err := s.lineageAt(ctx, r.Walk, r.Before)
	if err != nil {
		return nil, err
	}
	after, err := s.lineageAt(ctx, r.Walk, r.After)
	if err != nil {
		return nil, err
	}
	if len(before.walk.Reached)+len(after.walk.Reached) == 0 {
		if err := s.requireKnown(ctx, before.walk.Query.URN); err != nil {
			return nil, err
		}
	}
	q := &before.walk.Query
	d := &Diff{
		URN: q.URN.String(), Direction: q.Direction, Columns: q.Columns, Before: r.Before, After: r.After,
		Partial: before.walk.Partial() || after.walk.Partial(), Reason: cmp.Or(before.walk.Reason(), after.walk.Reason()),
		EdgesAdded: []Link{}, EdgesEnded: []Link{}, Moved: []MovedEntity{},
	}
	if d.Note, err = s.noteOfPast(ctx, q.URN, r.Before); err != nil {
		return nil, err
	}
	for _, e := range after.sorted() {
		began, _, _ := e.Began()
		if _, was := before.edges[linkKey(e)]; !was && began > r.Before {
			d.EdgesAdded = append(d.EdgesAdded, *e)
		}
	}
	for _, e := range before.sorted() {
		if _, is := after.edges[linkKey(e)]; !is && e.Until != 0 && (r.After == 0 || e.Until <= r.After) {
			d.EdgesEnded = append(d.EdgesEnded, *e)
		}
	}
	if err := s.fadeNow(ctx, pointers(d.EdgesAdded), r.After); err != nil {
		return nil, err
	}
	return d, s.compareEntities(ctx, known, d, before.walk, after.walk)
}

// degreesBeyond returns the degrees of entities that a walk did not reach within its hops, as far
// as a walk without this bound reaches them.
func (s *Service) degreesBeyond(ctx context.Context, d *Diff, walk *Walk, missing []Reached) (map[string]int, error) {
	if len(missing) == 0 || walk.Query.MaxHops == 0 {
		return nil, nil
	}
	q := walk.Query
	q.MaxHops = 0
	far, err := s.walk(ctx, q)
	if err != nil {
		return nil, err
	}
	if far.Partial() {
		d.Partial, d.Reason = true, cmp.Or(d.Reason, "the walk beyond the hops, which tells entities that moved from those that ended, was cut: "+far.Reason())
	}
	return far.degrees, nil
}

// splitMoved separates the entities that another walk reached at another distance from the entities
// that it did not reach.
func splitMoved(entities []Reached, degrees map[string]int) (moved, rest []Reached) {
	for _, r := range entities {
		if _, reached := degrees[r.URN]; reached {
			moved = append(moved, r)
		} else {
			rest = append(rest, r)
		}
	}
	return moved, rest
}

// compareEntities fills in the entities by which two walks differ.
func (s *Service) compareEntities(ctx context.Context, known nodesRead, d *Diff, before, after *Walk) error {
	var added, ended, moved []Reached
	for _, r := range after.Reached {
		degree, was := before.degrees[r.URN]
		if !was {
			added = append(added, r)
		} else if degree != r.Degree {
			moved = append(moved, r)
		}
	}
	for _, r := range before.Reached {
		if _, is := after.degrees[r.URN]; !is {
			ended = append(ended, r)
		}
	}
	was, err := s.degreesBeyond(ctx, d, before, added)
	if err != nil {
		return err
	}
	is, err := s.degreesBeyond(ctx, d, after, ended)
	if err != nil {
		return err
	}
	nearer, added := splitMoved(added, was)
	farther, ended := splitMoved(ended, is)
	for i := range farther {
		farther[i].Degree = is[farther[i].URN]
	}
	moved = slices.Concat(moved, nearer, farther)
	slices.SortFunc(moved, nearestFirst)
	if d.Added, err = s.describe(ctx, known, added, d.After); err != nil {
		return err
	}
	if d.Ended, err = s.describe(ctx, known, ended, d.Before); err != nil {
		return err
	}
	entities, err := s.describe(ctx, known, moved, d.After)
	for _, e := range entities {
		degree, within := before.degrees[e.URN]
		if !within {
			degree = was[e.URN]
		}
		d.Moved = append(d.Moved, MovedEntity{e, degree})
	}
	return err
}

// lineageState is a walk at one moment, with its edges.
type lineageState struct {
	walk  *Walk
	edges map[[3]string]*Link
}

func (s *Service) lineageAt(ctx context.Context, q WalkQuery, at int64) (*lineageState, error) {
	q.AsOf = at
	walk, err := s.walk(ctx, q)
	if err != nil {
		return nil, err
	}
	urns := make([]string, len(walk.Reached))
	for i, r := range walk.Reached {
		urns[i] = r.URN
	}
	m := &lineageState{walk: walk, edges: map[[3]string]*Link{}}
	for part := range slices.Chunk(urns, catalog.MaxPage) {
		edges, err := s.edgesTo(ctx, walk, part)
		if err != nil {
			return nil, err
		}
		for i := range edges {
			m.edges[linkKey(&edges[i])] = &edges[i]
		}
	}
	return m, nil
}

func linkKey(e *Link) [3]string { return [3]string{e.Upstream, e.Type, e.Downstream} }

// sorted returns the edges, ordered by their ends.
func (m *lineageState) sorted() []*Link {
	edges := make([]*Link, 0, len(m.edges))
	for _, e := range m.edges {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b *Link) int {
		return cmp.Or(cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Downstream, b.Downstream), cmp.Compare(a.Type, b.Type))
	})
	return edges
}
