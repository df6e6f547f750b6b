package neo4j

import (
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
)

// These bound the turns that run at once. Small updates share transactions: because few
// transactions run at once, further updates gather for the next one. More begin if an update
// has waited longer than groupWait, because a running one then waits for the lock of another
// server.
const (
	groupsAtOnce     = 2
	slowGroupsAtOnce = 8
	groupWait        = 20 * time.Millisecond
	aloneAtOnce      = 8
)

// These bound one group: its updates, and the entities that they name.
const (
	maxGroup         = 64
	maxGroupEntities = 256
)

// nextTurns is the number of waiting updates of each kind that get a turn when the running
// turns end.
var nextTurns = [kinds]int{small: maxGroup, bulk: bulkTransactions, alone: aloneAtOnce}

// update is a waiting call of Update.
type update struct {
	ctx context.Context
	// urns are sorted, each once.
	urns []string
	fn   func(graphstore.Tx) error
	done chan error
	// alone tells that the update locks its entities first, in a transaction that it shares at
	// most with updates of the same entities. single tells that it shares its transaction with no
	// update.
	alone, single bool
	// lost counts the deadlocks that the update has lost as the only one of its group.
	lost  int
	since time.Time
	begun bool
	place *list.Element
}

// kind is the kind of a turn, which bounds the turns that run at once.
type kind int

const (
	small kind = iota
	bulk
	alone
	kinds
)

func (u *update) kind() kind {
	switch {
	case u.alone:
		return alone
	case len(u.urns) > bulkEntities:
		return bulk
	}
	return small
}

// turn is a group of updates that run together. They hold their entities in this process until
// their turn ends.
type turn struct {
	kind    kind
	updates []*update
}

// queue has the updates that wait, in the order of their arrival. An update whose entities are
// held by other updates lets updates of different entities pass.
// The reasons are in docs/decisions/0026-writer-queue.md.
type queue struct {
	length   int
	patience time.Duration
	// slow is the wait of an update after which more groups than groupsAtOnce begin.
	slow time.Duration
	// serve runs the updates of a turn, and returns the updates that need another turn.
	serve func(*turn) (retry []*update)

	// tasks has the turns that run.
	tasks  *tasks.Group
	logger *slog.Logger

	mu      sync.Mutex
	closed  bool
	waiting list.List // of *update
	held    map[string]bool
	running [kinds]int
	timer   *time.Timer
	// ended is when the last turn ended.
	ended time.Time
}

func newQueue(length int, patience time.Duration, serve func(*turn) []*update, logger *slog.Logger) *queue {
	return &queue{length: length, patience: patience, slow: groupWait, serve: serve, held: map[string]bool{}, tasks: tasks.New("graph store", logger), logger: logger}
}

// enter appends an update, and begins its turn if that is possible.
func (q *queue) enter(u *update) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return graphstore.ErrClosed
	}
	if n := q.waiting.Len(); n >= q.length {
		return fmt.Errorf("%d updates are already waiting: %w", n, graphstore.ErrBusy)
	}
	u.since = time.Now()
	u.place = q.waiting.PushBack(u)
	q.begin()
	return nil
}

// leave removes an update from the queue. leave returns false if its turn has begun.
func (q *queue) leave(u *update) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if u.begun {
		return false
	}
	q.waiting.Remove(u.place)
	return true
}

// near reports whether the turn of an update has begun, or will probably begin soon: a turn
// ended less than the patience ago, few updates of the same kind wait before the update, and no
// running update holds its entities.
func (q *queue) near(u *update) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if u.begun {
		return true
	}
	if q.holds(u.urns) || time.Since(q.ended) >= q.patience {
		return false
	}
	before := 0
	for e := q.waiting.Front(); e != nil && e.Value != u; e = e.Next() {
		if other, _ := e.Value.(*update); other.kind() == u.kind() {
			before++
		}
	}
	return before < nextTurns[u.kind()]
}

// begin begins every turn that can begin now.
func (q *queue) begin() {
	for t := q.next(); t != nil; t = q.next() {
		q.tasks.Go("a turn", func() { q.run(t) })
	}
	if q.waiting.Len() > 0 && q.running[small] >= groupsAtOnce && q.timer == nil {
		q.timer = time.AfterFunc(q.slow, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.timer = nil
			q.begin()
		})
	}
}

// run serves a turn. If serve panics, the updates of the turn fail.
func (q *queue) run(t *turn) {
	var retry []*update
	defer func() { q.end(t, retry) }()
	err := safely.Do(func() error {
		retry = q.serve(t)
		return nil
	})
	if err == nil {
		return
	}
	q.logger.Error("updates panicked", "updates", len(t.updates), "error", err)
	for _, u := range t.updates {
		select {
		case u.done <- err:
		default: // the update has its answer already
		}
	}
}

// close refuses waiting and later updates, and waits until the running turns have ended.
func (q *queue) close(ctx context.Context) error {
	q.mu.Lock()
	q.closed = true
	if q.timer != nil {
		q.timer.Stop()
	}
	q.refuseWaiting()
	q.mu.Unlock()
	return q.tasks.End(ctx)
}

// refuseWaiting refuses the updates that wait for a turn. The queue must be closed.
func (q *queue) refuseWaiting() {
	for e := q.waiting.Front(); e != nil; e = q.waiting.Front() {
		u, _ := q.waiting.Remove(e).(*update)
		u.begun = true // the update no longer waits
		u.done <- graphstore.ErrClosed
	}
}

// end ends a turn. Updates that need another turn are first in the queue.
func (q *queue) end(t *turn, retry []*update) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, u := range t.updates {
		for _, urn := range u.urns {
			delete(q.held, urn)
		}
	}
	q.running[t.kind]--
	q.ended = time.Now()
	for _, u := range slices.Backward(retry) {
		u.place = q.waiting.PushFront(u)
	}
	if q.closed {
		q.refuseWaiting()
	}
	q.begin()
}

// room reports whether a turn for an update may begin.
func (q *queue) room(u *update) bool {
	switch u.kind() {
	case alone:
		return q.running[alone] < aloneAtOnce
	case bulk:
		return q.running[bulk] < bulkTransactions
	}
	return q.running[small] < groupsAtOnce || q.running[small] < slowGroupsAtOnce && time.Since(u.since) >= q.slow
}

// next takes the updates of the next turn from the queue. next returns nil if no turn can
// begin. No update is passed by a later one that names any of the same entities.
func (q *queue) next() *turn {
	if q.running[small] >= slowGroupsAtOnce && q.running[bulk] >= bulkTransactions && q.running[alone] >= aloneAtOnce {
		return nil
	}
	var (
		t        *turn
		entities int
		passed   = map[string]bool{}
	)
	for e := q.waiting.Front(); e != nil && (t == nil || t.kind != bulk && len(t.updates) < maxGroup); {
		u, _ := e.Value.(*update)
		after := e.Next()
		switch {
		case q.holds(u.urns) || overlaps(passed, u.urns), t == nil && !q.room(u), t != nil && (!t.admits(u) || entities+len(u.urns) > maxGroupEntities):
			for _, urn := range u.urns {
				passed[urn] = true
			}
		default:
			if t == nil {
				t = &turn{kind: u.kind()}
			}
			t.updates = append(t.updates, u)
			entities += len(u.urns)
			u.begun = true
			q.waiting.Remove(e)
		}
		e = after
	}
	if t == nil {
		return nil
	}
	q.running[t.kind]++
	for _, u := range t.updates {
		for _, urn := range u.urns {
			q.held[urn] = true
		}
	}
	return t
}

func (q *queue) holds(urns []string) bool { return overlaps(q.held, urns) }

func overlaps(set map[string]bool, urns []string) bool {
	return slices.ContainsFunc(urns, func(urn string) bool { return set[urn] })
}

// admits reports whether an update may join a turn.
func (t *turn) admits(u *update) bool {
	if u.kind() != t.kind {
		return false
	}
	first := t.updates[0]
	return t.kind != alone || !u.single && !first.single && slices.Equal(u.urns, first.urns)
}

// Update runs fn in a transaction, usually together with other updates. Update runs fn again
// after transient failures.
func (s *Store) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	if s.closed.Load() {
		return graphstore.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	u := &update{ctx: ctx, urns: slices.Compact(slices.Sorted(slices.Values(urns))), fn: fn, done: make(chan error, 1), alone: !s.hasPlans()}
	if err := s.queue.enter(u); err != nil {
		return err
	}
	return graphstore.AwaitTurn(ctx, s.queue.patience, u.done, func() bool { return s.queue.leave(u) }, func() bool { return s.queue.near(u) })
}
