// Package turns lets goroutines of one process take turns on names, first come
// first served. A goroutine may request several names at once. They are acquired in
// sorted order, so that turns cannot deadlock with each other.
package turns

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBusy: too many wait already, or the turn did not come in time.
var ErrBusy = errors.New("too many are waiting for their turn")

// Mode says with whom a turn can be had at the same time.
type Mode int

const (
	// Shared turns on a name go together.
	Shared Mode = iota
	// Alone is a turn that nobody shares.
	Alone
)

// Turns are the turns on any number of names. A name costs memory only while
// somebody has a turn on it or waits for one.
type Turns struct {
	// length bounds those who wait, patience how long each does.
	length   int
	patience time.Duration

	mu      sync.Mutex
	names   map[string]*line
	waiting int
}

// New makes turns for which at most length goroutines wait at a time, each for
// patience at most; 0 is no bound.
func New(length int, patience time.Duration) *Turns {
	return &Turns{length: length, patience: patience, names: map[string]*line{}}
}

// line is who has a turn on a name, and who waits in which order.
type line struct {
	// having counts the turns that run: any number of shared ones, or -1 for
	// one alone.
	having  int
	waiters list.List // of *waiter
}

type waiter struct {
	mode Mode
	come chan struct{}
}

// Take waits for a turn on all names and returns the function that ends it.
// The errors are of the context and [ErrBusy]; then no turn is had on any name.
func (t *Turns) Take(ctx context.Context, mode Mode, names ...string) (end func(), err error) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	had := 0
	end = func() { t.end(names[:had], mode) }
	var patience <-chan time.Time
	for _, name := range names {
		w := t.enter(name, mode)
		if w == nil {
			had++
			continue
		}
		if w == refused {
			end()
			return nil, ErrBusy
		}
		if patience == nil && t.patience > 0 {
			timer := time.NewTimer(t.patience)
			defer timer.Stop()
			patience = timer.C
		}
		err := t.wait(ctx, patience, name, w)
		if err != nil {
			end()
			return nil, err
		}
		had++
	}
	return end, nil
}

// refused stands for a waiter that there is no room for.
var refused = &waiter{}

// enter takes a turn on a name, for which it returns nil, or joins the line.
func (t *Turns) enter(name string, mode Mode) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, ok := t.names[name]
	if !ok {
		l = &line{}
		t.names[name] = l
	}
	if l.waiters.Len() == 0 && l.admit(mode) {
		return nil
	}
	if t.length > 0 && t.waiting >= t.length {
		return refused
	}
	w := &waiter{mode: mode, come: make(chan struct{})}
	l.waiters.PushBack(w)
	t.waiting++
	return w
}

// admit begins a turn if those that run allow it.
func (l *line) admit(mode Mode) bool {
	switch {
	case mode == Alone && l.having == 0:
		l.having = -1
	case mode == Shared && l.having >= 0:
		l.having++
	default:
		return false
	}
	return true
}

// wait returns when the turn has come. Who stops waiting leaves the line,
// unless the turn came just then; it is given back in that case.
func (t *Turns) wait(ctx context.Context, patience <-chan time.Time, name string, w *waiter) (err error) {
	select {
	case <-w.come:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-patience:
		err = ErrBusy
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.names[name]
	select {
	case <-w.come:
		l.leave(w.mode)
	default:
		t.waiting--
		for e := l.waiters.Front(); e != nil; e = e.Next() {
			if e.Value == w {
				l.waiters.Remove(e)
				break
			}
		}
	}
	t.next(name, l)
	return err
}

func (l *line) leave(mode Mode) {
	if mode == Alone {
		l.having = 0
		return
	}
	l.having--
}

// end gives turns back.
func (t *Turns) end(names []string, mode Mode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range names {
		l := t.names[name]
		l.leave(mode)
		t.next(name, l)
	}
}

// next begins the turns of those at the front of a line who may have theirs
// now, and forgets a name that nobody is interested in.
func (t *Turns) next(name string, l *line) {
	for front := l.waiters.Front(); front != nil; front = l.waiters.Front() {
		w, _ := front.Value.(*waiter)
		if !l.admit(w.mode) {
			return
		}
		l.waiters.Remove(front)
		t.waiting--
		close(w.come)
	}
	if l.having == 0 {
		delete(t.names, name)
	}
}

// Waiting is how many wait for a turn now.
func (t *Turns) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting
}
