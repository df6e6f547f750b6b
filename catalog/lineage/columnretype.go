package lineage

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/sql"
)

// followRetyped finds the columns that derive from the retyped column over several hops, and
// the readers of those columns.
func (l *columnLoss) followRetyped(ctx context.Context) error {
	for urn, e := range l.byColumns {
		if l.degrees[urn] > 1 {
			e.effect = EffectPossible
		}
	}
	if err := l.addDerived(ctx); err != nil {
		return err
	}
	return l.readersOfDerived(ctx)
}

// readersOfDerived judges the readers of columns that derive from a column with another type.
func (l *columnLoss) readersOfDerived(ctx context.Context) error {
	from, at := []string{}, map[string][]string{}
	for _, r := range l.walk.Reached {
		asset := assetOf(r.URN)
		if at[asset] == nil {
			from = append(from, asset)
		}
		at[asset] = append(at[asset], r.URN)
	}
	derive, contain := l.lineageSteps()
	steps := slices.Concat(derive, contain, incoming(referenceKinds))
	for some := range slices.Chunk(from, lossEntities) {
		if l.expired() {
			return nil
		}
		visits, err := l.oneHop(ctx, some, steps)
		if err != nil {
			return err
		}
		if err := l.judgeDerived(ctx, visits, at); err != nil {
			return err
		}
	}
	return l.referencesToDerived(ctx)
}

// judgeDerived judges the entities downstream of entities with derived columns; at has these
// columns by entity.
func (l *columnLoss) judgeDerived(ctx context.Context, visits []graphstore.Visit, at map[string][]string) error {
	visits = slices.DeleteFunc(visits, func(v graphstore.Visit) bool { return l.effects[v.URN] != nil })
	for some := range slices.Chunk(visits, aspectsAtOnce) {
		hop := l.s.hopOf(Upstream, &l.query)
		if err := hop.readEdges(ctx, urnsOf(some)); err != nil {
			return err
		}
		nearest := map[string]int{}
		effects, err := l.s.judge(ctx, l.aspects, l.texts, some, func(urn string) []*lostColumns {
			var lost []*lostColumns
			for i := range hop.edges[urn] {
				up := hop.edges[urn][i].Entity
				if degree, known := l.degrees[up]; known && len(at[up]) > 0 {
					table := sql.Table{Name: tableName(up)}
					lost = append(lost, &lostColumns{asset: up, urns: at[up], paths: plainPaths(at[up]), table: table})
					nearest[urn] = cmp.Or(min(nearest[urn], degree+1), degree+1)
				}
			}
			return lost
		})
		if err != nil {
			return err
		}
		for _, v := range some {
			if e := effects[v.URN]; e != nil {
				e.effect, e.because = EffectPossible, BecauseBehindPossible
				l.addAffected([]affected{{v, e}}, nearest[v.URN], EffectPossible)
			}
		}
	}
	return nil
}

// referencesToDerived adds the assertions, queries and foreign keys that name a derived column.
func (l *columnLoss) referencesToDerived(ctx context.Context) error {
	for degree := 1; degree <= l.walk.deepest(); degree++ {
		var columns []string
		for _, r := range l.walk.Reached {
			if r.Degree == degree {
				columns = append(columns, r.URN)
			}
		}
		visits, err := l.oneHop(ctx, columns, incoming(append(slices.Clone(columnReferenceKinds), foreignKeyColumn)))
		if err != nil {
			return err
		}
		for _, v := range visits {
			l.addAffected([]affected{{v, &columnEffect{effect: EffectPossible, because: BecauseBehindPossible}}}, degree+1, EffectPossible)
		}
		if err := l.addIndirectReaders(ctx, columns, degree, EffectPossible, BecauseBehindPossible); err != nil {
			return err
		}
	}
	return nil
}
