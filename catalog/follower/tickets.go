package follower

import (
	"context"
	"slices"
)

// ticket is a caller that waits until the index has the changes that were committed before the
// call. A patient caller continues to wait when the index fails.
type ticket struct {
	ctx     context.Context
	done    chan struct{}
	patient bool
	// target is the position that the index must reach, "" for any position.
	target string
}

// tickets takes all tickets, and returns the tickets whose callers still wait.
func (f *Follower) tickets() []ticket {
	f.mu.Lock()
	defer f.mu.Unlock()
	var waiting []ticket
	for _, t := range f.waiting {
		if t.ctx.Err() == nil {
			waiting = append(waiting, t)
		}
	}
	f.waiting = nil
	return waiting
}

// answer releases the callers whose target the index has reached. The other callers continue to
// wait.
func (f *Follower) answer(tickets []ticket, at string) error {
	for _, t := range tickets {
		reached, err := f.store.Covers(at, t.target)
		if err != nil {
			return err
		}
		if reached {
			close(t.done)
		} else {
			f.enqueue(t)
		}
	}
	return nil
}

// forgetTargets resets the targets of tickets. forgetTargets is called before the index is
// rebuilt, because the store may have been restored, so that its log may not be the one from
// which the targets came.
func forgetTargets(tickets []ticket) []ticket {
	for i := range tickets {
		tickets[i].target = ""
	}
	return tickets
}

func (f *Follower) enqueue(tickets ...ticket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, tickets...)
}

func (f *Follower) release(tickets []ticket) {
	for _, t := range tickets {
		close(t.done)
	}
}

// releaseImpatient is called when the index fails. releaseImpatient releases the callers that
// are not patient; the patient callers continue to wait.
func (f *Follower) releaseImpatient(tickets []ticket) {
	for _, t := range tickets {
		if t.patient {
			f.enqueue(t)
		} else {
			close(t.done)
		}
	}
}

// await waits until the index has reached a position, or returns the error of the context. A
// caller that is not patient is also released when the index fails.
func (f *Follower) await(ctx context.Context, target string, patient bool) error {
	t := ticket{ctx: ctx, done: make(chan struct{}), patient: patient, target: target}
	f.enqueue(t)
	f.hurry()
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// someoneWaits reports whether any caller waits for the index.
func (f *Follower) someoneWaits() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.waiting, func(t ticket) bool { return t.ctx.Err() == nil })
}
