package neo4j

import (
	"fmt"

	"github.com/headwater-io/headwater/graphstore"
)

// checkNamed fails if a batch writes an entity that the update did not name.
func (t *tx) checkNamed(b *graphstore.Batch) error {
	for urn := range writtenURNs(b) {
		if !t.locked[urn] {
			return notNamed(urn)
		}
		delete(t.blank, urn)
	}
	return nil
}

func notNamed(urn string) error {
	return fmt.Errorf("the update writes %q, which it did not name", urn)
}

func writtenURNs(b *graphstore.Batch) map[string]bool {
	urns := map[string]bool{}
	for _, urn := range b.DeleteEntities {
		urns[urn] = true
	}
	ofAspect := func(a *graphstore.Aspect) string { return a.URN }
	owner := func(e *graphstore.EdgeStatement) string { return e.Owner }
	collectURNs(urns, b.DeleteVersions, func(v *graphstore.VersionRange) string { return v.Key.URN })
	collectURNs(urns, b.Observe, func(o *graphstore.Observation) string { return o.Key.URN })
	collectURNs(urns, b.Archive, func(k *graphstore.AspectKey) string { return k.URN })
	collectURNs(urns, b.Restore, func(v *graphstore.VersionKey) string { return v.Key.URN })
	collectURNs(urns, b.PutArchived, ofAspect)
	collectURNs(urns, b.PutVersions, ofAspect)
	collectURNs(urns, b.Nodes, func(n *graphstore.NodeUpdate) string { return n.URN })
	collectURNs(urns, b.EndEdges, func(e *graphstore.EdgeEnd) string { return e.Owner })
	collectURNs(urns, b.UpdateEdges, owner)
	collectURNs(urns, b.AddEdges, owner)
	collectURNs(urns, b.EnsureEdges, owner)
	collectURNs(urns, b.AddEnded, func(e *graphstore.EndedStatement) string { return e.Owner })
	collectURNs(urns, b.PutTimeSeries, func(v *graphstore.TimeSeriesValue) string { return v.URN })
	collectURNs(urns, b.DeleteTimeSeries, func(r *graphstore.TimeSeriesRange) string { return r.URN })
	collectURNs(urns, b.Changes, func(c *graphstore.Change) string { return c.URN })
	return urns
}

func collectURNs[T any](into map[string]bool, items []T, urn func(*T) string) {
	for i := range items {
		into[urn(&items[i])] = true
	}
}
