package lineage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/reads"
)

// reasons lists the reasons in the order in which an impact lists them.
var reasons = []string{
	BecauseColumns, BecauseSQL, BecauseForeignKey, BecauseAssertion, BecauseSubject, BecauseBehind,
	BecauseNotStated, BecauseMayRead, BecauseBehindPossible,
}

// countReasons counts the effects on affected entities by effect and reason.
func (w *impactWays) countReasons(impact *Impact, reached []Reached) {
	type kind struct{ effect, because string }
	type place struct {
		kind
		degree int
	}
	places := map[place]int{}
	var last place
	same := 0 // most entities are counted at the place of the one before
	for _, r := range reached {
		e := w.effects[r.URN]
		if e == nil {
			continue
		}
		at := place{kind{e.effect, e.because}, r.Degree}
		if at != last {
			places[last] += same
			last, same = at, 0
		}
		same++
	}
	places[last] += same
	delete(places, place{})
	effects, degrees := counter{}, map[kind]counter{}
	for at, count := range places {
		if degrees[at.kind] == nil {
			degrees[at.kind] = counter{}
		}
		degrees[at.kind][strconv.Itoa(at.degree)] = count
		effects[at.effect] += count
	}
	impact.ByEffect = effects.groups()
	for kind, counted := range degrees {
		reason := ImpactReason{Effect: kind.effect, Because: kind.because, ByDegree: counted.groups()}
		for _, group := range reason.ByDegree {
			reason.Count += group.Count
		}
		sortDegrees(reason.ByDegree)
		impact.ByReason = append(impact.ByReason, reason)
	}
	slices.SortFunc(impact.ByReason, func(a, b ImpactReason) int {
		return cmp.Or(cmp.Compare(a.Effect, b.Effect), cmp.Compare(slices.Index(reasons, a.Because), slices.Index(reasons, b.Because)))
	})
}

// EffectCount is how many entities are affected, by their effect.
type EffectCount struct{ Certain, Possible int }

// EffectsByOwner counts affected entities for each of their owners.
type EffectsByOwner map[string]EffectCount

// Add counts an affected entity for each of its owners.
func (n EffectsByOwner) Add(effect string, owners []string) {
	for _, owner := range owners {
		count := n[owner]
		if effect == EffectPossible {
			count.Possible++
		} else {
			count.Certain++
		}
		n[owner] = count
	}
}

// countEffects counts, for each owner, the certainly and the possibly affected entities.
func (i *Impact) countEffects(found *impactWays, owners map[string][]string) {
	if len(i.Owners) == 0 {
		return
	}
	counts := EffectsByOwner{}
	for _, e := range found.reached {
		if effect := found.effectOn(e.URN); effect != "" {
			counts.Add(effect, owners[e.URN])
		}
	}
	for k := range i.Owners {
		o := &i.Owners[k]
		o.Certain, o.Possible = counts[o.URN].Certain, counts[o.URN].Possible
	}
}

// explained bounds the entities of a page for which Behind is found.
const explained = catalog.MaxPage

// explain sets Behind and Why of affected entities.
func (s *Service) explain(ctx context.Context, l *columnLoss, entities []ImpactedEntity) error {
	if err := s.findBehind(ctx, l, entities[:min(len(entities), explained)]); err != nil {
		return err
	}
	named := []string{l.start}
	for i := range entities {
		if behind := entities[i].Behind; behind != "" {
			named = append(named, behind)
		}
	}
	names := map[string]string{}
	for some := range slices.Chunk(distinct(named), catalog.MaxPage) {
		found, err := s.names.Name(ctx, some)
		if err != nil {
			return err
		}
		for urn, n := range found {
			names[urn] = n.Name
		}
	}
	for i := range entities {
		e := &entities[i]
		e.Why = l.why(e, names)
	}
	return nil
}

// findBehind sets Behind of entities: the affected entity one hop upstream.
func (s *Service) findBehind(ctx context.Context, l *columnLoss, entities []ImpactedEntity) error {
	byDegree := map[*Walk]map[int][]*ImpactedEntity{l.certain: {}, l.possible: {}}
	for i := range entities {
		e := &entities[i]
		walk := l.walkTo(e.Effect)
		if degree, known := walk.degrees[e.URN]; known && (e.Because == BecauseBehind || e.Because == BecauseBehindPossible) {
			byDegree[walk][degree] = append(byDegree[walk][degree], e)
		}
	}
	for walk, degrees := range byDegree {
		for degree, some := range degrees {
			f := &pathFinder{walk: walk, before: map[string][]*Link{}, most: 1}
			urns := make([]string, len(some))
			for i := range some {
				urns[i] = some[i].URN
			}
			if err := f.readBack(ctx, s, urns, degree); err != nil {
				return err
			}
			for _, e := range some {
				for _, edge := range f.before[e.URN] {
					e.Behind = f.previous(edge)
				}
				if link, led := walk.linkTo(e.URN); led && e.Behind == "" {
					e.Behind = link.Upstream
				}
			}
		}
	}
	return nil
}

// walkTo returns the walk whose distances lead to entities with an effect.
func (l *columnLoss) walkTo(effect string) *Walk {
	if effect == EffectCertain {
		return l.certain
	}
	return l.possible
}

// why returns the reason of an effect as a sentence.
func (l *columnLoss) why(e *ImpactedEntity, names map[string]string) string {
	column := strings.Join(plainPaths(l.columns), ", ")
	effect := l.effects[e.URN]
	switch e.Because {
	case BecauseColumns:
		if len(e.Columns) == 0 {
			return fmt.Sprintf("it states lineage from %s", column)
		}
		return fmt.Sprintf("lineage leads from %s to %s", column, strings.Join(plainNames(e.Columns), ", "))
	case BecauseSQL:
		if len(e.Clauses) == 0 {
			return fmt.Sprintf("the SQL of %s has the name %s, and could not be read as a whole: %s", e.Name, column, effect.detail)
		}
		return fmt.Sprintf("the SQL of %s reads %s in %s", e.Name, column, reads.PlacesText(effect.reads))
	case BecauseForeignKey:
		return fmt.Sprintf("a foreign key of %s refers to %s", e.Name, column)
	case BecauseAssertion:
		return fmt.Sprintf("the assertion is about %s", column)
	case BecauseSubject:
		return fmt.Sprintf("the query names %s as its subject", column)
	case BecauseNotStated:
		return fmt.Sprintf("it derives from %s, and nobody states by which columns", names[l.start])
	case BecauseMayRead:
		return fmt.Sprintf("it may join or filter on %s: %s", column, effect.detail)
	}
	behind := cmp.Or(names[e.Behind], "an entity")
	switch {
	case e.Behind == l.start && e.Because == BecauseBehind:
		return fmt.Sprintf("it contains %s", behind)
	case e.Because == BecauseBehind:
		return fmt.Sprintf("it stands behind %s, which breaks", behind)
	case l.retyped:
		return fmt.Sprintf("it stands behind %s, which may see another type", behind)
	}
	return fmt.Sprintf("it stands behind %s, which may break", behind)
}

// plainNames returns paths without the types of nested fields.
func plainNames(paths []string) []string {
	plain := make([]string, len(paths))
	for i, path := range paths {
		plain[i] = model.PlainPath(path)
	}
	return plain
}
