// Package testclock lets tests advance the time without sleeping. It has a clock that tests
// put forward, and functions that wait for a condition.
package testclock

import (
	"sync/atomic"
	"testing"
	"time"
)

// ahead is how far the clock is ahead of the machine's clock, in nanoseconds.
var ahead atomic.Int64

// Now returns the machine's time plus all durations by which tests have put the clock
// forward. Tests give it to stores and catalogs as their clock. All tests of a process
// share the clock. It never goes back, so that tests do not disturb each other.
func Now() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }

// Forward puts the clock forward by d.
func Forward(d time.Duration) { ahead.Add(int64(d)) }

// patience is long enough for a busy machine.
const patience = time.Minute

// Await waits until a condition holds. It fails the test if the condition does not hold
// within patience. It checks the condition every few milliseconds.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !Poll(patience, holds) {
		t.Fatalf("waited %s in vain: %s", patience, what)
	}
}

// Poll waits until a condition holds, for at most atMost, and reports whether it holds. It
// checks the condition every few milliseconds, and at least once.
func Poll(atMost time.Duration, holds func() bool) bool {
	for deadline := time.Now().Add(atMost); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
