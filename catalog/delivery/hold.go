package delivery

import (
	"context"
	"errors"

	"github.com/headwater-io/headwater/catalog/records"
)

// errReplaced tells that another server has taken over the follower, or may have.
var errReplaced = errors.New("another server delivers to this follower")

// state is the stored state of a follower.
type state struct {
	// Holder is the server that delivers to the follower, "" for none.
	Holder string `json:"holder,omitempty"`
	Cursor string `json:"cursor"`
	// Term grows whenever a server begins to deliver.
	Term int64 `json:"term,omitempty"`
	// Created is when the follower was first seen, Saved when its cursor was last saved, epoch
	// milliseconds. Delivered counts the delivered changes.
	Created   int64 `json:"created"`
	Saved     int64 `json:"saved"`
	Delivered int64 `json:"delivered"`
	// Failure is the reason why the changes after the cursor cannot be delivered now, FailedSince
	// the time of the first failure.
	Failure     string `json:"failure,omitempty"`
	FailedSince int64  `json:"failedSince,omitempty"`
}

// hold is the record of a follower to which this server delivers. Every write compares the
// revision, so a server that was replaced cannot move the cursor.
type hold struct {
	service  *Service
	name     string
	revision string
	// saved is the cursor that was last written. lapses is the number of lapses of this server
	// when it last confirmed that it holds the follower.
	saved  string
	lapses int64
	// tookOver tells that the former server did not release the follower, and may still be alive.
	tookOver bool
	state
}

// take makes this server the deliverer of a follower. take returns nil if another server delivers.
func (s *Service) take(ctx context.Context, w *Worker) (*hold, error) {
	lapses, seen := s.presence.lapsed()
	if !seen {
		return nil, nil
	}
	h := &hold{service: s, name: w.Name, lapses: lapses}
	record, known, err := s.followers.Get(ctx, h.name)
	if err != nil {
		return nil, err
	}
	if !known {
		if err := s.begin(ctx, w, h); err != nil {
			return nil, ignoreChanged(err)
		}
		return h, nil
	}
	h.state = record.Value
	if free, err := s.presence.gone(ctx, h.Holder); err != nil || !free {
		return nil, err
	}
	h.tookOver = h.Holder != ""
	h.revision, h.Holder = record.Revision, s.id
	h.Term = max(h.Term+1, s.now().UnixMilli()) // the time is higher than the terms of a removed follower of this name
	if err := h.write(ctx); err != nil {
		return nil, ignoreChanged(err)
	}
	return h, nil
}

// begin registers a new follower.
func (s *Service) begin(ctx context.Context, w *Worker, h *hold) error {
	ended, err := s.termsOfRemoved(ctx)
	if err != nil {
		return err
	}
	h.state = state{Holder: s.id, Cursor: w.Start, Term: max(ended.Highest+1, s.now().UnixMilli()), Created: s.now().UnixMilli(), Saved: s.now().UnixMilli()}
	if w.Start == Now {
		if h.Cursor, err = s.log.EndOfChanges(ctx); err != nil {
			return err
		}
	}
	return h.write(ctx)
}

// ignoreChanged returns nil for ErrRecordChanged: another server was faster.
func ignoreChanged(err error) error {
	if errors.Is(err, records.ErrChanged) {
		return nil
	}
	return err
}

func (h *hold) write(ctx context.Context) error {
	revision, err := h.service.followers.Put(ctx, h.name, h.state, h.revision)
	if err == nil {
		h.revision, h.saved = revision, h.Cursor
	}
	return err
}

// save saves the cursor. save fails if the follower was removed or another server has taken
// over.
func (h *hold) save(ctx context.Context) error {
	h.Saved = h.service.now().UnixMilli()
	err := h.write(ctx)
	if !errors.Is(err, records.ErrChanged) {
		return err
	}
	_, known, lookErr := h.service.followers.Get(ctx, h.name)
	if lookErr != nil || known {
		return errors.Join(errReplaced, lookErr)
	}
	return ErrRemoved
}

// release saves the cursor and lets other servers deliver.
func (h *hold) release(ctx context.Context) error {
	h.Holder = ""
	return h.save(ctx)
}

// lapsed reports whether another server may have taken over since this server took the
// follower.
func (h *hold) lapsed() bool {
	lapses, _ := h.service.presence.lapsed()
	return lapses != h.lapses
}

// look fails if the follower was removed, or its cursor was set back, since the last save.
func (h *hold) look(ctx context.Context) error {
	record, known, err := h.service.followers.Get(ctx, h.name)
	switch {
	case err != nil:
		return err
	case !known:
		return ErrRemoved
	case record.Revision != h.revision:
		return errReplaced
	}
	return nil
}

// setBack makes the server that has taken over begin again at the cursor that this server saved
// last.
func (h *hold) setBack(ctx context.Context) error {
	for {
		record, known, err := h.service.followers.Get(ctx, h.name)
		if err != nil || !known || record.Revision == h.revision {
			return err
		}
		now := record.Value
		lag, err := h.service.store.Lag(ctx, h.saved)
		if err != nil {
			return err
		}
		theirs, err := h.service.store.Lag(ctx, now.Cursor)
		if err != nil {
			return err
		}
		if theirs < lag {
			now.Cursor = h.saved
		} // even if the cursor stays, the server that took over delivers the changes since its last save again
		if _, err = h.service.followers.Put(ctx, h.name, now, record.Revision); !errors.Is(err, records.ErrChanged) {
			return err
		}
	}
}
