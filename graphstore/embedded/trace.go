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
	// fewEnds is how many edges of an entity are read to find those that lead back along
	// a hop. Of entities with more, the hop is followed from its near ends.
	fewEnds = 100
	// unreadEnds is how many edges an entity is thought to have that are not cached.
	unreadEnds = 2000
)

// fewText is the statement that reads a few edges of each entity of a list.
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

// tracer goes back along one hop.
type tracer struct {
	query *graphstore.FeederQuery
	// ahead follows the hop, back follows it the other way.
	ahead, back *walker
	from, to    []tracedNode
	fromAt      map[int64]int
	toAt        map[int64]int
	// feeders are the places in From of what leads to an entity, by its place in To.
	feeders [][]int
}

// tracedNode is an entity with its place in the query.
type tracedNode struct {
	id, entityType int64
	place          int
}

// Feeders finds the near ends of a hop: from its far ends if these have few edges, and
// otherwise from the near ends, as a walk does.
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
	t.back.with, t.ahead.also = t.ahead, t.back.fewTexts()
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

// fewTexts are the statements that read a few edges of each entity.
func (w *walker) fewTexts() (texts []string) {
	for _, way := range w.steps {
		for _, l := range []*leads{&way.outgoing, &way.incoming} {
			if len(l.types) > 0 {
				texts = append(texts, l.few)
			}
		}
	}
	return texts
}

// turned are steps the other way.
func turned(steps []graphstore.Step) []graphstore.Step {
	back := slices.Clone(steps)
	for i := range back {
		back[i].Direction = graphstore.Incoming - back[i].Direction
	}
	return back
}

func (t *tracer) trace(ctx context.Context) (err error) {
	if t.from, t.fromAt, err = t.ahead.locate(ctx, t.query.From); err != nil {
		return err
	}
	if t.to, t.toAt, err = t.back.locate(ctx, t.query.To); err != nil {
		return err
	}
	left := t.to
	if t.ahead.cost(t.from) > unreadEnds+fewEnds*len(t.to) {
		if left, err = t.fromFarEnds(ctx); err != nil || len(left) == 0 {
			return err
		}
	}
	return t.fromNearEnds(ctx, left)
}

// locate finds the ids of entities, and the place of each.
func (w *walker) locate(ctx context.Context, urns []string) ([]tracedNode, map[int64]int, error) {
	nodes := make([]tracedNode, 0, len(urns))
	at := make(map[int64]int, len(urns))
	add := func(id, entityType int64, place int) {
		if _, repeated := at[id]; !repeated {
			at[id] = place
			nodes = append(nodes, tracedNode{id, entityType, place})
		}
	}
	places := map[string]int{}
	var unknown []string
	for place, urn := range urns {
		if id, n, ok := w.s.memory.find(urn); ok {
			add(id, n.entityType, place)
		} else if _, repeated := places[urn]; !repeated {
			places[urn] = place
			unknown = append(unknown, urn)
		}
	}
	if len(unknown) == 0 {
		return nodes, at, nil
	}
	found, err := w.readNodes(ctx, nodesByURN, listJSON(unknown))
	for id, n := range found {
		add(id, n.entityType, places[n.urn])
	}
	return nodes, at, err
}

// waysFrom passes on the relationships that lead on from entities, with the entities of
// one type.
func (w *walker) waysFrom(nodes []tracedNode, each func(ids []int64, l *leads) error) error {
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

func (w *walker) cost(nodes []tracedNode) (cost int) {
	_ = w.waysFrom(nodes, func(ids []int64, l *leads) error {
		cost += w.s.memory.cost(ids, l.set, unreadEnds)
		return nil
	})
	return cost
}

// typesOf are the types of entities.
func typesOf(nodes []tracedNode) map[int64]int64 {
	types := make(map[int64]int64, len(nodes))
	for _, n := range nodes {
		types[n.id] = n.entityType
	}
	return types
}

// endsFrom passes on the edges of entities that lead to some others, first those that are
// cached; read reads the edges of the rest.
func (w *walker) endsFrom(ctx context.Context, from, to []tracedNode, read func(ids []int64, l *leads) (map[int64][]end, error), each func(id, far int64)) error {
	types := typesOf(to)
	return w.waysFrom(from, func(ids []int64, l *leads) error {
		keep := func(id int64, ends []end) {
			for _, e := range ends {
				if of, wanted := types[e.id]; wanted && slices.Contains(l.far[e.relationship], of) {
					each(id, e.id)
				}
			}
		}
		unknown := ids
		if w.query.AsOf == 0 {
			unknown = w.s.memory.edges(ids, l.set, keep)
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
				keep(id, ends)
			}
		}
		return nil
	})
}

// feeds notes that one entity leads to another.
func (t *tracer) feeds(near, far int64) {
	at := t.toAt[far]
	t.feeders[at] = append(t.feeders[at], t.fromAt[near])
}

// fromNearEnds follows the hop.
func (t *tracer) fromNearEnds(ctx context.Context, to []tracedNode) error {
	read := func(ids []int64, l *leads) (map[int64][]end, error) { return t.ahead.readEnds(ctx, ids, l) }
	return t.ahead.endsFrom(ctx, t.from, to, read, t.feeds)
}

// fromFarEnds follows the hop the other way from the entities with few edges, and returns
// the others.
func (t *tracer) fromFarEnds(ctx context.Context) (many []tracedNode, err error) {
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

// readFewEnds reads the edges of the entities that have few. Others are noted as hubs.
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
		w.s.memory.keepEdges(w.epoch, whole, l.set, found)
	}
	return found, rows.Err()
}

// pairRows bounds the edges that one statement reads.
const pairRows = 5000

// EdgesBetween reads the edges of pairs.
func (s *Store) EdgesBetween(ctx context.Context, q graphstore.PairQuery) (map[graphstore.Pair][]graphstore.Edge, error) {
	found := make(map[graphstore.Pair][]graphstore.Edge, len(q.Pairs))
	if err := s.open(); err != nil || len(q.Pairs) == 0 {
		return found, err
	}
	ids, err := s.pairIDs(ctx, q.Pairs)
	if err != nil {
		return nil, err
	}
	// asked are the source, relationship and destination of each edge that there may be.
	var asked [][3]int64
	var pairs []graphstore.Pair
	for _, pair := range q.Pairs {
		from, to := ids[pair.From], ids[pair.To]
		if from == 0 || to == 0 {
			continue
		}
		for _, step := range graphstore.WithDirections(q.Steps, graphstore.TypeOf(pair.From), graphstore.TypeOf(pair.To)) {
			name, err := s.names.find(step.Type)
			if err != nil {
				return nil, s.failure(err)
			}
			if name == 0 {
				continue
			}
			edge := [3]int64{from, name, to}
			if step.Direction == graphstore.Incoming {
				edge = [3]int64{to, name, from}
			}
			asked, pairs = append(asked, edge), append(pairs, pair)
		}
	}
	for len(asked) > 0 {
		n := min(pairRows, len(asked))
		if err := s.readPairs(ctx, &q, asked[:n], pairs[:n], ids, found); err != nil {
			return nil, err
		}
		asked, pairs = asked[n:], pairs[n:]
	}
	for pair, edges := range found {
		found[pair] = graphstore.MergePair(edges)
	}
	return found, nil
}

// pairIDs are the ids of the entities of pairs.
func (s *Store) pairIDs(ctx context.Context, pairs []graphstore.Pair) (map[string]int64, error) {
	ids := make(map[string]int64, len(pairs))
	var unknown []string
	for _, pair := range pairs {
		for _, urn := range []string{pair.From, pair.To} {
			if _, seen := ids[urn]; seen {
				continue
			}
			id, known := s.memory.ids.find(urn)
			if ids[urn] = id; !known {
				unknown = append(unknown, urn)
			}
		}
	}
	if len(unknown) == 0 {
		return ids, nil
	}
	rows, err := s.readers.QueryContext(ctx, "SELECT e.id, e.urn FROM json_each(?1) j JOIN entity e ON e.urn = j.value", listJSON(unknown))
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var urn string
		if err := rows.Scan(&id, &urn); err != nil {
			return nil, s.failure(err)
		}
		ids[urn] = id
	}
	return ids, s.failure(rows.Err())
}

const (
	pairColumns = `SELECT j.key, x.type, x.dst, x.owner, x.since, x.since_run, x.since_actor, x.created_on, x.created_actor,
		x.updated_on, x.updated_actor, x.properties, x.via, x.resumed, x.resumed_actor, `
	pairJoin     = ` FROM json_each(?1) j CROSS JOIN %s x ON x.src = j.value ->> 0 AND x.type = j.value ->> 1 AND x.dst = j.value ->> 2`
	currentPairs = pairColumns + "0, 0, 0" + pairJoin
	endedPairs   = pairColumns + "x.until, x.until_run, x.until_actor" + pairJoin
	pairsThen    = " AND coalesce(x.resumed, x.since) <= ?2"
	pairsWhere   = " WHERE (?3 IS NULL OR (SELECT o.type FROM entity o WHERE o.id = x.owner) IN (SELECT value FROM json_each(?3)))"
)

// statedBy are the numbers of the types whose statements count, nil for all.
func (s *Store) statedBy(types []string) (any, error) {
	if len(types) == 0 {
		return nil, nil
	}
	ids, err := s.numbersOf(types)
	if err != nil {
		return nil, s.failure(err)
	}
	return numbersJSON(ids), nil
}

func (s *Store) readPairs(ctx context.Context, q *graphstore.PairQuery, asked [][3]int64, pairs []graphstore.Pair, ids map[string]int64, into map[graphstore.Pair][]graphstore.Edge) error {
	list, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	query := fmt.Sprintf(currentPairs, "edge") + pairsWhere
	if q.AsOf != 0 {
		query += pairsThen + " UNION ALL " + fmt.Sprintf(endedPairs, "ended_edge") + pairsWhere + pairsThen + " AND x.until > ?2"
	}
	statedBy, err := s.statedBy(q.StatedBy)
	if err != nil {
		return err
	}
	rows, err := s.readers.QueryContext(ctx, query, string(list), q.AsOf, statedBy)
	if err != nil {
		return s.failure(err)
	}
	defer rows.Close()
	var edges []graphstore.Edge
	var of []graphstore.Pair
	var unknown []edgeOwner
	for rows.Next() {
		var row edgeRow
		var key int
		if err := rows.Scan(append([]any{&key, &row.typeID, &row.otherID}, row.rest()...)...); err != nil {
			return s.failure(err)
		}
		e, err := row.edge(s.names)
		if err != nil {
			return s.failure(err)
		}
		pair := pairs[key]
		if e.Source, e.Destination = pair.From, pair.To; asked[key][0] == ids[pair.To] && pair.To != pair.From {
			e.Source, e.Destination = pair.To, pair.From
		}
		switch row.owner {
		case ids[pair.From]:
			e.Owners = []string{pair.From}
		case ids[pair.To]:
			e.Owners = []string{pair.To}
		default:
			unknown = append(unknown, edgeOwner{len(edges), row.owner})
		}
		edges, of = append(edges, e), append(of, pair)
	}
	if err := rows.Err(); err != nil {
		return s.failure(err)
	}
	if err := s.nameOwners(ctx, edges, unknown, map[int64]string{}); err != nil {
		return err
	}
	for i := range edges {
		into[of[i]] = append(into[of[i]], edges[i])
	}
	return nil
}
