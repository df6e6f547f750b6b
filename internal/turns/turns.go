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

// ErrBusy: too many are waiting, or the turn did not come in time.
var ErrBusy = errors.New("too many are waiting for their turn")

// Mode says which turns may run at the same time.
type Mode int

const (
	// Shared turns on a name may run together.
	Shared Mode = iota
	// Alone is an exclusive turn.
	Alone
)

// Turns are the turns on any number of names. A name uses memory only while a
// goroutine has a turn on it or waits for one.
type Turns struct {
	// length bounds how many goroutines wait, patience how long each waits.
	length   int
	patience time.Duration

	mu      sync.Mutex
	names   map[string]*line
	waiting int
}

// New makes turns for which at most length goroutines wait at a time, each for at most
// patience; 0 means no bound.
func New(length int, patience time.Duration) *Turns {
	return &Turns{length: length, patience: patience, names: map[string]*line{}}
}

// line records who has a turn on a name, and who waits for it, in order.
type line struct {
	// having counts the running turns: any number of shared ones, or -1 for an
	// exclusive one.
	having  int
	waiters list.List // of *waiter
}

type waiter struct {
	mode Mode
	come chan struct{}
}

// Take waits for a turn on all names and returns the function that ends it. The error
// is that of the context or [ErrBusy]; there is then no turn on any name.
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

// refused represents a waiter for which the queue has no place.
var refused = &waiter{}

// enter takes a turn on a name and returns nil, or joins the line.
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

// admit begins a turn if the running ones permit it.
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

// wait returns when the turn has come. A goroutine that stops waiting leaves the line.
// If the turn came at that moment, it is returned.
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

// end returns turns.
func (t *Turns) end(names []string, mode Mode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range names {
		l := t.names[name]
		l.leave(mode)
		t.next(name, l)
	}
}

// next begins the turns at the front of a line that may run now, and removes a name
// that is no longer used.
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

// Waiting is how many goroutines are waiting for a turn.
func (t *Turns) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting
}
