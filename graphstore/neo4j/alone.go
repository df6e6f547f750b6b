package neo4j

import (
	"context"
	"slices"
	"sync/atomic"
)

// run answers updates of the same entities in transactions that lock the entities first.
func (s *Store) run(urns []string, updates []*update) {
	for len(updates) > 0 {
		updates = s.attempt(urns, updates)
	}
}

// attempt runs updates in one transaction and answers them. If one update fails the
// transaction, attempt answers only the failed update and returns the other updates, to run
// again without it.
func (s *Store) attempt(urns []string, group []*update) (retry []*update) {
	group = present(group)
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
	// One update of the group failed. Run each alone, so that only that one gets the error.
	for _, u := range group {
		s.run(urns, []*update{u})
	}
	return nil
}

// present answers the updates whose callers have left, and returns the other updates.
func present(updates []*update) []*update {
	return slices.DeleteFunc(slices.Clone(updates), func(u *update) bool {
		err := u.ctx.Err()
		if err != nil {
			u.done <- err
		}
		return err != nil
	})
}

// together makes the context of a group. The context ends when all callers of the group have
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
