package embedded

import (
	"container/list"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/recent"
)

// These bound one shared commit: the number of its Updates, and the time for which it may
// collect them.
const (
	maxGroup    = 256
	maxGathered = 20 * time.Millisecond
)

// maxWAL is the size of the write-ahead log beyond which the writer waits for readers in order
// to truncate it.
const maxWAL = 256 << 20

// checkLogEvery is the number of commits after which the size of the write-ahead log is
// checked.
const checkLogEvery = 64

// update is one queued call of Update.
type update struct {
	ctx  context.Context
	urns []string
	fn   func(graphstore.Tx) error
	done chan error
	// place is the place of the update in the queue, nil once its turn has begun.
	place *list.Element
}

// writer writes, one group of updates at a time. The holder of the turn runs a group. A caller
// that finds the turn free takes it, so that its update need not wait for another goroutine to
// wake; otherwise the goroutine of the writer takes it.
type writer struct {
	conn  *sql.Conn
	queue *queue
	// turn is held while a group runs. turn guards all members below except names and memory.
	turn    sync.Mutex
	names   *names
	ids     *recent.Map[string, int64]
	stmts   statements
	reads   *point
	logger  *slog.Logger
	walPath string
	// nextEntity and nextChange are numbers that are never assigned twice, even if a transaction
	// is undone.
	nextEntity, nextChange int64
	// clock provides the time now of every update.
	clock   *graphstore.Clock
	now     int64
	commits int64
	// absent has the URNs for which the running group found no row.
	absent map[string]bool
	// changedEnds has the entities whose node or edges the running group changes.
	changedEnds map[int64]bool
	// changedLatest has the entities whose latest versions the running group changes.
	changedLatest map[int64]bool
	memory        *memory
	// someGone tells that there may be deleted entities, which become placeholders when an edge
	// leads to them.
	someGone bool

	quit     chan struct{}
	finished sync.WaitGroup
}

// The writer reads these when it starts. The time of the reads does not depend on the number of
// entities.
const (
	nextEntity = "SELECT coalesce(max(id), 0) + 1 FROM entity"
	nextChange = "SELECT coalesce(max(seq), 0) + 1 FROM change"
	someGone   = "SELECT EXISTS (SELECT 1 FROM entity WHERE state = 0)"
)

func startWriter(ctx context.Context, db *sql.DB, n *names, m *memory, path string, length int, logger *slog.Logger, clock func() time.Time) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{
		conn: conn, reads: newPoint(conn), names: n, memory: m, changedEnds: map[int64]bool{}, changedLatest: map[int64]bool{}, ids: recent.New[string, int64](recentIDs), absent: map[string]bool{}, logger: logger, walPath: path + "-wal",
		queue: newQueue(length), quit: make(chan struct{}),
	}
	var newest int64
	for query, into := range map[string]any{
		nextEntity: &w.nextEntity, nextChange: &w.nextChange, newestTime: &newest, someGone: &w.someGone,
	} {
		if err := conn.QueryRowContext(ctx, query).Scan(into); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	w.clock = graphstore.NewClock(clock, newest, logger)
	if w.stmts, err = prepare(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	w.finished.Go(w.run)
	return w, nil
}

// Update queues fn and returns after the commit that contains it.
func (s *Store) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	u := &update{ctx: ctx, urns: urns, fn: fn, done: make(chan error, 1)}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.writer.queue.enter(u); err != nil {
		return err
	}
	s.writer.lead(u)
	return graphstore.AwaitTurn(ctx, s.patience, u.done, func() bool { return s.writer.queue.leave(u) }, nil)
}

// lead runs groups until a queued update is answered, unless another goroutine runs them. lead
// leaves updates that are still queued then to the goroutine of the writer.
func (w *writer) lead(u *update) {
	if !w.turn.TryLock() {
		return // the holder of the turn looks at the queue again when it has finished
	}
	defer crash() // a caller that recovers a panic would leave the transaction open
	for len(u.done) == 0 {
		first := w.queue.next()
		if first == nil {
			break // another goroutine is answering the update
		}
		w.group(first)
	}
	due := w.commits%checkLogEvery == 0
	w.turn.Unlock()
	if due || w.queue.waits() {
		w.queue.tell()
	}
}

// crash ends the process if the goroutine panics, even if a caller would recover.
func crash() {
	if cause := recover(); cause != nil {
		go panic(fmt.Sprintf("%v\n\n%s", cause, debug.Stack()))
		select {} // waits until the panic has ended the process
	}
}

// stop answers the queued updates and ends the goroutine.
func (w *writer) stop() error {
	w.queue.close()
	close(w.quit)
	w.finished.Wait()
	return errors.Join(w.stmts.close(), w.reads.close(), w.conn.Close())
}

func (w *writer) run() {
	for {
		select {
		case <-w.queue.filled:
			w.runQueued()
		case <-w.quit:
			w.runQueued()
			return
		}
	}
}

// runQueued runs groups until no update is queued.
func (w *writer) runQueued() {
	for {
		w.turn.Lock()
		w.limitLog()
		for first := w.queue.next(); first != nil; first = w.queue.next() {
			w.group(first)
			w.limitLog()
		}
		w.turn.Unlock()
		if !w.queue.waits() { // if updates wait, an update has arrived that found the turn taken
			return
		}
	}
}

// group runs the first update and the updates that wait behind it, commits once, and answers
// all of them. If one update fails after it has written, the whole transaction is rolled back
// and the other updates run again. Such a failure is rare, so running updates again costs less
// than a savepoint for each update.
func (w *writer) group(first *update) {
	waiting := []*update{first}
	gathering := time.Now()
	for len(waiting) > 0 {
		done, made, retry, err := w.attempt(waiting, gathering)
		if retry != nil {
			waiting = retry
			continue
		}
		if err != nil {
			w.undo(made)
		} else {
			w.names.commit(made.names)
		}
		for _, u := range done {
			u.done <- err
		}
		break
	}
}

// attempt runs updates, and further updates that are queued meanwhile, in one transaction and
// commits it. attempt returns the updates to which the outcome applies, or the updates to run
// again without the failed update.
func (w *writer) attempt(waiting []*update, gathering time.Time) (done []*update, made undoLog, retry []*update, err error) {
	if err := w.stmts.begin.run(); err != nil {
		return waiting, made, nil, err
	}
	w.commits++
	clear(w.absent)
	clear(w.changedEnds)
	clear(w.changedLatest)
	for i := 0; i < len(waiting); i++ {
		u := waiting[i]
		log, written, err := w.one(u)
		made.join(log)
		if err != nil {
			u.done <- err
			if !written {
				continue
			}
			w.undo(made)
			if err := w.stmts.rollback.run(); err != nil {
				w.logger.Error("a failed update cannot be rolled back", "error", err)
			}
			return nil, undoLog{}, append(done, waiting[i+1:]...), nil
		}
		done = append(done, u)
		if i == len(waiting)-1 {
			if next := w.nextQueued(len(done), gathering); next != nil {
				waiting = append(waiting, next)
			}
		}
	}
	w.memory.latest.begin(w.changedLatest)
	err = w.stmts.commit.run()
	w.memory.latest.end()
	w.memory.forget(w.changedEnds) // the cache forgets the changed entities before any caller learns of the commit
	if err != nil {
		return done, made, nil, errors.Join(err, w.stmts.rollback.run())
	}
	return done, made, nil, nil
}

func (w *writer) nextQueued(members int, gathering time.Time) *update {
	if members >= maxGroup || time.Since(gathering) > maxGathered {
		return nil
	}
	return w.queue.next()
}

// one runs a single update inside the transaction of the group, and reports whether the update
// wrote anything.
func (w *writer) one(u *update) (made undoLog, written bool, err error) {
	if err := u.ctx.Err(); err != nil {
		return undoLog{}, false, err
	}
	w.now = w.clock.Tick() // each update has a time of its own, because the group may have begun long before the update was made
	t := newTx(w, u.urns)
	if err = t.call(u.fn); err == nil {
		err = t.err
	}
	return t.made, t.written, err
}

// call runs fn. A panic in fn becomes an error of this update only.
func (t *tx) call(fn func(graphstore.Tx) error) (err error) {
	defer func() {
		t.over = true
		if cause := recover(); cause != nil {
			t.w.logger.Error("update panicked", "cause", cause, "stack", string(debug.Stack()))
			err = fmt.Errorf("update panicked: %v", cause)
		}
	}()
	return fn(t)
}

// limitLog prevents the write-ahead log from growing without bound under a steady stream of
// readers.
func (w *writer) limitLog() {
	if w.commits%checkLogEvery != 0 {
		return
	}
	info, err := os.Stat(w.walPath)
	if err != nil || info.Size() < maxWAL {
		return
	}
	if _, err := w.conn.ExecContext(background, "PRAGMA wal_checkpoint(RESTART)"); err != nil {
		w.logger.Warn("the write-ahead log cannot be truncated", "bytes", info.Size(), "error", err)
	}
}

// undoLog lists the texts and URNs that a transaction added to the caches.
type undoLog struct {
	names []string
	urns  []string
}

func (l *undoLog) join(other undoLog) {
	l.names = append(l.names, other.names...)
	l.urns = append(l.urns, other.urns...)
}

func (w *writer) undo(made undoLog) {
	w.names.forget(made.names)
	w.ids.Forget(made.urns...)
}

// recentIDs bounds the ids of entities that the writer caches.
const recentIDs = 20_000
