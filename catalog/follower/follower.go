package follower

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

// followBatch is how many changes are read at once.
const (
	followBatch = 1000
)

// Store is what a follower reads of the graph, and where it registers.
type Store interface {
	graphstore.ChangeLog
	Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
	ScanEntities(ctx context.Context, after string, limit int) ([]string, error)
}

// Follower keeps the search index in step with the store. It reads the change
// log from a cursor that the index itself stores, and reads the entities named
// there again: applying a change twice, or late, does no harm.
type Follower struct {
	registry *model.Registry
	store    Store
	index    indexer.Index
	schema   *indexer.Schema
	logger   *slog.Logger
	written  *catalog.Broadcast

	// applying is held while changes are applied and while a rebuilt index
	// takes the place of the old one.
	applying sync.Mutex
	// rebuilding is held during a rebuild.
	rebuilding sync.Mutex
	builds     sync.WaitGroup

	mu      sync.Mutex
	waiting []ticket
	status  Status
	started atomic.Bool
	// following: changes are being applied as they arrive, so waiting for them
	// is short.
	following atomic.Bool
	// lifetime is the context of run.
	lifetime context.Context
	// cursor is the position of the index, "" until that is known.
	cursor string
	// repairs are the entities whose documents must be written again.
	repairs map[string]bool
	now     func() time.Time
	// applied is called with every change, after the index has it.
	applied func([]graphstore.Change)
	// fresh: every write waits until the index has it.
	fresh bool
}

// Status is the state of the search index.
type Status struct {
	// Building: the index is being rebuilt, and has Done of about Total
	// entities so far.
	Building    bool
	Done, Total int64
	// Builds counts the builds that were started; BuildFailure is the failure
	// of the last one.
	Builds       int64
	BuildFailure string
	// Failure is the last failure since the index was last up to date.
	Failure string
	// Reason is why the last build was started. Broken is why the index must be
	// rebuilt, "" if it need not be.
	Reason, Broken string
	// Documents counts the documents written and deleted since the start.
	Documents int64
	// Refused are the documents that the engine does not take now, RefusedEver
	// counts all refusals since the start.
	Refused     Refusals
	RefusedEver int64
}

// Options are what a follower follows, and where it writes.
type Options struct {
	Catalog *catalog.Catalog
	Store   Store
	Index   Index
	Schema  *indexer.Schema
	Now     func() time.Time
	Logger  *slog.Logger
}

// New makes the follower of a catalog's writes. It does nothing before
// Follow.
func New(o Options) *Follower {
	f := &Follower{
		registry: o.Catalog.Registry(), store: o.Store, index: o.Index.Index, schema: o.Schema, logger: o.Logger,
		written: o.Catalog.Written(), repairs: map[string]bool{}, now: o.Now, applied: o.Catalog.QueuePathUpdates, fresh: o.Index.Fresh,
	}
	if o.Index.Damage != "" {
		f.status.Broken = reasonFound + ": " + catalog.Clip(o.Index.Damage, maxReason)
	}
	return f
}

// position is the cursor as the index stores it, with the name under which the
// store knows the index, so that neither is mistaken for that of another index,
// and with the documents that are set aside.
type position struct {
	index, cursor string
	refused       Refusals
}

// positionFormat begins the text of a position. Positions of earlier releases
// did not identify their changes; they count as no position.
const positionFormat = "2 "

func (p *position) String() string {
	return positionFormat + p.index + " " + p.cursor + p.refused.encode()
}

func parsePosition(text string) position {
	rest, ok := strings.CutPrefix(text, positionFormat)
	if !ok {
		return position{}
	}
	var p position
	p.index, rest, _ = strings.Cut(rest, " ")
	p.cursor, rest, _ = strings.Cut(rest, " ")
	if rest != "" && json.Unmarshal([]byte(rest), &p.refused) != nil {
		return position{}
	}
	return p
}

// run follows until the context ends.
func (f *Follower) run(ctx context.Context) {
	f.mu.Lock()
	f.lifetime = ctx
	f.mu.Unlock()
	f.started.Store(true)
	defer f.started.Store(false)
	wait := catalog.RetryFirst
	for ctx.Err() == nil {
		err := safely.Do(func() error { return f.follow(ctx, func() { wait = catalog.RetryFirst }) })
		if ctx.Err() != nil {
			break
		}
		f.fail(ctx, err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, catalog.RetryMost)
	}
	f.builds.Wait()
	f.release(f.tickets())
}

func (f *Follower) fail(ctx context.Context, err error) {
	f.logger.WarnContext(ctx, "the search index cannot be updated; trying again", "error", err)
	message := "the search index cannot be written"
	switch {
	case errors.Is(err, indexer.ErrUnavailable):
		message = "the search index is not available"
	case errors.Is(err, graphstore.ErrUnavailable):
		message = "the graph store is not available"
	}
	f.updateStatus(func(s *Status) { s.Failure = message })
}

// follow applies changes until something fails. It calls ok after each success.
func (f *Follower) follow(ctx context.Context, ok func()) error {
	reason, err := f.unfit(ctx)
	if err == nil && reason != "" {
		err = f.heal(ctx, reason)
	}
	if err != nil {
		return err
	}
	var tended time.Time
	defer f.following.Store(false)
	for {
		f.following.Store(true)
		written := f.written.Wait() // before reading, so that no write is missed
		tickets := f.tickets()
		more, err := f.pass(ctx, tickets)
		if reason := remedyOf(err); reason != "" {
			f.keepPatient(forgetTargets(tickets)) // a build may take long
			if err := f.heal(ctx, reason); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			f.keepPatient(tickets)
			return err
		}
		if now := f.now(); now.Sub(tended) >= tendEvery || now.Before(tended) {
			if err := f.tend(ctx); err != nil {
				return err
			}
			tended = now
		}
		ok()
		if more {
			continue
		}
		if err := f.pause(ctx, written); err != nil {
			return err
		}
	}
}

// pass applies the next changes and answers the callers who wait for them.
func (f *Follower) pass(ctx context.Context, tickets []ticket) (more bool, err error) {
	if f.broken() != "" { // a search has found damage
		return false, indexer.ErrDamaged
	}
	if err := f.aim(ctx, tickets); err != nil {
		return false, err
	}
	at, more, err := f.applyNext(ctx)
	if err != nil {
		return false, err
	}
	return more, f.answer(tickets, at)
}

// stored reads the position from the index.
func (f *Follower) stored(ctx context.Context) (position, error) {
	text, err := f.index.Cursor(ctx)
	if err != nil {
		return position{}, err
	}
	at := parsePosition(text)
	if at.index == "" {
		return at, errNoPosition
	}
	return at, nil
}

func (f *Follower) setCursor(cursor string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cursor = cursor
}

// applyNext applies the next changes. It returns the position after them, and
// whether there may be more.
func (f *Follower) applyNext(ctx context.Context) (cursor string, more bool, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	at, err := f.stored(ctx)
	if err != nil {
		return "", false, err
	}
	if err := f.repairNow(ctx, &at); err != nil {
		return "", false, err
	}
	changes, next, err := f.store.Changes(ctx, at.cursor, followBatch)
	if err != nil {
		return "", false, err
	}
	if len(changes) > 0 {
		at.cursor = next
		if err := f.apply(ctx, f.index, changes, &at); err != nil {
			return "", false, err
		}
		f.applied(changes)
	}
	f.setCursor(at.cursor)
	f.updateStatus(func(s *Status) { s.Failure, s.Refused = "", at.refused })
	return at.cursor, len(changes) > 0, nil // a page may be small because its values are large
}

// apply brings the documents of the entities that changed up to date.
func (f *Follower) apply(ctx context.Context, into indexer.Writer, changes []graphstore.Change, at *position) error {
	batch, err := f.project(ctx, f.entitiesToProject(changes))
	if err != nil {
		return err
	}
	return f.write(ctx, into, batch, at)
}

// entitiesToProject lists the entities whose documents the changes may alter, each once.
func (f *Follower) entitiesToProject(changes []graphstore.Change) []string {
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
func (f *Follower) pause(ctx context.Context, written <-chan struct{}) error {
	poll := time.NewTimer(catalog.ChangePoll)
	defer poll.Stop()
	select {
	case <-written:
	case <-poll.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// rebuildNow builds a new index beside the one in use, and then replaces that.
// The caller holds rebuilding.
func (f *Follower) rebuildNow(ctx context.Context, reason string) error {
	began := time.Now()
	f.updateStatus(func(s *Status) {
		s.Building, s.Done, s.Total, s.BuildFailure, s.Reason = true, 0, 0, "", reason
		s.Builds++
	})
	build, err := f.index.Rebuild(ctx)
	if err == nil {
		err = f.fill(ctx, build)
		err = errors.Join(err, build.Abandon())
	}
	f.updateStatus(func(s *Status) {
		s.Building = false
		if err != nil {
			s.BuildFailure = catalog.MessageOf(Failure(err))
		} else {
			s.Broken = ""
		}
	})
	if err == nil {
		f.logger.InfoContext(ctx, "search index built", "seconds", time.Since(began).Seconds())
	}
	return err
}

func (f *Follower) updateStatus(change func(*Status)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.status)
}

// fill writes every entity, then what has changed since, and swaps the indexes.
func (f *Follower) fill(ctx context.Context, build indexer.Build) error {
	at := position{index: strings.ToLower(rand.Text())}
	var err error
	if at.cursor, err = f.store.EndCursor(ctx); err != nil {
		return err
	}
	if err := f.scan(ctx, build, &at.refused); err != nil {
		return err
	}
	if err = f.catchUp(ctx, build, &at); err != nil {
		return err
	}
	// These are the last changes: applying is held, so no others are applied
	// meanwhile.
	f.applying.Lock()
	defer f.applying.Unlock()
	if err = f.catchUp(ctx, build, &at); err != nil {
		return err
	}
	if err := build.Write(ctx, indexer.Batch{Cursor: at.String()}); err != nil {
		return err
	}
	if err := f.register(ctx, &at, build.Swap); err != nil {
		return err
	}
	f.setCursor(at.cursor)
	f.updateStatus(func(s *Status) { s.Refused = at.refused })
	return nil
}

// catchUp applies the changes after a position, to the end of the log.
func (f *Follower) catchUp(ctx context.Context, build indexer.Build, at *position) error {
	for {
		changes, next, err := f.store.Changes(ctx, at.cursor, followBatch)
		if err != nil || len(changes) == 0 {
			return err
		}
		at.cursor = next
		if err := f.apply(ctx, build, changes, at); err != nil {
			return err
		}
	}
}

// scan writes the documents of all entities. The next page is projected while
// the one before is written.
func (f *Follower) scan(ctx context.Context, build indexer.Build, refused *Refusals) error {
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
	var at position // an unfinished index has no position
	for p := range pages {
		err := p.err
		if err == nil {
			err = f.write(ctx, build, p.batch, &at)
		}
		if err != nil {
			cancel()
			for range pages { // let the other goroutine end
			}
			return err
		}
		done += int64(p.urns)
		f.updateStatus(func(s *Status) { s.Done, s.Total = done, max(total, done) })
	}
	*refused = at.refused
	return nil
}

func (f *Follower) countEntities(ctx context.Context) (int64, error) {
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
