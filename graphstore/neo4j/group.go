package neo4j

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"
	"unicode/utf8"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// These bound the writes of one statement. A group that has reached one of the first two bounds
// takes no more updates. A single update with more rows than maxStatementRows has a transaction
// of its own, in portions.
const (
	maxGroupRows     = 4000
	maxGroupBytes    = 8 << 20
	maxStatementRows = 10_000
)

// maxGroupReads bounds the values that a group reads, in characters. When a group has read so
// much, updates whose values were not read wait for the next group. Only the first update does
// not wait, because nothing bounds the values that a single update may ask for.
const maxGroupReads = 8 << 20

// groupPatience bounds the writing statement of a group of several updates. A longer statement
// is ended, and each update then has a transaction of its own: one update waits for a lock that
// another server holds.
const groupPatience = 5 * time.Second

// groupTries bounds the attempts of a group that conflicts with writes of other servers. From
// the second attempt on, an update whose entities were written meanwhile has a transaction that
// locks first.
const groupTries = 5

// groupDeadlocks bounds the attempts of a statement that ends in a deadlock over the other ends
// of edges.
const groupDeadlocks = 4

// group is a number of updates that share one reading and one writing statement. The updates
// decide by data that was read without a lock. The writing statement locks the entities, and
// writes nothing if an entity has changed since it was read.
// The reasons are in docs/decisions/0042-neo4j-group-commit.md.
type group struct {
	s       *Store
	ctx     context.Context
	session driver.SessionWithContext
	// failed is the reason why the database cannot be read.
	failed error
	// characters is the size of the values that were read.
	characters int
	token      int64
	tick       int64
	members    []*member
	// entities has the marks of the entities that were read, times the new times of the entities
	// that the group writes.
	entities map[string]mark
	times    map[string]int64
	// versions has the latest versions that were read, of entities that have a node.
	versions map[graphstore.AspectKey]versionMark
	// pending has the states of aspects that were read, and all writes of the group.
	pending pending
}

// mark is the trace of the last write on an entity.
type mark struct {
	token, changedOn int64
	// exists: the entity has a node. typed: the node has the type of its entity; a node without one is only a lock.
	exists, typed bool
}

// versionMark identifies a version of an aspect. The zero mark stands for no version.
type versionMark struct{ seq, createdOn int64 }

func (s *Store) newGroup(ctx context.Context, session driver.SessionWithContext) *group {
	return &group{
		s: s, ctx: ctx, session: session, token: newToken(), tick: s.clock.Tick(), pending: newPending(nil),
		entities: map[string]mark{}, times: map[string]int64{}, versions: map[graphstore.AspectKey]versionMark{},
	}
}

// timeOf returns the time of an update of entities.
func (g *group) timeOf(urns []string) int64 {
	now := g.tick
	for _, urn := range urns {
		now = max(now, graphstore.NotBefore(g.tick, g.entities[urn].changedOn), g.times[urn])
	}
	return now
}

// has reports whether the data for which an update waits was read.
func (g *group) has(m *member) bool {
	for _, urn := range m.u.urns {
		if _, ok := g.entities[urn]; !ok {
			return false
		}
	}
	for _, key := range m.wanted {
		if _, ok := m.pending.state(key); ok {
			continue
		}
		if e, ok := g.entities[key.URN]; !ok || e.exists {
			return false
		}
		g.pending.states[key] = graphstore.AspectState{NextSeq: 1} // the entity has no node
	}
	return true
}

// take adds the writes of an update to the group, so that later updates of the group see them.
func (g *group) take(m *member) {
	if rows, _ := m.pending.size(); rows == 0 {
		return
	}
	g.pending.join(&m.pending)
	for _, urn := range m.u.urns {
		g.times[urn] = m.now
	}
}

func (g *group) full() bool {
	rows, bytes := g.pending.size()
	return rows >= maxGroupRows || bytes >= maxGroupBytes
}

// decide runs the functions of updates, and reads the data for which they ask. Updates of the
// same entities run one after the other.
func (g *group) decide(updates []*update) error {
	defer func() {
		for _, m := range g.members {
			m.stop()
		}
	}()
	for _, u := range updates {
		g.members = append(g.members, g.join(u))
	}
	for {
		running, progress := 0, false
		busy := map[string]bool{}
		for _, m := range g.members {
			switch {
			case m.over:
				continue
			case g.full():
				m.over, m.err = true, errLater
				continue
			case !overlaps(busy, m.u.urns) && g.has(m):
				if m.step(); g.failed != nil {
					return g.failed
				}
				progress = true
			}
			if !m.over {
				running++
				for _, urn := range m.u.urns {
					busy[urn] = true
				}
			}
		}
		if running == 0 {
			return nil
		}
		if progress {
			continue
		}
		if err := g.read(running > 1); err != nil {
			return err
		}
		g.putOff()
	}
}

// putOff makes all updates but the first wait for the next group, if the bound of reads has
// kept their data from being read.
func (g *group) putOff() {
	if g.characters < g.s.groupReads {
		return
	}
	first := true
	for _, m := range g.members {
		if m.over {
			continue
		}
		if !first && !g.has(m) {
			m.over, m.err = true, errLater
		}
		first = false
	}
}

// start runs a statement in a transaction of its own.
func (g *group) start(name string, params map[string]any) (context.Context, driver.ResultWithContext, error) {
	statement, err := g.s.statements.Text(name)
	if err != nil {
		return nil, nil, err
	}
	result, err := g.session.Run(g.ctx, statement, params, bounds(g.ctx, 0)...)
	return g.ctx, result, err
}

// read reads the data for which the running updates wait. If bounded is set, read may read only
// the first part of this data. An aspect of an entity without a node has no version.
func (g *group) read(bounded bool) error {
	keys, entities, unmarked := g.unread()
	params := row{"entities": entities, "characters": nil}
	if bounded {
		params["characters"] = max(g.s.groupReads-g.characters, 1)
	}
	found := map[string]bool{}
	_, err := records(g, "write/group_states", row{"group": params}, func(r *driver.Record) (struct{}, error) {
		if entity := bag(properties(r, "entity")); entity != nil {
			urn := entity.text("urn")
			found[urn] = true
			if unmarked[urn] { // a later mark would not belong to the data that was read first
				g.entities[urn] = mark{token: entity.integer("writeToken"), changedOn: entity.integer("changedOn"), exists: true, typed: entity["typed"] == true}
			}
			return struct{}{}, nil
		}
		key := keys[integer(r, "i")]
		if latest := properties(r, "latest"); latest != nil {
			a, err := aspectOf(latest)
			g.pending.states[key] = graphstore.AspectState{Latest: &a, NextSeq: a.Seq + 1}
			g.versions[key] = versionMark{a.Seq, a.CreatedOn}
			g.characters += utf8.RuneCount(a.Value)
			return struct{}{}, err
		}
		g.versions[key] = versionMark{}
		g.pending.states[key] = graphstore.AspectState{NextSeq: integer(r, "seq") + 1}
		return struct{}{}, nil
	})
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !found[key.URN] {
			g.pending.states[key] = graphstore.AspectState{NextSeq: 1}
		}
	}
	return nil
}

// unread returns three things: the aspects for which the running updates wait; the entities to
// read, as rows in the order of the updates; and the set of the entities that were not read before.
func (g *group) unread() (keys []graphstore.AspectKey, entities []row, unmarked map[string]bool) {
	asked, unmarked := map[graphstore.AspectKey]bool{}, map[string]bool{}
	wanted := map[string]row{}
	rowOf := func(urn string) row {
		r := wanted[urn]
		if r == nil {
			r = row{"urn": urn, "keys": []row{}}
			wanted[urn], entities = r, append(entities, r)
		}
		return r
	}
	for _, m := range g.members {
		if m.over {
			continue
		}
		for _, urn := range m.u.urns {
			if _, ok := g.entities[urn]; !ok {
				g.entities[urn] = mark{}
				unmarked[urn] = true
				rowOf(urn)
			}
		}
		for _, key := range m.wanted {
			if _, ok := m.pending.state(key); !ok && !asked[key] {
				asked[key] = true
				r := rowOf(key.URN)
				r["keys"] = append(r["keys"].([]row), row{"i": len(keys), "name": key.Name})
				keys = append(keys, key)
			}
		}
	}
	return keys, entities, unmarked
}

// commit reads, decides and writes. Done is false if another server wrote an entity meanwhile.
// Sent tells that the writing statement was sent.
func (g *group) commit(updates []*update) (done, sent bool, err error) {
	if err := g.decide(updates); err != nil {
		return false, false, err
	}
	statement, params, err := g.statement()
	if err != nil || statement == "" {
		return err == nil, false, err
	}
	if err := g.s.planned(g.ctx, statement); err != nil {
		g.s.logger.DebugContext(g.ctx, "planning the statement of a group", "error", err)
	}
	var patience time.Duration
	if len(updates) > 1 {
		patience = g.s.groupPatience
	}
	began := time.Now()
	for try := range groupDeadlocks {
		written, err := g.send(statement, params, patience)
		if err == nil || !isDeadlock(err) {
			return written, true, err
		}
		g.s.logger.DebugContext(g.ctx, deadlockMessage, "entities", len(g.entities), "try", try+1)
		if try == groupDeadlocks-1 || updates[0].kind() == bulk || patience > 0 && time.Since(began) >= patience {
			return false, true, err
		}
		if err := pause(g.ctx, 2*time.Millisecond<<try); err != nil {
			return false, true, err
		}
	}
	return false, true, nil
}

// send sends the writing statement, and reports whether it has written.
func (g *group) send(statement string, params map[string]any, patience time.Duration) (written bool, err error) {
	result, err := g.session.Run(g.ctx, statement, params, bounds(g.ctx, patience)...)
	if err != nil {
		return false, err
	}
	records, err := collect(g.ctx, result, func(*driver.Record) (struct{}, error) { return struct{}{}, nil })
	return len(records) > 0, err
}

// pause waits for a random time from half of wait up to one and a half times wait.
func pause(ctx context.Context, wait time.Duration) error {
	select {
	case <-time.After(wait/2 + rand.N(wait)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answers are the results of updates. They are sent after the session that the updates shared
// has ended, because a caller may then close the store.
type answers map[*update]error

func (a answers) send() {
	for u, err := range a {
		u.done <- err
	}
}

// answer records the results of a committed group, and returns the updates that need another
// turn.
func (g *group) answer(to answers) (retry []*update) {
	for _, m := range g.members {
		switch {
		case errors.Is(m.err, errAlone):
			m.u.alone = true
			retry = append(retry, m.u)
		case errors.Is(m.err, errLater):
			retry = append(retry, m.u)
		default:
			to[m.u] = m.err
		}
	}
	return retry
}

// serve runs the updates of a turn, and returns the updates that need another turn.
func (s *Store) serve(t *turn) (retry []*update) {
	if t.kind == alone {
		s.run(t.updates[0].urns, t.updates)
		return nil
	}
	updates := present(t.updates)
	if len(updates) == 0 {
		return nil
	}
	to := answers{}
	defer to.send()
	ctx, cancel := together(updates)
	defer cancel()
	exit, err := s.bulk.enter(ctx, len(updates[0].urns), updates[0].lost > 0)
	if err != nil {
		s.refuse(ctx, updates, err, to)
		return nil
	}
	defer exit()
	leave, err := s.lanes.writes.Enter(ctx)
	if err != nil {
		s.refuse(ctx, updates, err, to)
		return nil
	}
	defer leave()
	session := s.session(ctx, driver.AccessModeWrite)
	defer s.end(ctx, session)
	return s.share(ctx, session, updates, to)
}

// share runs updates as a group, and returns the updates that need another turn.
func (s *Store) share(ctx context.Context, session driver.SessionWithContext, updates []*update, to answers) (retry []*update) {
	began := time.Now()
	var former *group
	for conflicts, failures := 0, 0; len(updates) > 0; {
		g := s.newGroup(ctx, session)
		done, sent, err := g.commit(updates)
		switch {
		case err == nil && done:
			return append(retry, g.answer(to)...)
		case err == nil:
			if conflicts++; conflicts >= groupTries {
				return append(retry, apart(updates, false)...)
			}
			var slow []*update
			updates, slow = g.parted(former, updates)
			retry = append(retry, apart(slow, false)...)
			former = g
		case ctx.Err() != nil || s.closed.Load() || errors.Is(err, errOver):
			s.refuse(ctx, updates, err, to)
			return retry
		case isDeadlock(err) && updates[0].kind() == bulk && updates[0].lost < groupDeadlocks:
			updates[0].lost++
			return append(retry, updates...)
		case isDeadlock(err), tookTooLong(err) && len(updates) > 1:
			return append(retry, apart(updates, len(updates) > 1)...)
		case driver.IsRetryable(err) && !(sent && driver.IsConnectivityError(err)) && time.Since(began) < s.retryTime:
			if err := pause(ctx, min(time.Second, 50*time.Millisecond<<min(failures, 10))); err != nil {
				s.refuse(ctx, updates, err, to)
				return retry
			}
			failures++
		case len(updates) > 1 && !driver.IsRetryable(err) && !driver.IsConnectivityError(err):
			// One update of the group failed. Run each alone, so that only that one gets the error.
			return append(retry, apart(updates, true)...)
		default:
			s.refuse(ctx, updates, err, to)
			return retry
		}
	}
	return retry
}

// parted returns the updates to try again as a group, and the updates of entities that another
// server has written since the group before.
func (g *group) parted(former *group, updates []*update) (together, slow []*update) {
	if former == nil {
		return updates, nil
	}
	for _, u := range updates {
		if slices.ContainsFunc(u.urns, func(urn string) bool {
			before, ok := former.entities[urn]
			return ok && before != g.entities[urn]
		}) {
			slow = append(slow, u)
		} else {
			together = append(together, u)
		}
	}
	return together, slow
}

// apart marks updates to run in transactions that lock first.
func apart(updates []*update, single bool) []*update {
	for _, u := range updates {
		u.alone, u.single = true, single
	}
	return updates
}

// refuse records an error as the result of updates.
func (s *Store) refuse(ctx context.Context, updates []*update, err error, to answers) {
	for _, u := range updates {
		to[u] = s.failure(ctx, err)
	}
}
