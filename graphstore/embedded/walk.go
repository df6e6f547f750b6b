package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// frontierRows bounds the entities from which one statement takes a hop.
const frontierRows = 5000

// node is an entity on a walk.
type node struct {
	id, entityType int64
	visit          graphstore.Visit
	// from is the index in the frontier of the first entity that leads to this one.
	from int
}

// walker walks along the cached part of the graph, and reads the rest.
type walker struct {
	s     *Store
	query *graphstore.WalkQuery
	steps map[int64]*way
	seen  map[int64]bool
	// tx is the transaction for reads. tx begins when the walker first needs data that is not
	// cached. The data is cached if nothing was written since epoch.
	tx         *sql.Tx
	epoch      int64
	statements map[string]*sql.Stmt
	// with, if not nil, is the walker that begins and ends the transaction which this walker also
	// uses.
	with *walker
	// ahead has a walker for each set of steps whose ends the query asks for.
	ahead []*walker
	// also lists further statements for which the transaction is used.
	also []string
}

// way has the relationships along which a walk continues from entities of one type.
type way struct{ outgoing, incoming leads }

// leads has the relationships in one direction. types maps the number of a relationship's name
// to the entity types to which the relationship leads. names has these numbers in order, and
// far has the entity types in the same order. The index of a relationship in names is its
// number on this walk, which is small however many names the store has. set is the number of
// the set of relationships, and text is the statement that reads their edges.
type leads struct {
	types map[int64][]int64
	names []any
	far   [][]int64
	set   int
	text  string
	// few is the statement that reads up to fewEnds+1 edges of each entity. stated is the
	// statement that reads edges stated by entities of some types.
	few, stated string
}

// Walk walks breadth-first, with all entities of a hop together.
func (s *Store) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	if err := s.open(); err != nil {
		return graphstore.Walk{}, err
	}
	if err := ctx.Err(); err != nil {
		return graphstore.Walk{}, err
	}
	leave, err := s.walks.lane.Enter(ctx)
	if err != nil {
		return graphstore.Walk{}, err
	}
	defer leave()
	w := &walker{s: s, query: &q, seen: map[int64]bool{}, epoch: s.memory.now()}
	defer w.end()
	if err := w.plan(); err != nil {
		return graphstore.Walk{}, s.failure(err)
	}
	for _, steps := range q.Ahead {
		ahead, err := s.hopWalker(steps, q.AsOf)
		if err != nil {
			return graphstore.Walk{}, s.failure(err)
		}
		w.ahead = append(w.ahead, ahead)
	}
	begin, err := w.begin(ctx)
	if err != nil {
		return graphstore.Walk{}, s.failure(err)
	}
	walk, err := graphstore.WalkByHops(&q, begin, func(n *node) *graphstore.Visit { return &n.visit },
		func(frontier []node, expires time.Time) ([]node, error) { return w.hop(ctx, frontier, expires) })
	return walk, s.failure(err)
}

func (w *walker) end() {
	if w.tx != nil {
		_ = w.tx.Rollback() // nothing was written
	}
}

// plan groups the steps by the type at which they begin. A step with a name that the store has
// never seen leads nowhere.
func (w *walker) plan() error {
	w.steps = map[int64]*way{}
	for _, step := range w.query.Steps {
		var near, far, name int64
		if err := w.s.names.findAll(numbered{&near, step.NearType()}, numbered{&far, step.FarType()}, numbered{&name, step.Type}); err != nil {
			return err
		}
		if near == 0 || far == 0 || name == 0 {
			continue
		}
		if w.steps[near] == nil {
			w.steps[near] = &way{leads{types: map[int64][]int64{}}, leads{types: map[int64][]int64{}}}
		}
		by := w.steps[near].outgoing
		if step.Direction == graphstore.Incoming {
			by = w.steps[near].incoming
		}
		by.types[name] = append(by.types[name], far)
	}
	for _, way := range w.steps {
		w.completeLeads(&way.outgoing, graphstore.Outgoing)
		w.completeLeads(&way.incoming, graphstore.Incoming)
	}
	return nil
}

// completeLeads sets the members of leads that follow from types.
func (w *walker) completeLeads(l *leads, d graphstore.Direction) {
	var places, numbers []string
	for number, name := range slices.Sorted(maps.Keys(l.types)) {
		l.names, l.far = append(l.names, name), append(l.far, l.types[name])
		place := fmt.Sprintf("?%d", len(l.names)+2)
		places = append(places, place)
		numbers = append(numbers, fmt.Sprintf("WHEN %s THEN %d", place, number))
	}
	near, far := farEnd(d)
	l.few = w.fewText(near, far, places, numbers)
	both := func(text string) string {
		if w.query.AsOf != 0 {
			text += " AND coalesce(x.resumed, x.since) <= ?2 UNION ALL " + strings.Replace(text, "JOIN edge x", "JOIN ended_edge x", 1) +
				" AND coalesce(x.resumed, x.since) <= ?2 AND x.until > ?2"
		}
		return "SELECT json_group_array(near), json_group_array(far) FROM (" + text + ")"
	}
	text := fmt.Sprintf(`SELECT j.value AS near, x.%s << %d | CASE x.type %s END AS far FROM json_each(?1) j CROSS JOIN edge x ON x.%s = j.value AND x.type IN (%s)`,
		far, numberBits, strings.Join(numbers, " "), near, strings.Join(places, ", "))
	l.text = both(text)
	l.stated = both(text + fmt.Sprintf(" AND (SELECT o.type FROM entity o WHERE o.id = x.owner) IN (SELECT value FROM json_each(?%d))", len(l.names)+3))
	l.set = w.s.memory.setOf(d, l.types)
}

// begin finds the start entities.
func (w *walker) begin(ctx context.Context) ([]node, error) {
	found, err := w.locate(ctx, w.query.From)
	var nodes []node
	for _, n := range found {
		w.seen[n.id] = true
		nodes = append(nodes, node{id: n.id, entityType: n.entityType, visit: graphstore.Visit{URN: w.query.From[n.place]}})
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Compare(a.visit.URN, b.visit.URN) })
	return nodes, err
}

// locate finds entities with their indexes in a list.
func (w *walker) locate(ctx context.Context, urns []string) ([]located, error) {
	return w.s.memory.locate(urns, func(list string) (map[int64]nodeMemory, error) { return w.readNodes(ctx, nodesByURN, list) })
}

// These statements read entities.
const (
	readNode   = "SELECT e.id, e.urn, e.type, e.state, e.removed FROM json_each(?1) j "
	nodesByURN = readNode + "JOIN entity e ON e.urn = j.value"
	nodesByID  = readNode + "CROSS JOIN entity e ON e.id = j.value"
)

// startReading compiles the statements of the walk and then begins its transaction. Compiling
// needs a connection too, so walks that hold one while they wait for another could deadlock.
func (w *walker) startReading(ctx context.Context) error {
	if w.with != nil {
		if err := w.with.startReading(ctx); err != nil {
			return err
		}
		w.tx, w.statements = w.with.tx, w.with.statements
		return nil
	}
	w.statements = map[string]*sql.Stmt{}
	texts := slices.Concat([]string{nodesByURN, nodesByID}, w.also, w.texts(func(l *leads) string { return l.text }))
	for _, text := range texts {
		statement, err := w.s.walks.statement(ctx, text)
		if err != nil {
			return err
		}
		w.statements[text] = statement
	}
	var err error
	w.tx, err = w.s.walks.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	return err
}

// texts returns one statement for each set of relationships of the walk.
func (w *walker) texts(of func(*leads) string) (texts []string) {
	for _, way := range w.steps {
		for _, l := range []*leads{&way.outgoing, &way.incoming} {
			if len(l.types) > 0 {
				texts = append(texts, of(l))
			}
		}
	}
	return texts
}

// rows runs a statement of the walk in its transaction.
func (w *walker) rows(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if w.with != nil && w.with.tx != nil {
		w.tx, w.statements = w.with.tx, w.with.statements
	}
	if w.tx == nil {
		if err := w.startReading(ctx); err != nil {
			return nil, err
		}
	}
	return w.tx.StmtContext(ctx, w.statements[text]).QueryContext(ctx, args...)
}

// hop returns the entities that are one hop from the frontier, which is ordered by URN.
func (w *walker) hop(ctx context.Context, frontier []node, expires time.Time) ([]node, error) {
	byType := map[int64][]int64{}
	for _, n := range frontier {
		byType[n.entityType] = append(byType[n.entityType], n.id)
	}
	from := w.placesIn(frontier)
	var next []node
	for near, ids := range byType {
		way := w.steps[near]
		if way == nil {
			continue
		}
		slices.Sort(ids)
		for part := range slices.Chunk(ids, frontierRows) {
			if graphstore.Expired(expires) {
				return nil, graphstore.ErrImpatient
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, l := range []*leads{&way.outgoing, &way.incoming} {
				if len(l.types) == 0 {
					continue
				}
				found, err := w.follow(ctx, part, l, from)
				if err != nil {
					return nil, err
				}
				next = append(next, found...)
			}
		}
	}
	slices.SortFunc(next, func(a, b node) int { return graphstore.CompareVisits(&a.visit, &b.visit) })
	next = w.once(next, frontier)
	w.markEnds(next)
	return next, nil
}

// placesIn returns the indexes of entities in a frontier by id, if the walk asks for predecessors.
func (w *walker) placesIn(frontier []node) map[int64]int {
	if !w.query.Before {
		return nil
	}
	at := make(map[int64]int, len(frontier))
	for place, n := range frontier {
		at[n.id] = place
	}
	return at
}

// once merges entities that were reached twice in a hop: along relationships of different types, from
// entities of different types, or in different parts of the frontier.
func (w *walker) once(next, frontier []node) []node {
	left := next[:0]
	for _, n := range next {
		if w.query.Before {
			n.visit.Before = frontier[n.from].visit.URN
		}
		if w.seen[n.id] {
			left[len(left)-1].visit.MergeVisit(&n.visit)
			continue
		}
		w.seen[n.id] = true
		left = append(left, n)
	}
	return left
}

// end is the far end of an edge, and the number of the relationship on the walk. Equal sets of
// relationships always have equal numbers.
type end struct{ id, relationship int64 }

// lead is the far end of an edge, with the index in the frontier of its near end; 0 for all if the
// walk does not ask for predecessors.
type lead struct {
	end
	from int
}

// follow follows relationships from entities of one type.
func (w *walker) follow(ctx context.Context, ids []int64, l *leads, from map[int64]int) ([]node, error) {
	var found []lead
	collect := func(near int64, list []end) {
		place := from[near]
		for _, e := range list {
			if !w.seen[e.id] {
				found = append(found, lead{e, place})
			}
		}
	}
	unknown := ids
	if w.query.AsOf == 0 {
		unknown = w.s.memory.edges(ids, l.set, collect)
	}
	if len(unknown) > 0 {
		read, err := w.readEnds(ctx, unknown, l)
		if err != nil {
			return nil, err
		}
		for id, list := range read {
			collect(id, list)
		}
	}
	slices.SortFunc(found, func(a, b lead) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.from, b.from), cmp.Compare(a.relationship, b.relationship))
	})
	return w.nodes(ctx, slices.Compact(found), l.far)
}

// numberBits is the number of bits for a relationship's number on a walk beside the id of an
// entity, so that both fit into one integer of an array. SQLite takes at most 32,766
// parameters, so a walk has fewer relationships than the bits allow.
const numberBits = 20

// readEnds reads the far ends of edges, by their near ends, and caches them.
func (w *walker) readEnds(ctx context.Context, ids []int64, l *leads) (map[int64][]end, error) {
	found, err := w.endsBy(ctx, l.text, ids, l)
	if err == nil && w.query.AsOf == 0 {
		w.s.memory.addEdges(w.epoch, ids, l.set, found)
	}
	return found, err
}

// endsBy reads the far ends of edges, by their near ends, with a statement that returns them as
// two arrays in the same order.
func (w *walker) endsBy(ctx context.Context, text string, ids []int64, l *leads, more ...any) (map[int64][]end, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := w.rows(ctx, text, slices.Concat([]any{string(list), w.query.AsOf}, l.names, more)...)
	if err != nil {
		return nil, err
	}
	return scanEnds(rows, func(item int64) end { return end{item >> numberBits, item & (1<<numberBits - 1)} })
}

// integers reads a JSON array of integers that are not negative.
func integers(list []byte) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		n, digits := int64(0), false
		for _, c := range list {
			if c >= '0' && c <= '9' {
				n, digits = n*10+int64(c-'0'), true
				continue
			}
			if digits && !yield(n) {
				return
			}
			n, digits = 0, false
		}
	}
}

// nodes returns the entities at the ends of edges, which are ordered by entity. nodes leaves out
// entities whose type is not one to which the relationship leads.
func (w *walker) nodes(ctx context.Context, found []lead, far [][]int64) ([]node, error) {
	if len(found) == 0 {
		return nil, nil
	}
	ids := make([]int64, 0, len(found))
	for _, e := range found {
		if len(ids) == 0 || ids[len(ids)-1] != e.id {
			ids = append(ids, e.id)
		}
	}
	known, err := w.nodesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	nodes := make([]node, 0, len(ids))
	for _, id := range ids {
		stored, ok := known[id]
		n := node{id: id, entityType: stored.entityType, from: -1}
		for len(found) > 0 && found[0].id == id {
			if slices.Contains(far[found[0].relationship], n.entityType) {
				if n.from < 0 {
					n.from = found[0].from
				}
				n.visit.Others = n.visit.Others || found[0].from != n.from
			}
			found = found[1:]
		}
		if !ok || n.from < 0 || w.query.WithoutRemoved && stored.removed {
			continue
		}
		n.visit.URN, n.visit.Exists, n.visit.Removed = stored.urn, stored.exists, stored.removed
		if n.visit.Type, err = w.s.names.text(n.entityType); err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// nodesByID returns entities, from the cache or else from the store.
func (w *walker) nodesByID(ctx context.Context, ids []int64) (map[int64]nodeMemory, error) {
	known, unknown := w.s.memory.nodes(ids)
	if len(unknown) == 0 {
		return known, nil
	}
	list, err := json.Marshal(unknown)
	if err != nil {
		return nil, err
	}
	read, err := w.readNodes(ctx, nodesByID, string(list))
	maps.Copy(known, read)
	return known, err
}

// readNodes reads the entities of a list.
func (w *walker) readNodes(ctx context.Context, text, list string) (map[int64]nodeMemory, error) {
	rows, err := w.rows(ctx, text, list)
	if err != nil {
		return nil, err
	}
	return w.s.scanNodes(rows, w.epoch)
}

// scanNodes reads rows of entities, and caches them if nothing was written since an epoch.
func (s *Store) scanNodes(rows *sql.Rows, epoch int64) (map[int64]nodeMemory, error) {
	defer rows.Close()
	found := map[int64]nodeMemory{}
	for rows.Next() {
		var (
			n         nodeMemory
			id, state int64
		)
		if err := rows.Scan(&id, &n.urn, &n.entityType, &state, &n.removed); err != nil {
			return nil, err
		}
		n.exists = state == stateExists
		found[id] = n
	}
	s.memory.addNodes(epoch, found)
	return found, rows.Err()
}
