package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/safely"
)

// progress is the state of a follower that this server has besides the record.
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
	p.failure = clip.Text(err.Error(), maxFailure)
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

// maxFailure bounds the length of a failure, in bytes.
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

// page is a page of the log. A page is read and prepared while the page before it is delivered.
type page struct {
	Batch
	err error
}

// run is a period in which this server delivers to a follower.
type run struct {
	*hold
	worker   *Worker
	progress *progress
	// together is the number of pages that may be sent together.
	together int
	// unsaved tells that the cursor has moved since savedAt.
	unsaved bool
	savedAt time.Time
	// late tells that another server may have delivered later changes before this server delivered
	// earlier changes.
	late bool
}

// work delivers until the context ends, or until the follower is taken over or removed.
func (s *Service) work(ctx context.Context, w *Worker, h *hold, p *progress) error {
	r := &run{hold: h, worker: w, progress: p, together: 1, savedAt: time.Now()}
	during, cancel := s.presence.while(ctx)
	defer cancel()
	pages, ready := make(chan page), make(chan page, w.waiting())
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

// repair restores the order after this server may have delivered late. repair makes the server
// that now delivers repeat the changes that follow the late changes.
func (s *Service) repair(ctx context.Context, h *hold) {
	for wait := catalog.RetryFirst; ; wait = min(2*wait, catalog.RetryMost) {
		attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.lease/renewals)
		err := h.setBack(attempt)
		cancel()
		if err == nil {
			return
		}
		s.logger.WarnContext(ctx, "changes may have been delivered late, and those after them cannot be delivered again yet", "follower", h.name, "error", err)
		if errors.Is(err, graphstore.ErrBadCursor) || !pause(ctx, wait) { // ErrLostCursor is an ErrBadCursor too
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
			p.Batch, err = next(ctx, Position{Cursor: from, Term: term}, w.Page, s.saveEvery)
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

// changesFor returns a function that reads the changes that a worker wants.
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

// batch returns a batch of changes.
func (w *Worker) batch(changes []catalog.Change, next string) Batch {
	b := Batch{Changes: len(changes), Next: next}
	switch {
	case len(changes) == 0:
	case w.Prepare != nil:
		b.ahead = &ahead{prepare: func(ctx context.Context) (Sending, error) { return w.Prepare(ctx, changes) }}
		b.Deliver = b.ahead.deliver
	default:
		b.Deliver = func(ctx context.Context) error { return w.Deliver(ctx, changes) }
	}
	return b
}

// deliverPage delivers a page, and repeats that until it succeeds.
func (r *run) deliverPage(ctx context.Context, p page) error {
	if p.err != nil {
		return p.err
	}
	if p.Changes > 0 {
		if delivered, err := r.insist(ctx, p.Deliver); err != nil || !delivered {
			return err
		}
	}
	return r.passed(ctx, p)
}

// passed moves the cursor past a delivered page, and saves the cursor if that is due.
func (r *run) passed(ctx context.Context, p page) error {
	r.Delivered += int64(p.Changes)
	if p.Next != r.Cursor { // the cursor also moves past notes, which only replicas read
		r.Cursor, r.unsaved = p.Next, true
	}
	switch {
	case r.lapsed():
		return r.confirm(ctx)
	case !r.unsaved && r.tookOver:
		return r.look(ctx)
	case !r.unsaved || time.Since(r.savedAt) < r.service.saveEvery:
		return nil
	}
	return r.saveNow(ctx)
}

// confirm does nothing unless the renewals of this server came so late that another server may have
// taken over the follower. Then confirm saves the state, and saving fails if another server has
// taken over.
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
	r.late = errors.Is(err, errReplaced) // the clock of this server may have stood still too
	return err
}

// insist repeats deliver until it succeeds, or the context ends. insist saves each failure, and
// so notices that the follower was removed or taken over.
func (r *run) insist(ctx context.Context, deliver func(context.Context) error) (delivered bool, err error) {
	for wait := catalog.RetryFirst; ; wait = min(2*wait, catalog.RetryMost) {
		if err := r.confirm(ctx); err != nil {
			return false, err
		}
		began := time.Now()
		err := safely.Do(func() error { return deliver(ctx) })
		r.learn(began, err)
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
