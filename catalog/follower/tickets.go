package follower

import (
	"context"
)

// ticket is a caller that waits until the index has what was committed before. A
// patient caller continues to wait when the index fails.
type ticket struct {
	ctx     context.Context
	done    chan struct{}
	patient bool
	// target is the position that the index must reach, "" until the follower
	// has taken the ticket.
	target string
}

// tickets takes the callers that still wait.
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

// aim gives new tickets the end of the log as their target: what they wait for
// was committed before.
func (f *Follower) aim(ctx context.Context, tickets []ticket) error {
	end := ""
	for i := range tickets {
		if tickets[i].target != "" {
			continue
		}
		if end == "" {
			var err error
			if end, err = f.store.EndCursor(ctx); err != nil {
				return err
			}
		}
		tickets[i].target = end
	}
	return nil
}

// answer releases the callers whose target the index has reached. The others
// continue to wait.
func (f *Follower) answer(tickets []ticket, at string) error {
	for _, t := range tickets {
		reached, err := f.store.Covers(at, t.target)
		if err != nil {
			return err
		}
		if reached {
			close(t.done)
		} else {
			f.keepWaiting(t)
		}
	}
	return nil
}

// forgetTargets resets the targets. It is called when the log is no longer the
// one that they came from.
func forgetTargets(tickets []ticket) []ticket {
	for i := range tickets {
		tickets[i].target = ""
	}
	return tickets
}

func (f *Follower) keepWaiting(tickets ...ticket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, tickets...)
}

func (f *Follower) release(tickets []ticket) {
	for _, t := range tickets {
		close(t.done)
	}
}

// keepPatient is called when the index fails: patient callers continue to wait,
// the others are released.
func (f *Follower) keepPatient(tickets []ticket) {
	for _, t := range tickets {
		if t.patient {
			f.keepWaiting(t)
		} else {
			close(t.done)
		}
	}
}

// await returns when the index holds everything that was committed before the
// call, or with the context's error. Unless the caller is patient it also
// returns when the index fails.
func (f *Follower) await(ctx context.Context, patient bool) error {
	t := ticket{ctx: ctx, done: make(chan struct{}), patient: patient}
	f.keepWaiting(t)
	f.written.Signal()
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
