package lineage

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

const (
	// partEntities is the number of entities whose columns are read at once; partEdges bounds the
	// edges that are read.
	partEntities = 2500
	partEdges    = limits.MaxReach
)

// partRelationships are the relationships that lead to a column from entities that derive from
// it or are about it.
var partRelationships = []string{model.RelationshipDownstreamOf, model.RelationshipIndirectlyDownstreamOf, model.RelationshipAsserts, model.RelationshipIsAssociatedWith}

// followParts finds the readers of columns of entities that are affected as a whole, where no
// lineage between entities leads to the reader. followParts reports whether it found a reader.
func (l *columnLoss) followParts(ctx context.Context, effect, because string) (found bool, err error) {
	for degree, all := range l.wholes(func(e *columnEffect) bool {
		return !e.partsFollowed && (e.effect == EffectCertain || effect == EffectPossible)
	}, func(e *columnEffect) { e.partsFollowed = true }) {
		if l.query.MaxHops > 0 && degree >= l.query.MaxHops {
			break
		}
		for some := range slices.Chunk(all, readsAtOnce*partEntities) {
			if l.expired() {
				return false, nil
			}
			added, err := l.addReadersOfParts(ctx, some, degree+1, effect, because)
			if err != nil {
				return false, err
			}
			found = found || added
		}
	}
	return found, nil
}

// withoutColumns are entity types that have no columns.
var withoutColumns = []string{model.EntityAssertion, model.EntityQuery, model.EntityDataContract, model.EntityDataJob}

// addReadersOfParts adds the readers of columns of entities, as addReaders does.
func (l *columnLoss) addReadersOfParts(ctx context.Context, all []*columnEffect, degree int, effect, because string) (found bool, err error) {
	parts := slices.Collect(slices.Chunk(all, partEntities))
	links, cuts := make([]map[string]*Link, len(parts)), make([]graphstore.Cut, len(parts))
	err = eachAtOnce(ctx, len(parts), func(ctx context.Context, i int) (err error) {
		links[i], cuts[i], err = l.readersOfParts(ctx, parts[i])
		return err
	})
	if err != nil {
		return false, err
	}
	for i := range parts {
		l.cut = cmp.Or(cuts[i], l.cut)
		added, err := l.addReaders(ctx, links[i], degree, effect, because)
		if err != nil {
			return false, err
		}
		found = found || added
	}
	return found, nil
}

// readersOfParts returns, for each reader of a column of the entities, a link from the entity
// to the reader.
func (l *columnLoss) readersOfParts(ctx context.Context, some []*columnEffect) (map[string]*Link, graphstore.Cut, error) {
	var entities []string
	for _, e := range some {
		if !slices.Contains(withoutColumns, typeOf(e.on.URN)) {
			entities = append(entities, e.on.URN)
		}
	}
	prefixes := make([]string, len(entities))
	for i, urn := range entities {
		prefixes[i] = columnPrefix(model.StoredURN(urn).Namespace(), urn)
	}
	return l.linksToParts(ctx, entities, prefixes, partRelationships)
}

// linksToParts returns, for each entity that states edges of the types to parts, or that has a
// column with such an edge, a link to the reader, and whether there are more. Each prefix is that of
// the parts of the entity at the same index.
func (l *columnLoss) linksToParts(ctx context.Context, entities, prefixes, types []string) (map[string]*Link, graphstore.Cut, error) {
	stated, err := l.s.store.EdgesToParts(ctx, graphstore.PartQuery{
		Prefixes: prefixes, Types: types, SourcesOf: []string{model.EntityDataJob}, AsOf: l.query.AsOf, Limit: partEdges,
	})
	if err != nil {
		return nil, graphstore.NotCut, catalog.StoreFailure(err)
	}
	cut := graphstore.NotCut
	if stated.Cut {
		cut = graphstore.CutByLimit
	}
	links := map[string]*Link{}
	for _, e := range stated.Edges {
		from := entities[e.Prefix]
		for _, reader := range []string{e.Owner, assetOf(e.Source)} {
			known, twice := links[reader]
			if reader != "" && reader != from && (!twice || from < known.Upstream) {
				links[reader] = &Link{Upstream: from, Downstream: reader, Type: model.RelationshipDownstreamOf, StatedBy: []string{e.Owner}}
			}
		}
	}
	return links, cut, nil
}

// addReaders adds the readers to which links lead. addReaders reports whether any of them was not
// yet known to be affected as a whole.
func (l *columnLoss) addReaders(ctx context.Context, links map[string]*Link, degree int, effect, because string) (found bool, err error) {
	var open []string
	for _, urn := range slices.Sorted(maps.Keys(links)) {
		known := l.effects[urn]
		switch {
		case known == nil:
			open = append(open, urn)
		case !known.whole:
			l.turnWhole(urn, degree)
			found = true
		}
	}
	for some := range slices.Chunk(open, catalog.MaxPage) {
		reached, err := l.s.lookUpReached(ctx, some, degree, l.query.WithoutRemoved)
		if err != nil {
			return false, err
		}
		for _, r := range reached {
			e := l.byColumns[r.URN]
			if e == nil || e.effect != effect {
				e = &columnEffect{effect: effect, because: because}
			}
			e.whole, found = true, true
			l.addAffected([]affected{{r, e}}, degree, effect)
			for _, walk := range []*Walk{l.certain, l.possible} {
				if walk == l.possible || effect == EffectCertain {
					walk.links[r.URN] = links[r.URN]
				}
			}
		}
	}
	return found, nil
}
