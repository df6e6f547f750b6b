package changelog

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
)

// These bound the pages that followers of the change log share: the number of pages in memory,
// the size of a page, and the time of reading a page.
const (
	keptPages      = 4
	keptPageBytes  = 2 * limits.MaxChangePageBytes
	sharedPatience = 30 * time.Second
)

// sharedLog reads the change log for followers. Followers that ask for the same page at the
// same time share it: most of them are at the end of the log and wait for the same change.
type sharedLog struct {
	log  *Log
	lane *graphstore.Lane
	from readChanges

	mu sync.Mutex
	// pages are the newest pages, in the order in which they were asked for.
	pages []*sharedPage
}

// sharedPage is a page that was read, or is being read, for all followers that ask for it.
type sharedPage struct {
	from  string
	limit int
	// began is the moment at which the reading of the page began.
	began logMoment
	done  chan struct{}
	// These are set before done is closed.
	changes []graphstore.Change
	next    string
	err     error
}

// logMoment is a moment of the log. A page of that moment or later contains all writes of this
// process until then, and all writes of other processes until the last tick.
type logMoment struct {
	writes uint64
	tick   time.Duration
}

// moment returns the present moment.
func (l *Log) moment() logMoment {
	return logMoment{writes: l.writes.Count(), tick: time.Since(l.began) / catalog.ChangePoll}
}

// untilTick returns the time until the next tick. All followers have the same ticks.
func (l *Log) untilTick() time.Duration {
	return catalog.ChangePoll - time.Since(l.began)%catalog.ChangePoll
}

// read returns a page of the log as of a moment or later. Other callers use the same changes,
// so they must not be modified.
func (s *sharedLog) read(ctx context.Context, from string, limit int, since logMoment) ([]graphstore.Change, string, error) {
	page := s.page(ctx, from, limit, since)
	select {
	case <-page.done:
		return page.changes, page.next, page.err
	case <-ctx.Done():
		return nil, from, catalog.StoreFailure(ctx.Err())
	}
}

// page returns a page that serves the moment, or starts to read a new one.
func (s *sharedLog) page(ctx context.Context, from string, limit int, since logMoment) *sharedPage {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pages {
		if p.from == from && p.limit == limit && p.serves(since) {
			return p
		}
	}
	p := &sharedPage{from: from, limit: limit, began: s.log.moment(), done: make(chan struct{}), next: from}
	s.drop(func(other *sharedPage) bool { return other.from == from && other.limit == limit })
	if len(s.pages) == keptPages {
		s.pages = slices.Delete(s.pages, 0, 1)
	}
	s.pages = append(s.pages, p)
	err := s.log.run("reading the change log", func(stopped context.Context) {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // other callers may still wait for the page when this caller leaves
		defer cancel()
		defer context.AfterFunc(stopped, cancel)()
		s.fill(ctx, p)
	})
	if err != nil {
		p.err = err
		close(p.done)
	}
	return p
}

func (s *sharedLog) drop(which func(*sharedPage) bool) { s.pages = slices.DeleteFunc(s.pages, which) }

// serves reports whether a page shows the log as of a moment. The changes after a cursor always
// stay the same; only the end of the log moves.
func (p *sharedPage) serves(since logMoment) bool {
	select {
	case <-p.done:
		if p.err != nil || len(p.changes) > 0 {
			return p.err == nil
		}
	default:
	}
	return p.began.writes >= since.writes && p.began.tick >= since.tick
}

// fill reads a page and closes done.
func (s *sharedLog) fill(ctx context.Context, p *sharedPage) {
	ctx, cancel := context.WithTimeout(ctx, sharedPatience)
	defer cancel()
	p.err = safely.Do(func() (err error) {
		p.changes, p.next, err = changesInLane(ctx, s.lane, s.from, p.from, p.limit)
		return err
	})
	close(p.done)
	if pageBytes(p.changes) > keptPageBytes {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drop(func(other *sharedPage) bool { return other == p })
	}
}

func pageBytes(changes []graphstore.Change) int {
	sum := 0
	for i := range changes {
		sum += len(changes[i].Value) + len(changes[i].Previous)
	}
	return sum
}
