// Package turns lets goroutines of one process take turns on names, first come first
// served. A goroutine may request several names at once. It gets them in sorted order, so
// that turns cannot deadlock.
package turns

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBusy: too many goroutines wait, or the turn did not come in time.
var ErrBusy = errors.New("too many are waiting for their turn")

// Mode says whether turns on a name may run at the same time.
type Mode int

const (
	// Shared turns on a name may run at the same time.
	Shared Mode = iota
	// Alone is an exclusive turn: no other turn on the name runs at the same time.
	Alone
)

// Turns has the turns on any number of names. A name uses memory only while a goroutine has
// a turn on it or waits for one.
type Turns struct {
	// length bounds the number of waiting goroutines, patience the time that each waits.
	length   int
	patience time.Duration

	mu      sync.Mutex
	names   map[string]*line
	waiting int
}

// New makes turns for which at most length goroutines wait at a time, each for at most
// patience. 0 means no bound.
func New(length int, patience time.Duration) *Turns {
	return &Turns{length: length, patience: patience, names: map[string]*line{}}
}

// line has the running turns on a name, and the goroutines that wait for one, in order.
type line struct {
	// having is the number of running shared turns, or -1 if an exclusive turn runs.
	having  int
	waiters list.List // of *waiter
}

type waiter struct {
	mode Mode
	come chan struct{}
}

// Take waits for a turn on all names, and returns the function that ends the turn. The
// error is that of the context or [ErrBusy]; after an error, the caller has a turn on no
// name.
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

// refused is the result of enter if too many goroutines wait already.
var refused = &waiter{}

// enter takes a turn on a name and returns nil. If the turn must wait, it returns the
// waiter that it has put in the line.
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

// admit begins a turn, and returns true, if the running turns permit it.
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

// wait returns when the turn has come. If it stops waiting, it removes the waiter from the
// line, and gives back a turn that came at the same moment.
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

// end ends a turn on names.
func (t *Turns) end(names []string, mode Mode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range names {
		l := t.names[name]
		l.leave(mode)
		t.next(name, l)
	}
}

// next begins the waiting turns at the front of a line that may run now. It removes the line if it is empty.
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

// Waiting returns the number of goroutines that wait for a turn.
func (t *Turns) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting
}
