// Package testclock lets tests go on in time without sleeping: a clock that is
// put forward, and waiting for a condition.
package testclock

import (
	"sync/atomic"
	"testing"
	"time"
)

// ahead is how far the clock is ahead of the machine's, in nanoseconds.
var ahead atomic.Int64

// Now is the machine's time and all that the clock was put forward. Tests give
// it to stores and catalogs as their clock. All tests of a process share it; it
// never goes back, so that they do not disturb each other.
func Now() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }

// Forward puts the clock forward.
func Forward(d time.Duration) { ahead.Add(int64(d)) }

// patience is for a machine that does much else.
const patience = time.Minute

// Await waits until a condition holds, and ends the test when it does not
// within a minute. It asks every few milliseconds.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !Poll(patience, holds) {
		t.Fatalf("waited %s in vain: %s", patience, what)
	}
}

// Poll waits until a condition holds, for atMost at most, and reports whether it does. It asks
// every few milliseconds, and at least once.
func Poll(atMost time.Duration, holds func() bool) bool {
	for deadline := time.Now().Add(atMost); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
