package delivery

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/internal/safely"
)

// These are about pages that are sent together: a destination takes several of them with less work
// than one after the other.
const (
	// mostTogether is how many there are at most, and how many wait until those before them are
	// delivered.
	mostTogether = 4
	// gather is how long a full page waits for others, as there probably are some.
	gather = 25 * time.Millisecond
	// promptly is how long a destination may take that then gets more pages at a time. One that
	// takes longer gets one at a time: no page is to be given up because of those before it.
	promptly = time.Second
)

// waiting is how many pages that are read may wait for those before them.
func (w *Worker) waiting() int {
	if w.Prepare == nil {
		return 0
	}
	return mostTogether
}

// ahead is what is prepared while changes before it are still being delivered.
type ahead struct {
	prepare func(ctx context.Context) (Sending, error)
	// send is nil until that is done.
	send Sending
}

// make prepares, unless that was done.
func (a *ahead) make(ctx context.Context) error {
	if a.send != nil {
		return nil
	}
	return safely.Do(func() (err error) {
		a.send, err = a.prepare(ctx)
		return err
	})
}

func (a *ahead) deliver(ctx context.Context) error {
	if err := a.make(ctx); err != nil {
		return err
	}
	return a.send(ctx)()
}

// prepareAll passes pages on when they are prepared. What cannot be prepared is tried again
// when it is to be delivered.
func prepareAll(ctx context.Context, pages <-chan page, ready chan<- page) {
	for {
		var p page
		select {
		case p = <-pages:
		case <-ctx.Done():
			return
		}
		if p.ahead != nil {
			_ = p.ahead.make(ctx) // told when it is tried again
		}
		select {
		case ready <- p:
		case <-ctx.Done():
			return
		}
	}
}

// sendable reports whether a page is prepared.
func (p *page) sendable() bool { return p.err == nil && p.ahead != nil && p.ahead.send != nil }

func (r *run) deliverAll(ctx context.Context, ready <-chan page) error {
	for {
		select {
		case p := <-ready:
			pages, err := r.sendTogether(ctx, r.gather(p, ready))
			if err != nil {
				return err
			}
			for _, p := range pages {
				if err := r.deliverPage(ctx, p); err != nil || ctx.Err() != nil {
					return err
				}
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// gather returns a page and those after it that may be sent together with it.
func (r *run) gather(p page, ready <-chan page) []page {
	pages := []page{p}
	enough := time.After(gather)
	for len(pages) < r.together && p.sendable() && p.Changes >= r.worker.Page {
		select {
		case p = <-ready:
			pages = append(pages, p)
		case <-enough:
			return pages
		}
	}
	return pages
}

// sendTogether sends pages at a time, once, and returns those that are still to be delivered.
func (r *run) sendTogether(ctx context.Context, pages []page) (rest []page, err error) {
	if len(pages) == 1 || r.lapsed() {
		return pages, nil
	}
	began := time.Now()
	done, failure := sendOnce(ctx, pages)
	r.learn(began, failure)
	for _, p := range pages[:done] {
		if err := r.passed(ctx, p); err != nil {
			return nil, err
		}
	}
	return pages[done:], nil
}

// sendOnce sends pages at a time, up to one that is not prepared. It returns how many were
// delivered, and why the next one was not, if it was sent.
func sendOnce(ctx context.Context, pages []page) (done int, failure error) {
	var waits []func() error
	for i := 0; i < len(pages) && pages[i].sendable() && failure == nil; i++ {
		failure = safely.Do(func() error {
			waits = append(waits, pages[i].ahead.send(ctx))
			return nil
		})
	}
	for _, wait := range waits { // for all, so that none of them arrives after what is sent next
		err := safely.Do(wait)
		if failure == nil && err == nil {
			done++
		} else if failure == nil {
			failure = err
		}
	}
	return done, failure
}

// learn decides how many pages may be sent together, from how long those took that were sent last.
func (r *run) learn(began time.Time, failure error) {
	if failure != nil || time.Since(began) > promptly {
		r.together = 1
	} else {
		r.together = min(2*r.together, mostTogether)
	}
}
