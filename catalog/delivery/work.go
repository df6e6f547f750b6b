package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
)

// progress is what this server knows of a follower beyond its record.
type progress struct {
	mu      sync.Mutex
	failure string
	since   int64
}

func (p *progress) fail(err error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure == "" {
		p.since = now.UnixMilli()
	}
	p.failure = catalog.Clip(err.Error(), maxFailure)
}

func (p *progress) succeed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failure, p.since = "", 0
}

func (p *progress) now() (failure string, since int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure, p.since
}

// maxFailure is how many bytes of a failure are kept.
const maxFailure = 500

func (s *Service) enter(name string) *progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &progress{}
	s.running[name] = p
	return p
}

func (s *Service) leave(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, name)
}

// page is a page of the log, read and prepared while the one before it is delivered.
type page struct {
	Batch
	err error
}

// run is one time that this server delivers to a follower.
type run struct {
	*hold
	worker   *Worker
	progress *progress
	// unsaved: the cursor has moved since savedAt.
	unsaved bool
	savedAt time.Time
	// late: another server may have delivered before this one delivered something older.
	late bool
}

// work delivers until the context ends or the follower is taken over or removed.
func (s *Service) work(ctx context.Context, w *Worker, h *hold, p *progress) error {
	r := &run{hold: h, worker: w, progress: p, savedAt: time.Now()}
	during, cancel := s.presence.while(ctx)
	defer cancel()
	pages, ready := make(chan page), make(chan page)
	if w.Send != nil {
		ready = make(chan page, mostTogether)
	}
	var ahead sync.WaitGroup
	ahead.Go(func() { s.read(during, w, h.Cursor, h.Term, pages) })
	ahead.Go(func() { prepareAll(during, pages, ready) })
	err := r.deliverAll(during, ready)
	cancel()
	ahead.Wait()
	if r.late {
		s.repair(ctx, h)
	}
	if errors.Is(err, ErrRemoved) || errors.Is(err, errReplaced) {
		return err
	}
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), s.lease/renewals)
	defer stop()
	released := h.release(last)
	if released != nil && !errors.Is(released, ErrRemoved) {
		s.repair(ctx, h)
	}
	return errors.Join(err, released)
}

// repair restores the order after this server may have delivered late: what came after that
// is delivered again by whoever does it now.
func (s *Service) repair(ctx context.Context, h *hold) {
	for wait := catalog.RetryFirst; ; wait = min(2*wait, catalog.RetryMost) {
		attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.lease/renewals)
		err := h.setBack(attempt)
		cancel()
		if err == nil {
			return
		}
		s.logger.WarnContext(ctx, "changes may have been delivered late, and those after them cannot be delivered again yet", "follower", h.name, "error", err)
		if errors.Is(err, graphstore.ErrBadCursor) || !pause(ctx, wait) { // which a lost one is too
			return
		}
	}
}

// read reads pages ahead of their delivery. A page without changes tells that time has passed.
func (s *Service) read(ctx context.Context, w *Worker, from string, term int64, pages chan<- page) {
	next := w.Read
	if next == nil {
		next = s.changesFor(w)
	}
	for {
		var p page
		p.err = safely.Do(func() (err error) {
			p.Batch, err = next(ctx, Position{Cursor: from, Term: term}, w.Page, saveEvery)
			return err
		})
		from = p.Next
		select {
		case pages <- p:
		case <-ctx.Done():
			return
		}
		if p.err != nil {
			return
		}
	}
}

// changesFor reads the changes of the catalog that a worker wants.
func (s *Service) changesFor(w *Worker) func(context.Context, Position, int, time.Duration) (Batch, error) {
	return func(ctx context.Context, after Position, limit int, patience time.Duration) (Batch, error) {
		if w.Wants != nil {
			heads, next, err := s.log.FollowChangeHeads(ctx, after.Cursor, limit, patience)
			if err != nil || len(heads) == 0 {
				return Batch{Next: next}, err
			}
			wanted, err := w.Wants(ctx, heads)
			if err != nil || !wanted {
				return Batch{Changes: len(heads), Next: next, Deliver: func(context.Context) error { return nil }}, err
			}
		}
		changes, next, err := s.log.FollowChanges(ctx, after.Cursor, limit, patience)
		return w.batch(changes, next), err
	}
}

// batch is changes to deliver.
func (w *Worker) batch(changes []catalog.Change, next string) Batch {
	b := Batch{Changes: len(changes), Next: next}
	switch {
	case len(changes) == 0:
	case w.Send != nil:
		b.parcel = &parcel{prepare: func(ctx context.Context) (any, error) { return w.Prepare(ctx, changes) }}
	default:
		b.Deliver = func(ctx context.Context) error { return w.Deliver(ctx, changes) }
	}
	return b
}

// parcel is changes that are prepared before they are sent.
type parcel struct {
	prepare  func(ctx context.Context) (any, error)
	prepared any
	ready    bool
}

// make prepares the parcel, unless that was done.
func (p *parcel) make(ctx context.Context) error {
	if p.ready {
		return nil
	}
	return safely.Do(func() (err error) {
		p.prepared, err = p.prepare(ctx)
		p.ready = err == nil
		return err
	})
}

// prepareAll passes pages on when they are prepared. What cannot be prepared is tried again
// when it is to be sent.
func prepareAll(ctx context.Context, pages <-chan page, ready chan<- page) {
	for {
		var p page
		select {
		case p = <-pages:
		case <-ctx.Done():
			return
		}
		if p.parcel != nil {
			_ = p.parcel.make(ctx) // told when it is tried again
		}
		select {
		case ready <- p:
		case <-ctx.Done():
			return
		}
	}
}

func (r *run) deliverAll(ctx context.Context, ready <-chan page) error {
	for {
		select {
		case p := <-ready:
			var failure error
			if r.worker.Send != nil {
				p, failure = r.together(p, ready)
			}
			if p.err != nil {
				return p.err
			}
			if err := r.deliverPage(ctx, p); err != nil {
				return err
			}
			if failure != nil {
				return failure
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// together joins a page with those after it that are ready, up to one that could not be read,
// whose error it returns. A full page waits a moment for others: there probably are some.
func (r *run) together(p page, ready <-chan page) (joined page, failure error) {
	if p.err != nil {
		return p, nil
	}
	joined = p
	parcels := []*parcel{p.parcel}
	moment := time.NewTimer(gather)
	defer moment.Stop()
	for len(parcels) < mostTogether {
		var wait <-chan time.Time
		if p.Changes >= r.worker.Page && len(parcels) < fewTogether {
			wait = moment.C
		}
		var found bool
		if p, found = nextReady(ready, wait); !found {
			break
		}
		if p.err != nil {
			failure = p.err
			break
		}
		joined.Changes, joined.Next = joined.Changes+p.Changes, p.Next
		parcels = append(parcels, p.parcel)
	}
	joined.Deliver = func(ctx context.Context) error { return r.worker.send(ctx, parcels) }
	return joined, failure
}

// nextReady returns the next page if it is ready or, unless wait is nil, is so before wait.
func nextReady(ready <-chan page, wait <-chan time.Time) (next page, ok bool) {
	select {
	case next = <-ready:
		return next, true
	default:
	}
	if wait == nil {
		return page{}, false
	}
	select {
	case next = <-ready:
		return next, true
	case <-wait:
		return page{}, false
	}
}

// send sends parcels. A page from which nothing is sent has none.
func (w *Worker) send(ctx context.Context, parcels []*parcel) error {
	var prepared []any
	for _, p := range parcels {
		if p == nil {
			continue
		}
		if err := p.make(ctx); err != nil {
			return err
		}
		prepared = append(prepared, p.prepared)
	}
	if prepared == nil {
		return nil
	}
	return w.Send(ctx, prepared)
}

// deliverPage delivers a page, as often as it takes, and saves the cursor if it is time to.
func (r *run) deliverPage(ctx context.Context, p page) error {
	if p.Changes > 0 {
		if delivered, err := r.insist(ctx, p.Deliver); err != nil || !delivered {
			return err
		}
		r.Delivered += int64(p.Changes)
	}
	if p.Next != r.Cursor { // also past what only replicas are told
		r.Cursor, r.unsaved = p.Next, true
	}
	switch {
	case r.lapsed():
		return r.confirm(ctx)
	case !r.unsaved && r.tookOver:
		return r.look(ctx)
	case !r.unsaved || time.Since(r.savedAt) < saveEvery:
		return nil
	}
	return r.saveNow(ctx)
}

// confirm makes sure that no other server has taken over, if one may have.
func (r *run) confirm(ctx context.Context) error {
	if !r.lapsed() {
		return nil
	}
	lapses, _ := r.service.presence.lapsed()
	if err := r.saveNow(ctx); err != nil {
		r.late = true
		return err
	}
	r.lapses = lapses
	return nil
}

func (r *run) saveNow(ctx context.Context) error {
	r.Failure, r.FailedSince = r.progress.now()
	err := r.save(ctx)
	r.unsaved, r.savedAt = err != nil, time.Now()
	r.late = errors.Is(err, errReplaced) // this server's clock may have stood still too
	return err
}

// insist delivers until that succeeds, or the context ends. Each failure is noted, so that a
// follower that was removed or taken over meanwhile is noticed.
func (r *run) insist(ctx context.Context, deliver func(context.Context) error) (delivered bool, err error) {
	for wait := catalog.RetryFirst; ; wait = min(2*wait, catalog.RetryMost) {
		if err := r.confirm(ctx); err != nil {
			return false, err
		}
		err := safely.Do(func() error { return deliver(ctx) })
		if err == nil {
			r.progress.succeed()
			return true, nil
		}
		if ctx.Err() != nil {
			return false, nil //nolint:nilerr // the server stops, or was replaced
		}
		r.progress.fail(err, r.service.now())
		r.service.logger.WarnContext(ctx, "changes cannot be delivered; trying again", "follower", r.worker.Name, "error", err)
		if err := r.saveNow(ctx); err != nil {
			return false, err
		}
		if !pause(ctx, wait) {
			return false, nil
		}
	}
}
