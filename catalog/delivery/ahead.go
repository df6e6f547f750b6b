package delivery

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/internal/safely"
)

// These are about pages that are sent together, because a destination accepts several pages at
// once with less work than one after the other.
const (
	// mostTogether bounds the pages that are sent together, and the prepared pages that wait until
	// the pages before them are delivered.
	mostTogether = 4
	// gather is the time that a full page waits for further pages, which probably follow.
	gather = 25 * time.Millisecond
	// promptly bounds the time of a delivery after which the next one may have more pages. After a
	// longer delivery, pages are sent one at a time, so that no page fails because of the pages
	// before it.
	promptly = time.Second
)

// waiting returns the number of prepared pages that may wait for the pages before them.
func (w *Worker) waiting() int {
	if w.Prepare == nil {
		return 0
	}
	return mostTogether
}

// ahead is the preparation of a page while changes before it are still being delivered.
type ahead struct {
	prepare func(ctx context.Context) (Sending, error)
	// send is nil until prepare has succeeded.
	send Sending
}

// make prepares the page, unless it is prepared already.
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

// prepareAll prepares pages and passes them on. A page that cannot be prepared is passed on
// too; its delivery prepares it again.
func prepareAll(ctx context.Context, pages <-chan page, ready chan<- page) {
	for {
		var p page
		select {
		case p = <-pages:
		case <-ctx.Done():
			return
		}
		if p.ahead != nil {
			_ = p.ahead.make(ctx) // the delivery will report the error
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

// gather returns a page and the pages after it that may be sent together with it.
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

// sendTogether sends several pages together, once. sendTogether returns the pages that are
// still to be delivered.
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

// sendOnce sends pages one after the other without waiting between them, up to the first page
// that is not prepared. sendOnce returns the number of delivered pages, and the error of the
// first page that failed.
func sendOnce(ctx context.Context, pages []page) (done int, failure error) {
	var waits []func() error
	for i := 0; i < len(pages) && pages[i].sendable() && failure == nil; i++ {
		failure = safely.Do(func() error {
			waits = append(waits, pages[i].ahead.send(ctx))
			return nil
		})
	}
	for _, wait := range waits { // waits for all of them, so that none arrives after the pages that are sent next
		err := safely.Do(wait)
		if failure == nil && err == nil {
			done++
		} else if failure == nil {
			failure = err
		}
	}
	return done, failure
}

// learn decides how many pages may be sent together, from the duration and result of the last
// delivery.
func (r *run) learn(began time.Time, failure error) {
	if failure != nil || time.Since(began) > promptly {
		r.together = 1
	} else {
		r.together = min(2*r.together, mostTogether)
	}
}
