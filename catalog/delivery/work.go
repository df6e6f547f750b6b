package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
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

// page is a page of the log, read while the one before it is delivered.
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
}

// work delivers until the context ends or the follower is taken over or removed.
func (s *Service) work(ctx context.Context, w *Worker, h *hold, p *progress) error {
	r := &run{hold: h, worker: w, progress: p, savedAt: time.Now()}
	during, cancel := s.presence.while(ctx)
	defer cancel()
	pages := make(chan page)
	var reading sync.WaitGroup
	reading.Go(func() { s.read(during, w, h.Cursor, h.Term, pages) })
	err := r.deliverAll(during, pages)
	cancel()
	reading.Wait()
	if errors.Is(err, ErrRemoved) || errors.Is(err, errReplaced) {
		return err
	}
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), s.lease/renewals)
	defer stop()
	return errors.Join(err, h.release(last))
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

// changesFor reads the changes of the catalog.
func (s *Service) changesFor(w *Worker) func(context.Context, Position, int, time.Duration) (Batch, error) {
	return func(ctx context.Context, after Position, limit int, patience time.Duration) (Batch, error) {
		changes, next, err := s.log.FollowChanges(ctx, after.Cursor, limit, patience)
		return Batch{
			Changes: len(changes), Next: next,
			Deliver: func(ctx context.Context) error { return w.Deliver(ctx, changes) },
		}, err
	}
}

func (r *run) deliverAll(ctx context.Context, pages <-chan page) error {
	for {
		select {
		case p := <-pages:
			if p.err != nil {
				return p.err
			}
			if err := r.deliverPage(ctx, p); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
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
	if !r.unsaved || time.Since(r.savedAt) < saveEvery {
		return nil
	}
	return r.saveNow(ctx)
}

func (r *run) saveNow(ctx context.Context) error {
	r.Failure, r.FailedSince = r.progress.now()
	err := r.save(ctx)
	r.unsaved, r.savedAt = err != nil, time.Now()
	return err
}

// insist delivers until that succeeds, or the context ends. Each failure is noted, so that a
// follower that was removed or taken over meanwhile is noticed.
func (r *run) insist(ctx context.Context, deliver func(context.Context) error) (delivered bool, err error) {
	for wait := catalog.RetryFirst; ; wait = min(2*wait, catalog.RetryMost) {
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
