package lineage

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
)

// followBehind finds the entities behind the entities that are affected as a whole. With
// EffectCertain, followBehind starts only from certainly affected entities; with
// EffectPossible, it starts from all affected entities.
func (l *columnLoss) followBehind(ctx context.Context, effect string) error {
	because := BecauseBehind
	if effect == EffectPossible {
		because = BecauseBehindPossible
	}
	for {
		if err := l.followEntities(ctx, effect, because); err != nil {
			return err
		}
		if more, err := l.followParts(ctx, effect, because); err != nil || !more {
			return err
		}
	}
}

// followEntities walks along lineage between entities, from the entities that are affected as a
// whole.
func (l *columnLoss) followEntities(ctx context.Context, effect, because string) error {
	for degree, some := range l.wholes(func(e *columnEffect) bool {
		return !e.followed && (e.effect == EffectCertain || effect == EffectPossible)
	}, func(e *columnEffect) { e.followed = true }) {
		visits, err := l.behind(ctx, withoutEnds(some), degree)
		if err != nil {
			return err
		}
		for _, v := range visits {
			e := l.byColumns[v.URN]
			if e == nil || e.effect != effect {
				e = &columnEffect{effect: effect, because: because}
			}
			e.whole, e.followed = true, true
			at := degree + v.Degree
			if known := l.effects[v.URN]; known != nil {
				l.turnWhole(v.URN, at)
				known.followed = true
				l.approach(v.URN, at, effect)
			}
			l.certain.nearer(effect == EffectCertain, v.URN, at)
			l.possible.nearer(true, v.URN, at)
			l.addAffected([]affected{{v, e}}, at, effect)
		}
	}
	return nil
}

// withoutEnds returns the entities from which something may lead on.
func withoutEnds(some []*columnEffect) []string {
	var urns []string
	for _, e := range some {
		if !e.on.Ends {
			urns = append(urns, e.on.URN)
		}
	}
	return urns
}

// wholes yields the effects on entities that are affected as a whole and for which the function
// some returns true, grouped by distance, the nearest first, and then by URN. Before wholes yields a
// group, wholes calls note with each effect of the group.
func (l *columnLoss) wholes(some func(e *columnEffect) bool, note func(e *columnEffect)) iter.Seq2[int, []*columnEffect] {
	return func(yield func(int, []*columnEffect) bool) {
		by := map[int][]*columnEffect{}
		for _, e := range l.found {
			if e.whole && some(e) {
				by[e.on.Degree] = append(by[e.on.Degree], e)
			}
		}
		if e := l.effects[l.start]; e.whole && some(e) {
			by[l.back] = append(by[l.back], e)
		}
		for _, degree := range slices.Sorted(maps.Keys(by)) {
			group := slices.DeleteFunc(by[degree], func(e *columnEffect) bool { return !some(e) })
			slices.SortFunc(group, func(a, b *columnEffect) int { return strings.Compare(a.on.URN, b.on.URN) })
			for _, e := range group {
				note(e)
			}
			if len(group) > 0 && !yield(degree, group) {
				return
			}
		}
	}
}

// turnWhole marks an affected entity as affected as a whole. The column's own entity is
// affected as a whole if a cycle leads back to it; degree is then the length of the cycle.
func (l *columnLoss) turnWhole(urn string, degree int) {
	if e := l.effects[urn]; urn == l.start && !e.whole {
		l.back = degree
	}
	l.effects[urn].whole = true
}

// approach lowers the distance of an entity that was already found with the same effect.
func (l *columnLoss) approach(urn string, degree int, effect string) {
	if e := l.effects[urn]; urn != l.start && degree < e.on.Degree && e.effect == effect {
		e.on.Degree = degree
	}
}

// behind walks to everything downstream of entities at a distance from the start, within the
// bound of hops.
func (l *columnLoss) behind(ctx context.Context, from []string, degree int) ([]graphstore.Visit, error) {
	hops := 0
	if l.query.MaxHops > 0 {
		if hops = l.query.MaxHops - degree; hops <= 0 {
			return nil, nil
		}
	}
	return l.walkOn(ctx, from, l.s.steps(&l.query), hops)
}

// foreignKeys adds the tables with a foreign key to a table that is affected as a whole.
func (l *columnLoss) foreignKeys(ctx context.Context) error {
	for degree, all := range l.wholes(func(*columnEffect) bool { return true }, func(*columnEffect) {}) {
		for some := range slices.Chunk(all, lossEntities) {
			if l.expired() {
				return nil
			}
			visits, err := l.oneHop(ctx, withoutEnds(some), incoming([]graphstore.EdgeKind{foreignKey}))
			if err != nil {
				return err
			}
			for _, v := range visits {
				l.addAffected([]affected{{v, &columnEffect{effect: EffectPossible, because: BecauseBehindPossible}}}, degree+1, EffectPossible)
			}
		}
	}
	return nil
}
