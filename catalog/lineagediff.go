package catalog

import (
	"cmp"
	"context"
	"slices"
)

// LineageDiffRequest asks how lineage changed between two moments.
type LineageDiffRequest struct {
	// Walk is the walk that is compared; its AsOf is ignored.
	Walk WalkQuery
	// Before and After are epoch milliseconds; an After of 0 is now.
	Before, After int64
}

// LineageDiff is the difference between two walks from the same entity.
type LineageDiff struct {
	URN       string `json:"urn"`
	Direction string `json:"direction"`
	Columns   bool   `json:"columns"`
	Before    int64  `json:"before"`
	After     int64  `json:"after,omitempty"`
	// Added were reached after and not before, Ended the other way round. Moved
	// are those whose degree has changed.
	Added []LineageEntity `json:"added"`
	Ended []LineageEntity `json:"ended"`
	Moved []MovedEntity   `json:"moved"`
	// EdgesAdded were stated between the two moments, EdgesEnded ended between
	// them. Each has its run and actor.
	EdgesAdded []LineageLink `json:"edgesAdded"`
	EdgesEnded []LineageLink `json:"edgesEnded"`
	Partial    bool          `json:"partial"`
	Reason     string        `json:"reason,omitempty"`
}

// MovedEntity is an entity whose distance has changed.
type MovedEntity struct {
	LineageEntity
	// DegreeBefore is its former degree.
	DegreeBefore int `json:"degreeBefore"`
}

// diffReach is the default bound of entities that each walk of a diff reaches.
const diffReach = 10_000

// LineageDiff compares what was upstream or downstream at two moments.
func (c *Catalog) LineageDiff(ctx context.Context, r LineageDiffRequest) (*LineageDiff, error) {
	switch {
	case r.Before <= 0 || r.After < 0:
		return nil, Errorf(Invalid, "a diff needs two moments in epoch milliseconds: before, and after unless that is now")
	case r.After != 0 && r.After < r.Before:
		return nil, Errorf(Invalid, "the moment after is before the moment before")
	case r.Walk.From != 0 || r.Walk.To != 0 || r.Walk.MergeSiblings:
		return nil, Errorf(Invalid, "a diff cannot have a time window or merge siblings")
	}
	if err := checkReport(&r.Walk); err != nil {
		return nil, err
	}
	if r.Walk.Reach == 0 {
		r.Walk.Reach = diffReach
	}
	ctx, leave, err := c.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	before, err := c.lineageAt(ctx, r.Walk, r.Before)
	if err != nil {
		return nil, err
	}
	after, err := c.lineageAt(ctx, r.Walk, r.After)
	if err != nil {
		return nil, err
	}
	if len(before.walk.Reached)+len(after.walk.Reached) == 0 {
		if err := c.requireKnown(ctx, before.walk.Query.URN); err != nil {
			return nil, err
		}
	}
	q := &before.walk.Query
	d := &LineageDiff{
		URN: q.URN, Direction: q.Direction, Columns: q.Columns, Before: r.Before, After: r.After,
		Partial: before.walk.Partial() || after.walk.Partial(), Reason: cmp.Or(before.walk.Reason(), after.walk.Reason()),
		EdgesAdded: []LineageLink{}, EdgesEnded: []LineageLink{}, Moved: []MovedEntity{},
	}
	for _, e := range after.sorted() {
		if _, was := before.edges[linkKey(e)]; !was && e.Since > r.Before {
			d.EdgesAdded = append(d.EdgesAdded, *e)
		}
	}
	for _, e := range before.sorted() {
		if _, is := after.edges[linkKey(e)]; !is && e.Until != 0 && (r.After == 0 || e.Until <= r.After) {
			d.EdgesEnded = append(d.EdgesEnded, *e)
		}
	}
	return d, c.compareEntities(ctx, d, before.walk, after.walk)
}

// compareEntities fills in the entities by which two walks differ.
func (c *Catalog) compareEntities(ctx context.Context, d *LineageDiff, before, after *Walk) error {
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
	var err error
	if d.Added, err = c.describe(ctx, added); err != nil {
		return err
	}
	if d.Ended, err = c.describe(ctx, ended); err != nil {
		return err
	}
	entities, err := c.describe(ctx, moved)
	for _, e := range entities {
		d.Moved = append(d.Moved, MovedEntity{e, before.degrees[e.URN]})
	}
	return err
}

// lineageState is the lineage of one moment.
type lineageState struct {
	walk  *Walk
	edges map[[3]string]*LineageLink
}

func (c *Catalog) lineageAt(ctx context.Context, q WalkQuery, at int64) (*lineageState, error) {
	q.AsOf = at
	walk, err := c.WalkLineage(ctx, q)
	if err != nil {
		return nil, err
	}
	urns := make([]string, len(walk.Reached))
	for i, r := range walk.Reached {
		urns[i] = r.URN
	}
	m := &lineageState{walk: walk, edges: map[[3]string]*LineageLink{}}
	for part := range slices.Chunk(urns, MaxPage) {
		edges, err := c.edgesTo(ctx, walk, part)
		if err != nil {
			return nil, err
		}
		for i := range edges {
			m.edges[linkKey(&edges[i])] = &edges[i]
		}
	}
	return m, nil
}

func linkKey(e *LineageLink) [3]string { return [3]string{e.Upstream, e.Type, e.Downstream} }

// sorted returns the edges, ordered by their ends.
func (m *lineageState) sorted() []*LineageLink {
	edges := make([]*LineageLink, 0, len(m.edges))
	for _, e := range m.edges {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b *LineageLink) int {
		return cmp.Or(cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Downstream, b.Downstream), cmp.Compare(a.Type, b.Type))
	})
	return edges
}
