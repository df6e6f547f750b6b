package embedded

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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
// entities of From have many edges, Feeders first reads the edges of those entities of To that
// have few, and then the edges of From for the rest.
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

// pairRows bounds the edges that one statement reads.
const pairRows = 5000

// EdgesBetween reads the edges of pairs.
func (s *Store) EdgesBetween(ctx context.Context, q graphstore.PairQuery) (map[graphstore.Pair][]graphstore.Edge, error) {
	found := make(map[graphstore.Pair][]graphstore.Edge, len(q.Pairs))
	if err := s.open(); err != nil || len(q.Pairs) == 0 {
		return found, err
	}
	var urns []string
	for _, pair := range q.Pairs {
		urns = append(urns, pair.From, pair.To)
	}
	nodes, err := s.locate(ctx, urns)
	if err != nil {
		return nil, err
	}
	ids := make(map[string]int64, len(nodes))
	for _, n := range nodes {
		ids[urns[n.place]] = n.id
	}
	asked, err := s.askedEdges(&q, ids)
	if err != nil {
		return nil, err
	}
	for relationship, edges := range asked {
		slices.SortFunc(edges, compareAsked)
		for some := range slices.Chunk(edges, pairRows) {
			if err := s.readPairs(ctx, &q, relationship, some, ids, found); err != nil {
				return nil, err
			}
		}
	}
	for pair, edges := range found {
		found[pair] = graphstore.MergePair(edges)
	}
	return found, nil
}

// locate finds entities with their indexes in a list.
func (s *Store) locate(ctx context.Context, urns []string) ([]located, error) {
	epoch := s.memory.now()
	found, err := s.memory.locate(urns, func(list string) (map[int64]nodeMemory, error) {
		rows, err := s.readers.QueryContext(ctx, nodesByURN, list)
		if err != nil {
			return nil, err
		}
		return s.scanNodes(rows, epoch)
	})
	return found, s.failure(err)
}

// askedEdge is a possible edge of one relationship between the entities of a pair.
type askedEdge struct {
	source, destination int64
	pair                graphstore.Pair
}

func compareAsked(a, b askedEdge) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.destination, b.destination))
}

// askedEdges lists the possible edges between the entities of pairs, by the number of their
// relationship.
func (s *Store) askedEdges(q *graphstore.PairQuery, ids map[string]int64) (map[int64][]askedEdge, error) {
	asked := map[int64][]askedEdge{}
	for _, pair := range q.Pairs {
		from, to := ids[pair.From], ids[pair.To]
		if from == 0 || to == 0 {
			continue
		}
		for _, step := range graphstore.WithDirections(q.Steps, graphstore.TypeOf(pair.From), graphstore.TypeOf(pair.To)) {
			relationship, err := s.names.find(step.Type)
			if err != nil {
				return nil, s.failure(err)
			}
			if relationship == 0 {
				continue
			}
			edge := askedEdge{from, to, pair}
			if step.Direction == graphstore.Incoming {
				edge = askedEdge{to, from, pair}
			}
			asked[relationship] = append(asked[relationship], edge)
		}
	}
	return asked, nil
}

// askedList returns a JSON object with a member for each edge: source and destination. SQLite
// reads a member faster than a list of two.
func askedList(edges []askedEdge) string {
	list := []byte{'{'}
	for i, e := range edges {
		if i > 0 && compareAsked(edges[i-1], e) == 0 {
			continue
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, '"')
		list = strconv.AppendInt(list, e.source, 10)
		list = append(list, `":`...)
		list = strconv.AppendInt(list, e.destination, 10)
	}
	return string(append(list, '}'))
}

const (
	pairColumns = `SELECT x.src, x.dst, x.owner, x.since, x.since_run, x.since_actor, x.created_on, x.created_actor,
		x.updated_on, x.updated_actor, x.properties, x.via, x.resumed, x.resumed_actor, `
	pairJoin     = ` FROM json_each(?1) j CROSS JOIN %s x ON x.src = CAST(j.key AS INTEGER) AND x.type = ?2 AND x.dst = j.value`
	currentPairs = pairColumns + "0, 0, 0" + pairJoin
	endedPairs   = pairColumns + "x.until, x.until_run, x.until_actor" + pairJoin
	pairsThen    = " WHERE coalesce(x.resumed, x.since) <= ?3"
)

// typeNumbers returns the numbers of entity types as a JSON array.
func (s *Store) typeNumbers(types []string) (string, error) {
	ids, err := s.numbersOf(types)
	if err != nil {
		return "", err
	}
	return numbersJSON(ids), nil
}

// readPairs reads the edges of one relationship that exist among the asked edges, in the order
// of compareAsked.
func (s *Store) readPairs(ctx context.Context, q *graphstore.PairQuery, relationship int64, asked []askedEdge, ids map[string]int64, into map[graphstore.Pair][]graphstore.Edge) error {
	query := fmt.Sprintf(currentPairs, "edge")
	if q.AsOf != 0 {
		query += pairsThen + " UNION ALL " + fmt.Sprintf(endedPairs, "ended_edge") + pairsThen + " AND x.until > ?3"
	}
	args := []any{askedList(asked), relationship}
	if q.AsOf != 0 {
		args = append(args, q.AsOf)
	}
	rows, err := s.readers.QueryContext(ctx, query, args...)
	if err != nil {
		return s.failure(err)
	}
	defer rows.Close()
	edges, of := make([]graphstore.Edge, 0, len(asked)), make([]graphstore.Pair, 0, len(asked))
	var unknown []edgeOwner
	row := edgeRow{typeID: relationship}
	var is askedEdge
	columns := append([]any{&is.source, &is.destination}, row.rest()...)
	for rows.Next() {
		if err := rows.Scan(columns...); err != nil {
			return s.failure(err)
		}
		e, err := row.edge(s.names)
		if err != nil {
			return s.failure(err)
		}
		at, _ := slices.BinarySearchFunc(asked, is, compareAsked)
		for ; at < len(asked) && compareAsked(asked[at], is) == 0; at++ {
			pair := asked[at].pair
			if e.Source, e.Destination = pair.From, pair.To; is.source == ids[pair.To] && pair.To != pair.From {
				e.Source, e.Destination = pair.To, pair.From
			}
			switch row.owner {
			case ids[pair.From]:
				e.Owners = []string{pair.From}
			case ids[pair.To]:
				e.Owners = []string{pair.To}
			default:
				e.Owners = nil
				unknown = append(unknown, edgeOwner{len(edges), row.owner})
			}
			edges, of = append(edges, e), append(of, pair)
		}
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
