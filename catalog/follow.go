package catalog

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

// Bounds of following the change log.
const (
	followBatch = 1000
	// retryFirst and retryMost are the pauses after failures.
	retryFirst = 200 * time.Millisecond
	retryMost  = 15 * time.Second
)

// follower keeps the search index in step with the store. It reads the change
// log behind a cursor that the index itself holds, and re-reads the entities
// named there: applying a change again, or late, does no harm.
type follower struct {
	registry *model.Registry
	store    graphstore.Store
	index    indexer.Index
	schema   *indexer.Schema
	logger   *slog.Logger
	written  *broadcast

	// applying is held while changes are applied and while a rebuilt index
	// takes the place of the old one.
	applying sync.Mutex
	// rebuilding is held by a rebuild.
	rebuilding sync.Mutex
	builds     sync.WaitGroup

	mu      sync.Mutex
	waiting []ticket
	status  IndexStatus
	started atomic.Bool
	// following: changes are being applied as they come, so that waiting for
	// them is short.
	following atomic.Bool
	// lifetime is the context of run.
	lifetime context.Context
	// cursor is how far the index is, "" until that is known.
	cursor string
}

// IndexStatus says how the search index stands.
type IndexStatus struct {
	// Building says that documents are made from scratch: Done of about Total
	// entities so far.
	Building    bool
	Done, Total int64
	// Builds counts the builds that were begun; BuildFailure is that of the last.
	Builds       int64
	BuildFailure string
	// Failure is the last failure since the index was last up to date.
	Failure string
	// Documents counts the documents written and deleted since the start.
	Documents int64
}

// ticket is somebody who waits for what was committed before. A patient one
// goes on waiting when the index fails.
type ticket struct {
	done    chan struct{}
	patient bool
}

func newFollower(c *Catalog, index indexer.Index, schema *indexer.Schema) *follower {
	return &follower{
		registry: c.registry, store: c.store, index: index, schema: schema, logger: c.logger, written: &c.written,
	}
}

// followerPrefix names the indexes that a store knows.
const followerPrefix = "search-index/"

// position is the cursor as the index keeps it: with the name under which the
// store knows the index, so that neither is taken for another's.
type position struct{ index, cursor string }

func (p position) String() string { return p.index + " " + p.cursor }

func parsePosition(text string) position {
	index, cursor, _ := strings.Cut(text, " ")
	return position{index, cursor}
}

// run follows until the context ends.
func (f *follower) run(ctx context.Context) {
	f.mu.Lock()
	f.lifetime = ctx
	f.mu.Unlock()
	f.started.Store(true)
	defer f.started.Store(false)
	wait := retryFirst
	for ctx.Err() == nil {
		err := safely.Do(func() error { return f.follow(ctx, func() { wait = retryFirst }) })
		if ctx.Err() != nil {
			break
		}
		f.fail(ctx, err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, retryMost)
	}
	f.builds.Wait()
	f.release(f.tickets())
}

func (f *follower) fail(ctx context.Context, err error) {
	f.logger.WarnContext(ctx, "the search index cannot follow; trying again", "error", err)
	message := "the search index cannot be written"
	switch {
	case errors.Is(err, indexer.ErrUnavailable):
		message = "the search index is not available"
	case errors.Is(err, graphstore.ErrUnavailable):
		message = "the graph store is not available"
	}
	f.note(func(s *IndexStatus) { s.Failure = message })
}

// follow applies changes until something fails. ok is called after each
// success.
func (f *follower) follow(ctx context.Context, ok func()) error {
	if err := f.prepare(ctx); err != nil {
		return err
	}
	f.following.Store(true)
	defer f.following.Store(false)
	for {
		written := f.written.wait() // before reading, so that no write is missed
		tickets := f.tickets()
		more, err := f.step(ctx)
		if err != nil {
			f.keepPatient(tickets)
			return err
		}
		ok()
		if more {
			f.keep(tickets)
			continue
		}
		f.release(tickets)
		if err := f.pause(ctx, written); err != nil {
			return err
		}
	}
}

// prepare builds the index when it is new, or another store's, or made by
// another model.
func (f *follower) prepare(ctx context.Context) error {
	at, err := f.stored(ctx)
	if err != nil {
		return err
	}
	known, err := f.store.LoadCursor(ctx, followerPrefix+at.index)
	if err != nil {
		return err
	}
	if at.index == "" || known == "" {
		return f.rebuild(ctx)
	}
	f.setCursor(at.cursor)
	return nil
}

func (f *follower) stored(ctx context.Context) (position, error) {
	text, err := f.index.Cursor(ctx)
	return parsePosition(text), err
}

func (f *follower) setCursor(cursor string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cursor = cursor
}

// step applies the next changes, and reports whether there may be more.
func (f *follower) step(ctx context.Context) (more bool, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	at, err := f.stored(ctx)
	if err != nil {
		return false, err
	}
	changes, next, err := f.store.Changes(ctx, at.cursor, followBatch)
	if err != nil {
		return false, err
	}
	if len(changes) > 0 {
		if err := f.apply(ctx, f.index, changes, position{at.index, next}); err != nil {
			return false, err
		}
		f.setCursor(next)
	}
	f.note(func(s *IndexStatus) { s.Failure = "" })
	return len(changes) == followBatch, nil
}

// apply brings the documents of the entities that changed up to date.
func (f *follower) apply(ctx context.Context, into indexer.Writer, changes []graphstore.Change, at position) error {
	batch, err := f.project(ctx, f.touched(changes))
	if err != nil {
		return err
	}
	batch.Cursor = at.String()
	if err := into.Write(ctx, batch); err != nil {
		return err
	}
	f.note(func(s *IndexStatus) { s.Documents += int64(len(batch.Put) + len(batch.Delete)) })
	return nil
}

// touched lists the entities whose documents the changes may alter, each once.
func (f *follower) touched(changes []graphstore.Change) []string {
	seen := map[string]bool{}
	var urns []string
	for i := range changes {
		c := &changes[i]
		if seen[c.URN] || c.Kind == graphstore.ChangeRestate || !f.schema.Fills(c.EntityType, c.Aspect) && c.Kind != graphstore.ChangeDelete {
			continue
		}
		seen[c.URN] = true
		urns = append(urns, c.URN)
	}
	return urns
}

// pause waits for the next write, of this process or of another.
func (f *follower) pause(ctx context.Context, written <-chan struct{}) error {
	poll := time.NewTimer(changePoll)
	defer poll.Stop()
	select {
	case <-written:
	case <-poll.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// tickets takes over everybody who waits. What they wait for was committed
// before, so that the next reading of the log includes it.
func (f *follower) tickets() []ticket {
	f.mu.Lock()
	defer f.mu.Unlock()
	waiting := f.waiting
	f.waiting = nil
	return waiting
}

func (f *follower) keep(tickets []ticket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, tickets...)
}

func (f *follower) release(tickets []ticket) {
	for _, t := range tickets {
		close(t.done)
	}
}

// keepPatient is for when the index fails.
func (f *follower) keepPatient(tickets []ticket) {
	for _, t := range tickets {
		if t.patient {
			f.keep([]ticket{t})
		} else {
			close(t.done)
		}
	}
}

// await returns when the index holds everything that was committed before the
// call, or with the context's error. Unless the caller is patient it also
// returns when the index fails.
func (f *follower) await(ctx context.Context, patient bool) error {
	t := ticket{make(chan struct{}), patient}
	f.keep([]ticket{t})
	f.written.signal()
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rebuild makes the index anew beside the one that serves, then lets it take
// its place.
func (f *follower) rebuild(ctx context.Context) error {
	f.rebuilding.Lock()
	defer f.rebuilding.Unlock()
	return f.rebuildNow(ctx)
}

// rebuildNow is for the holder of rebuilding.
func (f *follower) rebuildNow(ctx context.Context) error {
	began := time.Now()
	f.note(func(s *IndexStatus) {
		s.Building, s.Done, s.Total, s.BuildFailure = true, 0, 0, ""
		s.Builds++
	})
	build, err := f.index.Rebuild(ctx)
	if err == nil {
		err = f.fill(ctx, build)
		err = errors.Join(err, build.Abandon())
	}
	f.note(func(s *IndexStatus) {
		s.Building = false
		if err != nil {
			s.BuildFailure = MessageOf(indexFailure(err))
		}
	})
	if err == nil {
		f.logger.InfoContext(ctx, "search index built", "seconds", time.Since(began).Seconds())
	}
	return err
}

func (f *follower) note(change func(*IndexStatus)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.status)
}

// fill writes every entity, then what changed meanwhile, and swaps.
func (f *follower) fill(ctx context.Context, build indexer.Build) error {
	at := position{index: strings.ToLower(rand.Text())}
	var err error
	if at.cursor, err = f.store.EndCursor(ctx); err != nil {
		return err
	}
	if err := f.store.SaveCursor(ctx, followerPrefix+at.index, at.cursor); err != nil {
		return err
	}
	if err := f.scan(ctx, build); err != nil {
		return err
	}
	if at, err = f.catchUp(ctx, build, at); err != nil {
		return err
	}
	// The last changes, while nobody else applies any.
	f.applying.Lock()
	defer f.applying.Unlock()
	if at, err = f.catchUp(ctx, build, at); err != nil {
		return err
	}
	if err := build.Write(ctx, indexer.Batch{Cursor: at.String()}); err != nil {
		return err
	}
	if err := build.Swap(ctx); err != nil {
		return err
	}
	f.setCursor(at.cursor)
	return nil
}

// catchUp applies the changes after a position, to the end of the log.
func (f *follower) catchUp(ctx context.Context, build indexer.Build, at position) (position, error) {
	for {
		changes, next, err := f.store.Changes(ctx, at.cursor, followBatch)
		if err != nil || len(changes) == 0 {
			return at, err
		}
		at.cursor = next
		if err := f.apply(ctx, build, changes, at); err != nil || len(changes) < followBatch {
			return at, err
		}
	}
}

// scan writes the documents of all entities. The next page is projected while
// the one before is written.
func (f *follower) scan(ctx context.Context, build indexer.Build) error {
	total, err := f.countEntities(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type page struct {
		batch indexer.Batch
		urns  int
		err   error
	}
	pages := make(chan page, 1)
	go func() {
		defer close(pages)
		err := safely.Do(func() error {
			for after := ""; ; {
				urns, err := f.store.ScanEntities(ctx, after, followBatch)
				if err != nil || len(urns) == 0 {
					return err
				}
				after = urns[len(urns)-1]
				batch, err := f.project(ctx, urns)
				if err != nil {
					return err
				}
				pages <- page{batch: batch, urns: len(urns)}
			}
		})
		if err != nil {
			pages <- page{err: err}
		}
	}()
	var done int64
	for p := range pages {
		err := p.err
		if err == nil {
			err = build.Write(ctx, p.batch)
		}
		if err != nil {
			cancel()
			for range pages { // let the other goroutine end
			}
			return err
		}
		done += int64(p.urns)
		f.note(func(s *IndexStatus) { s.Done, s.Total = done, max(total, done) })
	}
	return nil
}

func (f *follower) countEntities(ctx context.Context) (int64, error) {
	var total int64
	for _, e := range f.registry.Entities() {
		_, n, err := f.store.ListEntities(ctx, e.Name, graphstore.Page{})
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
