package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// frontierRows bounds how many entities one statement goes on from.
const frontierRows = 5000

// node is an entity on a walk.
type node struct {
	id, entityType int64
	visit          graphstore.Visit
}

// walker walks in one read transaction: the walk sees the graph of one moment,
// whatever is written meanwhile.
type walker struct {
	s       *Store
	tx      *sql.Tx
	query   *graphstore.WalkQuery
	steps   map[int64]*way
	seen    map[int64]bool
	visits  []graphstore.Visit
	expires time.Time
}

// way is how a walk goes on from entities of a type: by relationship, to
// entities of which types.
type way struct{ outgoing, incoming map[int64][]int64 }

// Walk goes breadth-first, all entities of a hop together.
func (s *Store) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	if err := s.open(); err != nil {
		return graphstore.Walk{}, err
	}
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return graphstore.Walk{}, s.failure(err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	w := &walker{s: s, tx: tx, query: &q, seen: map[int64]bool{}, visits: []graphstore.Visit{}}
	w.plan()
	if q.Patience > 0 {
		w.expires = time.Now().Add(q.Patience)
	}
	cut, err := w.walk(ctx)
	if err != nil {
		return graphstore.Walk{}, s.failure(err)
	}
	return graphstore.Walk{Visits: w.visits, Cut: cut}, nil
}

// plan arranges the steps by the type they leave from. A step of a name that
// the store has never seen leads nowhere.
func (w *walker) plan() {
	w.steps = map[int64]*way{}
	for _, step := range w.query.Steps {
		near, far, name := w.s.names.find(step.NearType()), w.s.names.find(step.FarType()), w.s.names.find(step.Type)
		if near == 0 || far == 0 || name == 0 {
			continue
		}
		if w.steps[near] == nil {
			w.steps[near] = &way{map[int64][]int64{}, map[int64][]int64{}}
		}
		by := w.steps[near].outgoing
		if step.Direction == graphstore.Incoming {
			by = w.steps[near].incoming
		}
		by[name] = append(by[name], far)
	}
}

func (w *walker) walk(ctx context.Context) (graphstore.Cut, error) {
	frontier, err := w.begin(ctx)
	if err != nil {
		return graphstore.NotCut, err
	}
	for degree := 1; len(frontier) > 0 && (w.query.MaxHops <= 0 || degree <= w.query.MaxHops); degree++ {
		next, err := w.hop(ctx, frontier, degree)
		if errors.Is(err, graphstore.ErrImpatient) {
			if degree == 1 {
				return graphstore.NotCut, err
			}
			return graphstore.CutByTime, nil
		}
		if err != nil {
			return graphstore.NotCut, err
		}
		slices.SortFunc(next, func(a, b node) int { return cmp.Compare(a.visit.URN, b.visit.URN) })
		if room := w.query.Limit - len(w.visits); len(next) > room {
			for _, n := range next[:room] {
				w.visits = append(w.visits, n.visit)
			}
			return graphstore.CutByLimit, nil
		}
		for _, n := range next {
			w.visits = append(w.visits, n.visit)
		}
		frontier = next
	}
	return graphstore.NotCut, nil
}

// begin finds the entities to begin at.
func (w *walker) begin(ctx context.Context) ([]node, error) {
	rows, err := w.rows(ctx, "SELECT e.id, e.type FROM json_each(?1) j JOIN entity e ON e.urn = j.value", listJSON(w.query.From))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var nodes []node
	for rows.Next() {
		var n node
		if err := rows.Scan(&n.id, &n.entityType); err != nil {
			return nil, err
		}
		if !w.seen[n.id] {
			w.seen[n.id] = true
			nodes = append(nodes, n)
		}
	}
	return nodes, rows.Err()
}

// rows runs a statement in the walk's transaction.
func (w *walker) rows(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	statement, err := w.s.readers.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return w.tx.StmtContext(ctx, statement).QueryContext(ctx, args...)
}

// hop returns the entities that are one hop further.
func (w *walker) hop(ctx context.Context, frontier []node, degree int) ([]node, error) {
	byType := map[int64][]int64{}
	for _, n := range frontier {
		byType[n.entityType] = append(byType[n.entityType], n.id)
	}
	var next []node
	for near, ids := range byType {
		way := w.steps[near]
		if way == nil {
			continue
		}
		slices.Sort(ids)
		for part := range slices.Chunk(ids, frontierRows) {
			if !w.expires.IsZero() && time.Now().After(w.expires) {
				return nil, graphstore.ErrImpatient
			}
			for direction, names := range map[graphstore.Direction]map[int64][]int64{
				graphstore.Outgoing: way.outgoing, graphstore.Incoming: way.incoming,
			} {
				found, err := w.follow(ctx, part, names, direction)
				if err != nil {
					return nil, err
				}
				next = append(next, found...)
			}
		}
	}
	for i := range next {
		next[i].visit.Degree = degree
	}
	return next, nil
}

// follow goes from entities of one type along relationships.
func (w *walker) follow(ctx context.Context, ids []int64, names map[int64][]int64, d graphstore.Direction) ([]node, error) {
	if len(names) == 0 {
		return nil, nil
	}
	ends, err := w.ends(ctx, ids, names, d)
	if err != nil || len(ends) == 0 {
		return nil, err
	}
	return w.nodes(ctx, ends, names)
}

// end is the far end of an edge, and the edge's relationship.
type end struct{ id, name int64 }

// nameBits is the room for a relationship's number beside an entity's, so that
// both are one integer of an array.
const nameBits = 20

// ends returns the far ends that were not seen before, ordered by id. The
// texts differ only by how many relationships there are.
func (w *walker) ends(ctx context.Context, ids []int64, names map[int64][]int64, d graphstore.Direction) ([]end, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	args := []any{string(list), w.query.AsOf}
	var places []string
	for name := range names {
		args = append(args, name)
		places = append(places, fmt.Sprintf("?%d", len(args)))
	}
	near, far := farEnd(d)
	text := fmt.Sprintf(`SELECT x.%s << %d | x.type AS item FROM json_each(?1) j CROSS JOIN edge x ON x.%s = j.value AND x.type IN (%s)`,
		far, nameBits, near, strings.Join(places, ", "))
	if w.query.AsOf != 0 {
		text += " AND x.since <= ?2 UNION ALL " + strings.Replace(text, "JOIN edge x", "JOIN ended_edge x", 1) +
			" AND x.since <= ?2 AND x.until > ?2"
	}
	rows, err := w.rows(ctx, "SELECT json_group_array(item) FROM ("+text+")", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found sql.RawBytes
	if !rows.Next() {
		return nil, rows.Err()
	}
	if err := rows.Scan(&found); err != nil {
		return nil, err
	}
	var ends []end
	for item := range integers(found) {
		if e := (end{item >> nameBits, item & (1<<nameBits - 1)}); !w.seen[e.id] {
			ends = append(ends, e)
		}
	}
	slices.SortFunc(ends, func(a, b end) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.name, b.name)) })
	return slices.Compact(ends), rows.Err()
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

// nodes reads the entities at the ends of edges, without those whose type is
// not one that the relationship leads to.
func (w *walker) nodes(ctx context.Context, ends []end, names map[int64][]int64) ([]node, error) {
	ids := make([]int64, 0, len(ends))
	for _, e := range ends {
		if len(ids) == 0 || ids[len(ids)-1] != e.id {
			ids = append(ids, e.id)
		}
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := w.rows(ctx, "SELECT e.id, e.urn, e.type, e.state, e.removed FROM json_each(?1) j CROSS JOIN entity e ON e.id = j.value", string(list))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	nodes := make([]node, 0, len(ids))
	for rows.Next() {
		var n node
		var state int64
		if err := rows.Scan(&n.id, &n.visit.URN, &n.entityType, &state, &n.visit.Removed); err != nil {
			return nil, err
		}
		leads := false
		for len(ends) > 0 && ends[0].id <= n.id {
			leads = leads || ends[0].id == n.id && slices.Contains(names[ends[0].name], n.entityType)
			ends = ends[1:]
		}
		if !leads || w.query.WithoutRemoved && n.visit.Removed {
			continue
		}
		w.seen[n.id] = true
		n.visit.Type, n.visit.Exists = w.s.names.text(n.entityType), state == stateExists
		nodes = append(nodes, n)
	}
	return nodes, rows.Err()
}

// WithPrefix finds nodes by the beginning of their URN.
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) ([]string, error) {
	urns := []string{}
	if limit <= 0 {
		return urns, s.open()
	}
	// No byte of a URN is 0xff, so this is behind all that begin so.
	rows, err := s.readers.QueryContext(ctx, "SELECT urn FROM entity WHERE urn >= ?1 AND urn < ?2 AND state > 0 ORDER BY urn LIMIT ?3",
		prefix, prefix+"\xff", limit)
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	for rows.Next() {
		var urn string
		if err := rows.Scan(&urn); err != nil {
			return nil, s.failure(err)
		}
		urns = append(urns, urn)
	}
	return urns, s.failure(rows.Err())
}
