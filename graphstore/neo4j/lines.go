package neo4j

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/turns"
)

// maxGroup is how many updates share a transaction.
const maxGroup = 64

// update is one waiting call of Update.
type update struct {
	ctx  context.Context
	fn   func(graphstore.Tx) error
	done chan error
	// begun: its turn has come.
	begun bool
}

// lines are the queues of updates, one line for each set of entities. Updates that
// wait together in a line share a transaction. Lines take turns on the entities, so
// that this process never waits for its own locks on them.
type lines struct {
	length   int
	patience time.Duration
	turns    *turns.Turns

	mu      sync.Mutex
	waiting int
	of      map[string][]*update
}

func newLines(length int, patience time.Duration) *lines {
	return &lines{length: length, patience: patience, turns: turns.New(0, 0), of: map[string][]*update{}}
}

// enter appends an update to a line, and reports whether the line is new.
func (l *lines) enter(key string, u *update) (first bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting >= l.length {
		return false, fmt.Errorf("%d updates are already waiting: %w", l.length, graphstore.ErrBusy)
	}
	line, served := l.of[key]
	l.of[key] = append(line, u)
	l.waiting++
	return !served, nil
}

// next begins the turns of the updates at the front of a line. It removes an empty
// line.
func (l *lines) next(key string) []*update {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.of[key]
	if len(line) == 0 {
		delete(l.of, key)
		return nil
	}
	n := min(len(line), maxGroup)
	group := slices.Clone(line[:n])
	l.of[key] = slices.Delete(line, 0, n)
	l.waiting -= n
	for _, u := range group {
		u.begun = true
	}
	return group
}

// leave removes an update from its line. It returns false if its turn has begun.
func (l *lines) leave(key string, u *update) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if u.begun {
		return false
	}
	l.of[key] = slices.DeleteFunc(l.of[key], func(other *update) bool { return other == u })
	l.waiting--
	return true
}

// Update runs fn in a transaction, possibly together with other updates of the same
// entities, and again after transient failures.
func (s *Store) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	if s.closed.Load() {
		return graphstore.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	urns = slices.Compact(slices.Sorted(slices.Values(urns)))
	u := &update{ctx: ctx, fn: fn, done: make(chan error, 1)}
	if len(urns) == 0 {
		s.run(urns, []*update{u})
		return <-u.done
	}
	key := strings.Join(urns, "\x00")
	first, err := s.lines.enter(key, u)
	if err != nil {
		return err
	}
	if first {
		go s.serve(key, urns)
	}
	return graphstore.AwaitTurn(ctx, s.lines.patience, u.done, func() bool { return s.lines.leave(key, u) })
}

// serve runs the updates of a line until the line is empty.
func (s *Store) serve(key string, urns []string) {
	for {
		end, err := s.lines.turns.Take(context.Background(), turns.Alone, urns...)
		if err != nil { // turns without bounds are always had
			s.logger.Error("cannot get a turn on entities", "error", err)
			return
		}
		group := s.lines.next(key)
		s.run(urns, group)
		end()
		if group == nil {
			return
		}
	}
}

// run answers the updates of a group.
func (s *Store) run(urns []string, group []*update) {
	for len(group) > 0 {
		group = s.attempt(urns, group)
	}
}

// attempt runs a group in one transaction and answers its updates. If one update
// fails the group, it answers only that one and returns the others, to be run again
// without it.
func (s *Store) attempt(urns []string, group []*update) (again []*update) {
	group = slices.DeleteFunc(group, func(u *update) bool {
		err := u.ctx.Err()
		if err != nil {
			u.done <- err
		}
		return err != nil
	})
	if len(group) == 0 {
		return nil
	}
	ctx, cancel := together(group)
	defer cancel()
	var (
		failures []error
		culprit  int
	)
	err := s.transaction(ctx, urns, func(t *tx) error {
		failures, culprit = make([]error, len(group)), -1
		for i, u := range group {
			t.over, t.written = false, false
			err := t.call(u.fn)
			if err == nil {
				err = t.failed
			}
			if err != nil && (t.written || isDriver(err)) {
				culprit = i
				return err
			}
			failures[i] = err
		}
		return nil
	})
	switch {
	case err == nil:
		for i, u := range group {
			u.done <- failures[i]
		}
		return nil
	case len(group) == 1 || s.affectsAll(ctx, err):
		for _, u := range group {
			u.done <- s.ownFailure(ctx, err)
		}
		return nil
	case culprit >= 0:
		group[culprit].done <- s.ownFailure(ctx, err)
		return slices.Delete(group, culprit, culprit+1)
	}
	for _, u := range group { // one of them is to blame, alone it is answered so
		s.run(urns, []*update{u})
	}
	return nil
}

// together makes the context of a group, which ends when all of its callers have
// left.
func together(group []*update) (context.Context, context.CancelFunc) {
	if len(group) == 1 {
		return context.WithCancel(group[0].ctx)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(group[0].ctx))
	var left atomic.Int64
	left.Store(int64(len(group)))
	stops := make([]func() bool, len(group))
	for i, u := range group {
		stops[i] = context.AfterFunc(u.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}
