package embedded

import (
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
)

// Bounds of one shared commit: how many Updates it may hold and for how long
// it may collect them.
const (
	maxGroup    = 256
	maxGathered = 20 * time.Millisecond
)

// maxWAL is the size of the write-ahead log beyond which the writer waits for
// readers in order to start it afresh.
const maxWAL = 256 << 20

// update is one queued call of Update.
type update struct {
	ctx  context.Context
	urns []string
	fn   func(graphstore.Tx) error
	done chan error
}

// writer is the one goroutine that writes.
type writer struct {
	conn    *sql.Conn
	queue   chan *update
	names   *names
	ids     *idCache
	stmts   statements
	logger  *slog.Logger
	walPath string
	// nextEntity and nextChange are given out once, whatever is undone.
	nextEntity, nextChange int64
	clock                  int64
	commits                int64
	// gone holds every entity that may be gone, so that an edge brings it back.
	gone map[int64]bool

	quit     chan struct{}
	finished sync.WaitGroup
	// sending guards queue against use after stop.
	sending sync.RWMutex
	stopped bool
}

func startWriter(ctx context.Context, db *sql.DB, n *names, path string, logger *slog.Logger) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{
		conn: conn, names: n, ids: newIDCache(), logger: logger, walPath: path + "-wal",
		queue: make(chan *update, maxGroup), quit: make(chan struct{}),
	}
	for query, into := range map[string]*int64{
		"SELECT coalesce(max(id), 0) + 1 FROM entity":                             &w.nextEntity,
		"SELECT coalesce(max(seq), 0) + 1 FROM change":                            &w.nextChange,
		"SELECT coalesce((SELECT time FROM change ORDER BY seq DESC LIMIT 1), 0)": &w.clock,
	} {
		if err := conn.QueryRowContext(ctx, query).Scan(into); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	if w.gone, err = goneEntities(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if w.stmts, err = prepare(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	w.finished.Go(w.run)
	return w, nil
}

func goneEntities(ctx context.Context, conn *sql.Conn) (map[int64]bool, error) {
	rows, err := conn.QueryContext(ctx, "SELECT id FROM entity WHERE state = ?", stateGone)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	gone := map[int64]bool{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		gone[id] = true
	}
	return gone, rows.Err()
}

// Update queues fn and returns after the commit that holds it.
func (s *Store) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	u := &update{ctx: ctx, urns: urns, fn: fn, done: make(chan error, 1)}
	if err := s.writer.send(u); err != nil {
		return err
	}
	// Once queued the answer is waited for: only it says whether fn was done.
	return <-u.done
}

func (w *writer) send(u *update) error {
	w.sending.RLock()
	defer w.sending.RUnlock()
	if w.stopped {
		return graphstore.ErrClosed
	}
	select {
	case w.queue <- u:
		return nil
	case <-u.ctx.Done():
		return u.ctx.Err()
	}
}

// stop answers what is queued and ends the goroutine.
func (w *writer) stop() error {
	w.sending.Lock()
	w.stopped = true
	w.sending.Unlock()
	close(w.quit)
	w.finished.Wait()
	return errors.Join(w.stmts.close(), w.conn.Close())
}

func (w *writer) run() {
	for {
		select {
		case u := <-w.queue:
			w.group(u)
		case <-w.quit:
			for {
				select {
				case u := <-w.queue:
					w.group(u)
				default:
					return
				}
			}
		}
	}
}

// group runs the first update and those that wait behind it, commits once, and
// answers them all.
func (w *writer) group(first *update) {
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		first.done <- storeError(err)
		return
	}
	w.commits++
	w.clock = max(w.clock, time.Now().UnixMilli())
	var members []*update
	var made undoLog
	gathering := time.Now()
	for u := first; u != nil; u = w.nextQueued(len(members), gathering) {
		log, err := w.one(u)
		if err != nil {
			u.done <- err
			continue
		}
		made.join(log)
		members = append(members, u)
	}
	err := w.exec("COMMIT")
	if err != nil {
		err = errors.Join(storeError(err), w.exec("ROLLBACK"))
		w.takeBack(made)
	}
	for _, u := range members {
		u.done <- err
	}
	w.limitLog()
}

func (w *writer) nextQueued(members int, gathering time.Time) *update {
	if members >= maxGroup || time.Since(gathering) > maxGathered {
		return nil
	}
	select {
	case u := <-w.queue:
		return u
	default:
		return nil
	}
}

// one runs a single update inside the group's transaction. With an error
// nothing of it remains.
func (w *writer) one(u *update) (undoLog, error) {
	if err := u.ctx.Err(); err != nil {
		return undoLog{}, err
	}
	t := newTx(w, u.urns)
	err := t.call(u.fn)
	if err == nil {
		err = t.err
	}
	if t.savepoint {
		end := "RELEASE member"
		if err != nil {
			end = "ROLLBACK TO member; RELEASE member"
		}
		if endErr := w.exec(end); endErr != nil {
			err = errors.Join(err, storeError(endErr))
		}
	}
	if err != nil {
		w.takeBack(t.made)
		return undoLog{}, err
	}
	return t.made, nil
}

// call runs fn; a panic in it is an error of this update alone.
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

func (w *writer) exec(statement string) error {
	_, err := w.conn.ExecContext(context.Background(), statement)
	return err
}

// limitLog keeps a steady stream of readers from letting the write-ahead log
// grow without bound.
func (w *writer) limitLog() {
	if w.commits%64 != 0 {
		return
	}
	info, err := os.Stat(w.walPath)
	if err != nil || info.Size() < maxWAL {
		return
	}
	if err := w.exec("PRAGMA wal_checkpoint(RESTART)"); err != nil {
		w.logger.Warn("the write-ahead log cannot be shortened", "bytes", info.Size(), "error", err)
	}
}

// undoLog lists what a transaction put into the caches.
type undoLog struct {
	names []string
	urns  []string
}

func (l *undoLog) join(other undoLog) {
	l.names = append(l.names, other.names...)
	l.urns = append(l.urns, other.urns...)
}

func (w *writer) takeBack(made undoLog) {
	w.names.forget(made.names)
	w.ids.forget(made.urns)
}

// idCache remembers the ids of recently used entities, in two generations so
// that it never holds more than a bounded number.
type idCache struct{ young, old map[string]int64 }

const idGeneration = 20_000

func newIDCache() *idCache { return &idCache{young: map[string]int64{}} }

func (c *idCache) get(urn string) (int64, bool) {
	if id, ok := c.young[urn]; ok {
		return id, true
	}
	id, ok := c.old[urn]
	if ok {
		c.put(urn, id)
	}
	return id, ok
}

func (c *idCache) put(urn string, id int64) {
	if len(c.young) >= idGeneration {
		c.young, c.old = map[string]int64{}, c.young
	}
	c.young[urn] = id
}

func (c *idCache) forget(urns []string) {
	for _, urn := range urns {
		delete(c.young, urn)
		delete(c.old, urn)
	}
}
