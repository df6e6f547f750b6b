package write

import (
	"context"
	"errors"
)

// The internals that the tests of this package use. The tests are in another package because their harness
// imports this one.
const (
	DraftsAtOnce   = draftsAtOnce
	InsideBytes    = insideBytes
	OutsideTries   = outsideTries
	PathsActorName = pathsActorName
	PathsAtOnce    = pathsAtOnce
	ScanPage       = scanPage
)

// Lacks reports whether a session without a transaction ends at some amounts of work.
func Lacks(amounts ...int) bool {
	s := New(Options{}).newSession(nil, newAttempt("", nil))
	for _, n := range amounts {
		var lacks *lacking
		if errors.As(s.spend(n), &lacks) {
			return true
		}
	}
	return false
}

func (w *Writer) BackfillAll(ctx context.Context) error { return w.backfillAll(ctx) }

func (w *Writer) AwaitBackground() { _ = w.work.tasks.Wait(context.Background()) }
