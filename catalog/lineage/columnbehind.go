package lineage

import (
	"context"
	"iter"
	"maps"
	"slices"

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
	for degree, urns := range l.wholes(func(e *columnEffect) bool {
		return !e.followed && (e.effect == EffectCertain || effect == EffectPossible)
	}, func(e *columnEffect) { e.followed = true }) {
		visits, err := l.behind(ctx, l.withoutEnds(urns), degree)
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
func (l *columnLoss) withoutEnds(urns []string) []string {
	return slices.DeleteFunc(slices.Clone(urns), func(urn string) bool { return l.found[urn].Ends })
}

// wholes yields the affected entities that are affected as a whole and for which the function
// some returns true, grouped by distance, the nearest first. Before wholes yields a group,
// wholes calls note with the effect on each entity of the group.
func (l *columnLoss) wholes(some func(e *columnEffect) bool, note func(e *columnEffect)) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		by := map[int][]string{}
		for urn, r := range l.found {
			if e := l.effects[urn]; e.whole && some(e) {
				by[r.Degree] = append(by[r.Degree], urn)
			}
		}
		if e := l.effects[l.start]; e.whole && some(e) {
			by[l.back] = append(by[l.back], l.start)
		}
		for _, degree := range slices.Sorted(maps.Keys(by)) {
			urns := slices.DeleteFunc(by[degree], func(urn string) bool { return !some(l.effects[urn]) })
			slices.Sort(urns)
			for _, urn := range urns {
				note(l.effects[urn])
			}
			if len(urns) > 0 && !yield(degree, urns) {
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
	if r, found := l.found[urn]; found && degree < r.Degree && l.effects[urn].effect == effect {
		r.Degree = degree
		l.found[urn] = r
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
	for degree, urns := range l.wholes(func(*columnEffect) bool { return true }, func(*columnEffect) {}) {
		for some := range slices.Chunk(urns, lossEntities) {
			if l.expired() {
				return nil
			}
			visits, err := l.oneHop(ctx, l.withoutEnds(some), incoming([]graphstore.EdgeKind{foreignKey}))
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
