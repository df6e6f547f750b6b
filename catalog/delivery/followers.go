package delivery

import (
	"context"
	"errors"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/nearest"
)

// These are the states of a follower.
const (
	// StateDelivering: a server delivers to the follower.
	StateDelivering = "delivering"
	// StateFailing: a server delivers to the follower, and its last attempt failed.
	StateFailing = "failing"
	// StateWaiting: no server delivers to the follower now.
	StateWaiting = "waiting"
	// StateLost: the log no longer has the change after the follower's cursor. The follower must
	// be removed, so that it can begin anew.
	StateLost = "lost"
)

// Follower is a follower of the change log.
type Follower struct {
	Name  string `json:"name"`
	State string `json:"state"`
	// Lag is the number of changes that the follower has not received yet, -1 if that is unknown.
	Lag int64 `json:"lag"`
	// Delivered counts the changes that the follower has received.
	Delivered int64 `json:"delivered"`
	// Created is when the follower was first seen, Saved when its cursor was last saved, epoch
	// milliseconds.
	Created int64 `json:"created"`
	Saved   int64 `json:"saved"`
	// Failure is the reason why the follower receives nothing now, FailedSince the time of the
	// first failure, epoch milliseconds.
	Failure     string `json:"failure,omitempty"`
	FailedSince int64  `json:"failedSince,omitempty"`
}

// maxFollowers bounds a list of followers.
const maxFollowers = 10_000

// Followers returns the followers, ordered by name.
func (s *Service) Followers(ctx context.Context) ([]Follower, error) {
	stored, err := s.followers.Page(ctx, "", "", maxFollowers)
	if err != nil {
		return nil, err
	}
	found := make([]Follower, len(stored))
	for i := range stored {
		if found[i], err = s.follower(ctx, stored[i].Name, &stored[i].Value); err != nil {
			return nil, catalog.StoreFailure(err)
		}
	}
	return found, nil
}

func (s *Service) follower(ctx context.Context, name string, known *state) (Follower, error) {
	f := Follower{
		Name: name, State: StateDelivering, Delivered: known.Delivered,
		Created: known.Created, Saved: known.Saved, Failure: known.Failure, FailedSince: known.FailedSince,
	}
	if known.Holder == "" {
		f.State = StateWaiting
	} else if err := s.observe(ctx, known.Holder, &f); err != nil {
		return f, err
	}
	lag, err := s.store.Lag(ctx, known.Cursor)
	switch {
	case errors.Is(err, graphstore.ErrLostCursor):
		f.State, f.Lag = StateLost, -1
	case err != nil:
		return f, err
	default:
		f.Lag = lag
	}
	return f, nil
}

// observe adds to f the failure that this server knows if it delivers to the follower. If
// another server delivered and is gone, observe sets StateWaiting.
func (s *Service) observe(ctx context.Context, holder string, f *Follower) error {
	if holder == s.id {
		s.mu.Lock()
		p := s.running[f.Name]
		s.mu.Unlock()
		if p != nil {
			f.Failure, f.FailedSince = p.now()
		}
	} else {
		gone, err := s.presence.gone(ctx, holder)
		if err != nil {
			return err
		}
		if gone {
			f.State = StateWaiting
		}
	}
	if f.Failure != "" && f.State == StateDelivering {
		f.State = StateFailing
	}
	return nil
}

// Remove deletes a follower. If a worker still runs for it, the worker ends.
func (s *Service) Remove(ctx context.Context, name string) error {
	for {
		record, known, err := s.followers.Get(ctx, name)
		if err != nil {
			return err
		}
		if !known {
			return s.unknown(ctx, name)
		}
		if err := s.storeTerm(ctx, record.Value.Term); err != nil {
			return err
		}
		err = s.followers.Delete(ctx, name, record.Revision)
		if !errors.Is(err, records.ErrChanged) { // otherwise the cursor has moved meanwhile
			return err
		}
	}
}

func (s *Service) unknown(ctx context.Context, name string) error {
	known, err := s.Followers(ctx)
	if err != nil {
		return err
	}
	names := func(yield func(string) bool) {
		for i := range known {
			if !yield(known[i].Name) {
				return
			}
		}
	}
	return catalog.Errorf(catalog.NotFound, "there is no follower %q%s", name, nearest.Question(nearest.Names(name, names)))
}

// states reads the stored states of all followers.
func (s *Service) states(ctx context.Context) ([]state, error) {
	stored, err := s.followers.Page(ctx, "", "", maxFollowers)
	known := make([]state, len(stored))
	for i := range stored {
		known[i] = stored[i].Value
	}
	return known, err
}

// Cursor returns the saved cursor of a follower; the changes that are being delivered come
// after it. Cursor returns false if there is no such follower.
func (s *Service) Cursor(ctx context.Context, name string) (string, bool, error) {
	record, known, err := s.followers.Get(ctx, name)
	return record.Value.Cursor, known, err
}

// Forget removes a follower if it is known, so that the change log need not be kept for it.
func (s *Service) Forget(ctx context.Context, name string) error {
	_, known, err := s.Cursor(ctx, name)
	if err != nil || !known {
		return err
	}
	return s.Remove(ctx, name)
}
