package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
)

const (
	// fewEnds bounds the edges of an entity that are read to find the edges that lead back along a
	// hop. For entities with more edges, the hop is followed from its near ends.
	fewEnds = 100
	// unreadEnds is the assumed number of edges of an entity whose edges are not cached.
	unreadEnds = 2000
)

// fewText returns the statement that reads a few edges of each entity of a list.
func (w *walker) fewText(near, far string, places, numbers []string) string {
	ends := func(table, more string) string {
		return fmt.Sprintf(`SELECT x.%s << %d | CASE x.type %s END AS far FROM %s x WHERE x.%s = j.value AND x.type IN (%s)%s`,
			far, numberBits, strings.Join(numbers, " "), table, near, strings.Join(places, ", "), more)
	}
	text := ends("edge", "")
	if w.query.AsOf != 0 {
		text = ends("edge", " AND coalesce(x.resumed, x.since) <= ?2") + " UNION ALL " +
			ends("ended_edge", " AND coalesce(x.resumed, x.since) <= ?2 AND x.until > ?2")
	}
	return fmt.Sprintf(`SELECT j.value, (SELECT json_group_array(far) FROM (%s LIMIT %d)) FROM json_each(?1) j`, text, fewEnds+1)
}

// tracer finds the near ends of one hop.
type tracer struct {
	query *graphstore.FeederQuery
	// ahead follows the hop, back follows it in reverse.
	ahead, back *walker
	from, to    []located
	fromAt      map[int64]int
	toAt        map[int64]int
	// feeders has, for each index in To, the indexes in From of the entities that lead to it.
	feeders [][]int
}

// Feeders finds, for each entity of To, the entities of From that lead to it in one hop. If the
// entities of From have many edges, Feeders first reads the edges of the entities of To with few
// edges, and then the edges of From for the rest.
func (s *Store) Feeders(ctx context.Context, q graphstore.FeederQuery) (map[string][]string, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	leave, err := s.walks.lane.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	t := &tracer{query: &q, feeders: make([][]int, len(q.To))}
	if t.ahead, err = s.hopWalker(q.Steps, q.AsOf); err != nil {
		return nil, s.failure(err)
	}
	defer t.ahead.end()
	if t.back, err = s.hopWalker(turned(q.Steps), q.AsOf); err != nil {
		return nil, s.failure(err)
	}
	t.back.with = t.ahead
	if t.ahead.also = t.back.texts(func(l *leads) string { return l.few }); len(q.StatedBy) > 0 {
		t.ahead.also = t.ahead.texts(func(l *leads) string { return l.stated })
	}
	if err := t.trace(ctx); err != nil {
		return nil, s.failure(err)
	}
	found := make(map[string][]string, len(q.To))
	for place, feeders := range t.feeders {
		if len(feeders) > 0 {
			found[q.To[place]] = graphstore.FirstFeeders(feeders, q.From, q.Most)
		}
	}
	return found, nil
}

func (s *Store) hopWalker(steps []graphstore.Step, asOf int64) (*walker, error) {
	w := &walker{s: s, query: &graphstore.WalkQuery{Steps: steps, AsOf: asOf}, epoch: s.memory.now()}
	return w, w.plan()
}

// turned returns the steps in the opposite direction.
func turned(steps []graphstore.Step) []graphstore.Step {
	back := slices.Clone(steps)
	for i := range back {
		back[i].Direction = graphstore.Incoming - back[i].Direction
	}
	return back
}

func (t *tracer) trace(ctx context.Context) (err error) {
	if t.from, err = t.ahead.locate(ctx, t.query.From); err != nil {
		return err
	}
	if t.to = t.from; !slices.Equal(t.query.From, t.query.To) {
		if t.to, err = t.back.locate(ctx, t.query.To); err != nil {
			return err
		}
	}
	t.fromAt, t.toAt = placesOf(t.from), placesOf(t.to)
	if len(t.query.StatedBy) > 0 {
		return t.fromStatements(ctx)
	}
	left := t.to
	if t.ahead.cost(t.from) > unreadEnds+fewEnds*len(t.to) {
		if left, err = t.fromFarEnds(ctx); err != nil || len(left) == 0 {
			return err
		}
	}
	return t.fromNearEnds(ctx, left)
}

// placesOf returns the indexes of entities, by id.
func placesOf(nodes []located) map[int64]int {
	at := make(map[int64]int, len(nodes))
	for _, n := range nodes {
		at[n.id] = n.place
	}
	return at
}

// waysFrom calls each with the relationships that lead on from entities, for the entities of
// each type.
func (w *walker) waysFrom(nodes []located, each func(ids []int64, l *leads) error) error {
	byType := map[int64][]int64{}
	for _, n := range nodes {
		byType[n.entityType] = append(byType[n.entityType], n.id)
	}
	for near, ids := range byType {
		way := w.steps[near]
		if way == nil {
			continue
		}
		for _, l := range []*leads{&way.outgoing, &way.incoming} {
			if len(l.types) == 0 {
				continue
			}
			if err := each(ids, l); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walker) cost(nodes []located) (cost int) {
	_ = w.waysFrom(nodes, func(ids []int64, l *leads) error {
		cost += w.s.memory.cost(ids, l.set, unreadEnds)
		return nil
	})
	return cost
}

// typesOf returns the types of entities, by id.
func typesOf(nodes []located) map[int64]int64 {
	types := make(map[int64]int64, len(nodes))
	for _, n := range nodes {
		types[n.id] = n.entityType
	}
	return types
}

// endsFrom calls each with the edges from entities to other entities. endsFrom takes cached
// edges first; read reads the edges of the other entities.
func (w *walker) endsFrom(ctx context.Context, from, to []located, read func(ids []int64, l *leads) (map[int64][]end, error), each func(id, far int64)) error {
	types := typesOf(to)
	return w.waysFrom(from, func(ids []int64, l *leads) error {
		pass := func(id int64, ends []end) {
			for _, e := range ends {
				if of, wanted := types[e.id]; wanted && slices.Contains(l.far[e.relationship], of) {
					each(id, e.id)
				}
			}
		}
		unknown := ids
		if w.query.AsOf == 0 {
			unknown = w.s.memory.edges(ids, l.set, pass)
		}
		for part := range slices.Chunk(unknown, frontierRows) {
			if err := ctx.Err(); err != nil {
				return err
			}
			found, err := read(part, l)
			if err != nil {
				return err
			}
			for id, ends := range found {
				pass(id, ends)
			}
		}
		return nil
	})
}

// feeds records that one entity leads to another.
func (t *tracer) feeds(near, far int64) {
	at := t.toAt[far]
	t.feeders[at] = append(t.feeders[at], t.fromAt[near])
}

// fromNearEnds follows the hop from its near ends.
func (t *tracer) fromNearEnds(ctx context.Context, to []located) error {
	read := func(ids []int64, l *leads) (map[int64][]end, error) { return t.ahead.readEnds(ctx, ids, l) }
	return t.ahead.endsFrom(ctx, t.from, to, read, t.feeds)
}

// fromStatements follows the hop along edges that are stated by entities of some types. The
// owners of edges are not cached.
func (t *tracer) fromStatements(ctx context.Context) error {
	statedBy, err := t.ahead.s.typeNumbers(t.query.StatedBy)
	if err != nil {
		return err
	}
	types := typesOf(t.to)
	return t.ahead.waysFrom(t.from, func(ids []int64, l *leads) error {
		for part := range slices.Chunk(ids, frontierRows) {
			found, err := t.ahead.endsBy(ctx, l.stated, part, l, statedBy)
			if err != nil {
				return err
			}
			for id, ends := range found {
				for _, e := range ends {
					if of, wanted := types[e.id]; wanted && slices.Contains(l.far[e.relationship], of) {
						t.feeds(id, e.id)
					}
				}
			}
		}
		return nil
	})
}

// fromFarEnds follows the hop in reverse from the entities with few edges. fromFarEnds returns
// the other entities.
func (t *tracer) fromFarEnds(ctx context.Context) (many []located, err error) {
	hubs := map[int64]bool{}
	read := func(ids []int64, l *leads) (map[int64][]end, error) { return t.back.readFewEnds(ctx, ids, l, hubs) }
	err = t.back.endsFrom(ctx, t.to, t.from, read, func(far, near int64) { t.feeds(near, far) })
	for _, n := range t.to {
		if hubs[n.id] {
			many = append(many, n)
		}
	}
	return many, err
}

// readFewEnds reads the edges of entities that have few. readFewEnds records the other entities
// as hubs.
func (w *walker) readFewEnds(ctx context.Context, ids []int64, l *leads, hubs map[int64]bool) (map[int64][]end, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := w.rows(ctx, l.few, append([]any{string(list), w.query.AsOf}, l.names...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := make(map[int64][]end, len(ids))
	var whole []int64
	for rows.Next() {
		var id int64
		var fars []byte
		if err := rows.Scan(&id, &fars); err != nil {
			return nil, err
		}
		var ends []end
		for item := range integers(fars) {
			ends = append(ends, end{item >> numberBits, item & (1<<numberBits - 1)})
		}
		if len(ends) > fewEnds {
			hubs[id] = true
			continue
		}
		whole, found[id] = append(whole, id), ends
	}
	if w.query.AsOf == 0 {
		w.s.memory.addEdges(w.epoch, whole, l.set, found)
	}
	return found, rows.Err()
}
