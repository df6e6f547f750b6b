package lineage

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/reads"
)

// columnEffect is the effect of a column's loss on an entity.
type columnEffect struct {
	// effect and because are constants: an Effect… and a Because….
	effect, because string
	// on is the affected entity, once it is found.
	on Reached
	// whole tells that the entity is affected with all of its columns, so that the entities behind
	// it are affected too.
	whole bool
	// columns lists the paths of the entity's columns that derive from the lost column.
	columns []string
	// reads lists the places at which the entity's SQL reads the column. detail adds to the reason.
	reads  []reads.Place
	detail string
	// followed tells that the entities behind this entity have been found. partsFollowed tells
	// that the readers of this entity's columns have been found.
	followed, partsFollowed bool
}

// columnLoss finds the entities that are affected when a column is lost, in this order:
//
//  1. The walk along column lineage gives the entities whose columns derive from the lost one.
//  2. Each entity one hop from the column's entity is judged by its statements and its SQL: it
//     reads the column for certain, possibly, or not (readers, judge).
//  3. Everything downstream of a certain reader fails with the reader, so it is certain too: the
//     entities that lineage between entities leads to, and the readers of any of its columns.
//  4. Everything downstream of a possible reader is possible. So is a table with a foreign key to
//     a table that fails.
//
// A column that gets another type certainly breaks only its direct readers. All other entities
// that steps 1 to 4 find are then possible, and readers of a derived column are judged like
// readers of the column itself.
type columnLoss struct {
	s       *Service
	query   WalkQuery
	aspects *aspectReader
	texts   *reads.Reader
	retyped bool
	// expires is when the search stops.
	expires time.Time
	start   string
	columns []string
	walk    *Walk
	// byColumns has the effects on entities that column lineage leads to, degrees the distances of
	// these entities along columns. stated has, for each job that states an edge between columns,
	// the first such edge.
	byColumns map[string]*columnEffect
	degrees   map[string]int
	stated    map[string]Link
	// effects has, by URN, the effects on the entities found so far and on the column's entity; found lists the effects
	// without that on the column's entity. certain has the distances of entities that are certainly affected, possible
	// the distances of all affected entities.
	effects map[string]*columnEffect
	// ahead are the steps that lead to entities behind an affected one.
	ahead             [][]graphstore.Step
	certain, possible *Walk
	found             []*columnEffect
	// back is the distance at which a cycle leads back to the column's entity.
	back int
	cut  graphstore.Cut
}

func (s *Service) newColumnLoss(q WalkQuery, change string, walk *Walk) *columnLoss {
	start, room := assetOfURN(q.URN), len(walk.Reached) // about as many entities will be found
	distances := func() map[string]int {
		degrees := make(map[string]int, room)
		degrees[start] = 0
		return degrees
	}
	l := &columnLoss{
		s: s, query: q, aspects: s.aspectsAsOf(q.AsOf), retyped: change == ChangeRetype, expires: s.now().Add(walkPatience), start: start, columns: walk.Starts, walk: walk,
		byColumns: make(map[string]*columnEffect, room), degrees: make(map[string]int, room), stated: map[string]Link{},
		effects: make(map[string]*columnEffect, room), found: make([]*columnEffect, 0, room),
		cut: walk.cut,
	}
	l.effects[start] = &columnEffect{effect: EffectCertain, on: Reached{URN: start}} // the column's entity itself is not listed
	l.texts = s.texts.Reader(l.expires, s.now)
	l.query.Columns, l.query.References = false, true
	l.ahead = [][]graphstore.Step{s.steps(&l.query), incoming([]graphstore.EdgeKind{foreignKey})}
	l.certain = &Walk{Query: l.query, Starts: []string{start}, degrees: distances(), links: map[string]*Link{}}
	l.possible = &Walk{Query: l.query, Starts: []string{start}, degrees: distances(), links: map[string]*Link{}}
	return l
}

// columnImpact finds the entities that are affected when a column is lost.
func (s *Service) columnImpact(ctx context.Context, impact *Impact, ways *impactWays, q WalkQuery, change string) ([]Reached, map[string]*columnEffect, error) {
	if q.Direction != Downstream {
		return nil, nil, catalog.Errorf(catalog.Invalid, "the impact of a column can only be followed downstream")
	}
	if q.From != 0 || q.To != 0 || q.MergeSiblings {
		return nil, nil, catalog.Errorf(catalog.Invalid, "the impact of a column cannot have a time window or merge siblings")
	}
	q.statedBy = []string{model.EntityDataJob}
	loss, err := s.followLoss(ctx, q, change, s.walk)
	if err != nil {
		return nil, nil, err
	}
	reached, walk := loss.listed(), loss.walk
	walk.cut = loss.cut
	ways.walk, ways.loss, impact.Partial, impact.Reason = walk, loss, walk.Partial(), walk.Reason()
	return reached, loss.effects, nil
}

// followLoss finds the entities that are affected when a column is lost. The walk between columns and the entities around
// the column are read at the same time: neither needs the other.
func (s *Service) followLoss(ctx context.Context, q WalkQuery, change string, walkFrom func(context.Context, WalkQuery) (*Walk, error)) (*columnLoss, error) {
	var walk *Walk
	var around *columnAround
	err := together(ctx,
		func(ctx context.Context) (err error) {
			walk, err = walkFrom(ctx, q)
			return err
		},
		func(ctx context.Context) (err error) {
			starts := append([]string{q.URN.String()}, catalog.Texts(q.Also)...)
			around, err = s.newColumnLoss(q, change, &Walk{Starts: starts}).around(ctx)
			return err
		})
	if err != nil {
		return nil, err
	}
	loss := s.newColumnLoss(q, change, walk)
	loss.aspects, loss.cut = around.aspects, cmp.Or(walk.cut, around.cut)
	return loss, loss.follow(ctx, around)
}

func (l *columnLoss) follow(ctx context.Context, around *columnAround) error {
	if err := l.followColumns(ctx); err != nil {
		return err
	}
	readers, err := l.readers(ctx, around)
	if err != nil {
		return err
	}
	l.addAffected(readers, 1, EffectCertain)
	if err := l.addIndirectReaders(ctx, l.columns, 0, EffectCertain, BecauseColumns); err != nil {
		return err
	}
	if l.retyped {
		err = l.followRetyped(ctx)
	} else {
		err = l.followLost(ctx)
	}
	if err != nil {
		return err
	}
	l.addAffected(readers, 1, EffectPossible)
	if err := l.followBehind(ctx, EffectPossible); err != nil {
		return err
	}
	return l.foreignKeys(ctx)
}

// followLost finds the entities that fail because a certain reader fails.
func (l *columnLoss) followLost(ctx context.Context) error {
	if err := l.followBehind(ctx, EffectCertain); err != nil {
		return err
	}
	if err := l.addDerived(ctx); err != nil { // adds the entities that no lineage between entities leads to
		return err
	}
	return l.followBehind(ctx, EffectCertain)
}

// followColumns records the entities whose columns the walk reached, and the jobs that state an
// edge of the walk.
func (l *columnLoss) followColumns(ctx context.Context) error {
	note := func(asset string, degree int, column string) {
		if asset == l.start {
			return
		}
		e := l.byColumns[asset]
		if e == nil {
			e = &columnEffect{effect: EffectCertain, because: BecauseColumns, whole: !l.retyped}
			l.byColumns[asset], l.degrees[asset] = e, degree
		}
		if column != "" && !slices.Contains(e.columns, column) {
			e.columns = append(e.columns, column)
		}
	}
	for _, r := range l.walk.Reached {
		note(assetOf(r.URN), r.Degree, columnPath(r.URN))
	}
	edges, err := l.s.edgesStatedBy(ctx, l.walk, model.EntityDataJob)
	if err != nil {
		return err
	}
	for i := range edges {
		for _, owner := range edges[i].StatedBy {
			if typeOf(owner) == model.EntityDataJob {
				note(owner, l.walk.degrees[edges[i].Downstream], "")
				if _, known := l.stated[owner]; !known {
					l.stated[owner] = edges[i]
				}
			}
		}
	}
	l.cut = cmp.Or(l.cut, l.walk.cut)
	return nil
}

// affected is an entity with the effect of the loss on it.
type affected struct {
	visit  graphstore.Visit
	effect *columnEffect
}

// columnAround has a column, and the entities one hop from its entity: those that contain it, the tables with a foreign
// key to the column, and the others. cut tells whether there are more; aspects has read the columns of the entity.
type columnAround struct {
	lost                     *lostColumns
	containers, keys, others []graphstore.Visit
	cut                      graphstore.Cut
	aspects                  *aspectReader
}

// around reads the entities one hop from the column's entity.
func (l *columnLoss) around(ctx context.Context) (a *columnAround, err error) {
	a = &columnAround{aspects: l.aspects}
	if a.lost, err = l.s.lost(ctx, l.aspects, l.start, l.columns); err != nil {
		return nil, err
	}
	derive, contain := l.lineageSteps()
	if a.containers, err = l.oneHop(ctx, []string{l.start}, contain); err != nil {
		return nil, err
	}
	if a.keys, err = l.oneHop(ctx, l.columns, incoming([]graphstore.EdgeKind{foreignKeyColumn})); err != nil {
		return nil, err
	}
	a.others, err = l.oneHop(ctx, append([]string{l.start}, l.columns...), slices.Concat(derive, incoming(slices.Concat(referenceKinds, columnReferenceKinds))))
	a.cut = l.cut
	return a, err
}

// readers judges the entities one hop from the column's entity.
func (l *columnLoss) readers(ctx context.Context, around *columnAround) ([]affected, error) {
	readers := make([]affected, 0, len(around.containers)+len(around.keys)+len(around.others))
	for _, v := range around.containers {
		readers = append(readers, affected{v, &columnEffect{effect: EffectCertain, because: BecauseBehind, whole: true}})
	}
	var open []graphstore.Visit
	for _, v := range around.others {
		if e := l.byColumns[v.URN]; e != nil && (!l.retyped || l.degrees[v.URN] == 1) {
			readers = append(readers, affected{v, e})
		} else {
			open = append(open, v)
		}
	}
	effects, err := l.s.judge(ctx, l.aspects, l.texts, open, func(string) []*lostColumns { return []*lostColumns{around.lost} })
	if err != nil {
		return nil, err
	}
	for _, v := range open {
		if e := effects[v.URN]; e != nil {
			readers = append(readers, affected{v, e})
		}
	}
	for _, v := range around.keys { // last, because the table may also derive from the column, which is the better reason
		readers = append(readers, affected{v, &columnEffect{effect: EffectCertain, because: BecauseForeignKey}})
	}
	return readers, nil
}

// lineageSteps returns the steps of lineage in two lists: derive leads to entities that derive
// from an entity; contain leads to entities that contain it, as a dashboard contains charts.
func (l *columnLoss) lineageSteps() (derive, contain []graphstore.Step) {
	plain := l.query
	plain.References = false
	for _, step := range l.s.steps(&plain) {
		if step.Type == model.RelationshipContains || step.Type == model.RelationshipDashboardContainsDashboard {
			contain = append(contain, step)
		} else {
			derive = append(derive, step)
		}
	}
	return derive, contain
}

// addAffected adds the entities of the list that have this effect to the found entities, at a
// distance from the start. An entity that was found before keeps its former effect.
func (l *columnLoss) addAffected(some []affected, degree int, effect string) {
	if l.query.MaxHops > 0 && degree > l.query.MaxHops {
		return
	}
	for _, a := range some {
		if a.effect.effect != effect || l.effects[a.visit.URN] != nil {
			continue
		}
		l.effects[a.visit.URN], l.found = a.effect, append(l.found, a.effect)
		a.effect.on = a.visit
		a.effect.on.Degree = degree
		l.certain.nearer(effect == EffectCertain, a.visit.URN, degree)
		l.possible.nearer(true, a.visit.URN, degree)
	}
}

// nearer records the distance of an entity if it applies and is smaller than the known
// distance.
func (w *Walk) nearer(applies bool, urn string, degree int) {
	if known, found := w.degrees[urn]; applies && (!found || degree < known) {
		w.degrees[urn] = degree
	}
}

// addDerived adds the entities to which only column lineage leads.
func (l *columnLoss) addDerived(ctx context.Context) error {
	var urns []string
	for urn := range l.byColumns {
		if l.effects[urn] == nil {
			urns = append(urns, urn)
		}
	}
	slices.Sort(urns)
	for some := range slices.Chunk(urns, catalog.MaxPage) {
		reached, err := l.s.lookUpReached(ctx, some, 0, l.query.WithoutRemoved)
		if err != nil {
			return err
		}
		for _, r := range reached {
			e := l.byColumns[r.URN]
			l.addAffected([]affected{{r, e}}, l.degrees[r.URN], e.effect)
		}
	}
	return nil
}

// lossEntities bounds the number of entities whose edges are read at once.
const lossEntities = 5000

// expired reports whether the time is up. If it is, expired marks the answer as cut.
func (l *columnLoss) expired() bool {
	if l.s.now().After(l.expires) {
		l.cut = graphstore.CutByTime
		return true
	}
	return false
}

// oneHop returns the entities one hop from the given entities, without the column's entity.
func (l *columnLoss) oneHop(ctx context.Context, from []string, steps []graphstore.Step) ([]graphstore.Visit, error) {
	visits, err := l.walkOn(ctx, from, steps, 1)
	return slices.DeleteFunc(visits, func(v graphstore.Visit) bool { return v.URN == l.start }), err
}

// walkOn walks from entities. Its limit leaves room for the entities that were found before, so
// that the walk can reach as many new entities as the request allows.
func (l *columnLoss) walkOn(ctx context.Context, from []string, steps []graphstore.Step, hops int) ([]graphstore.Visit, error) {
	from = slices.DeleteFunc(slices.Clone(from), func(urn string) bool {
		near := typeOf(urn)
		return !slices.ContainsFunc(steps, func(step graphstore.Step) bool { return step.NearType() == near })
	})
	patience := l.expires.Sub(l.s.now())
	if len(from) == 0 || l.expired() {
		return nil, nil
	}
	var ahead [][]graphstore.Step
	if hops == 1 { // longer walks have followed the further edges
		ahead = l.ahead
	}
	found, err := l.s.store.Walk(ctx, graphstore.WalkQuery{
		From: from, Steps: steps, MaxHops: hops, Limit: l.query.Reach + len(l.effects) + 1, AsOf: l.query.AsOf,
		WithoutRemoved: l.query.WithoutRemoved, Patience: patience, Ahead: ahead, Lacking: model.RelationshipOwnedBy,
	})
	l.cut = cmp.Or(l.cut, found.Cut)
	return found.Visits, walkFailure(err)
}

// listed returns the affected entities in the order of their ranks, and within a rank the
// nearest first.
func (l *columnLoss) listed() []Reached {
	found := slices.Clone(l.found)
	slices.SortFunc(found, func(a, b *columnEffect) int {
		if a, b := a.rank(), b.rank(); a != b {
			return a - b
		}
		if a.on.Degree != b.on.Degree {
			return a.on.Degree - b.on.Degree
		}
		return strings.Compare(a.on.URN, b.on.URN)
	})
	reached := make([]Reached, len(found))
	for i, e := range found {
		reached[i] = e.on
	}
	if len(reached) > l.query.Reach {
		reached, l.cut = reached[:l.query.Reach], graphstore.CutByLimit
	}
	return reached
}

// rank orders effects: 0 for a reader of the column, 1 for an entity behind a reader, 2 for a
// possible effect.
func (e *columnEffect) rank() int {
	switch {
	case e.effect == EffectPossible:
		return 2
	case e.because == BecauseBehind:
		return 1
	}
	return 0
}

func urnsOf(visits []graphstore.Visit) []string {
	urns := make([]string, len(visits))
	for i, v := range visits {
		urns[i] = v.URN
	}
	return urns
}
