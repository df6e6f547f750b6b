package write

import "context"

// These give the tests of this package, which are outside of it because their
// harness imports it, what they look at inside.
const (
	DraftsAtOnce   = draftsAtOnce
	InsideBytes    = insideBytes
	OutsideTries   = outsideTries
	PathsActorName = pathsActorName
	PathsAtOnce    = pathsAtOnce
	ScanPage       = scanPage
)

var ErrOutside = errOutside

// Spend is what a session without a transaction answers to amounts of work.
func Spend(amounts ...int) error {
	s := New(Options{}).newSession(nil, "", newJob())
	for _, n := range amounts {
		if err := s.spend(n); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) RestateAll(ctx context.Context) error { return w.restateAll(ctx) }

func (w *Writer) AwaitBackground() { _ = w.work.tasks.Wait(context.Background()) }
