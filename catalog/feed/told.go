package feed

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
)

// Told is an item with its approximate size in bytes.
type Told struct {
	Item
	Size int
}

// Told returns the items of changes in the feeds of actors: for each change the items of these
// actors, in the order of the actors. Told waits until the feeds cover the changes, and fails
// with Busy if that takes too long. Told leaves out items that the feeds do not keep any more.
// The items of a user do not include those of the user's groups.
func (s *Service) Told(ctx context.Context, actors []string, changes []catalog.Change) ([][]Told, error) {
	told := make([][]Told, len(changes))
	if len(changes) == 0 {
		return told, nil
	}
	if err := s.awaitDelivered(ctx, changes[len(changes)-1].Cursor); err != nil {
		return nil, err
	}
	at, from, to := map[string]int{}, changes[0].Time, changes[0].Time
	for i := range changes {
		at[changeevents.IdentityOf(&changes[i])] = i
		from, to = min(from, changes[i].Time), max(to, changes[i].Time)
	}
	for _, actor := range actors {
		err := s.scan(ctx, actor, from, to, func(t Told) {
			if i, wanted := at[t.ID]; wanted {
				told[i] = append(told[i], t)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return told, nil
}

// scan visits the items of a feed within a time, the newest first.
func (s *Service) scan(ctx context.Context, actor string, from, to int64, visit func(Told)) error {
	for record, err := range s.items.All(ctx, feedOf(actor), feedOf(actor)+downTo(to)) {
		if err != nil || record.Value.Time < from {
			return err
		}
		visit(Told{Size: len(record.Text), Item: record.Value.Item})
	}
	return nil
}

// noteDelivered records the cursor up to which this server has written the feeds.
func (s *Service) noteDelivered(cursor string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if further, err := s.store.Covers(s.written, cursor); err == nil && further {
		return // the changes were delivered before
	}
	s.written = cursor
	s.more.Signal()
}

// askEvery is the pause between questions how far another server has written the feeds.
const askEvery = 250 * time.Millisecond

// awaitDelivered waits until the feeds cover the changes up to a cursor.
func (s *Service) awaitDelivered(ctx context.Context, cursor string) error {
	for expires := time.Now().Add(s.patience); ; {
		more := s.more.Wait() // waiting for deliveries begins before the cursor is read, so that no delivery is missed
		s.mu.Lock()
		written := s.written
		s.mu.Unlock()
		reached, err := s.reached(ctx, written, cursor)
		if reached || err != nil {
			return err
		}
		if time.Now().After(expires) {
			return catalog.Errorf(catalog.Busy, "feeds are not written up to this change yet: the follower %s is behind, or no server fills feeds", Follower)
		}
		timer := time.NewTimer(askEvery)
		select {
		case <-more:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (s *Service) reached(ctx context.Context, written, cursor string) (bool, error) {
	if written != "" {
		if reached, err := s.store.Covers(written, cursor); reached || err != nil {
			return reached, catalog.StoreFailure(err)
		}
	}
	position, known, err := s.position(ctx)
	if err != nil || !known {
		return false, err
	}
	reached, err := s.store.Covers(position, cursor)
	return reached, catalog.StoreFailure(err)
}
