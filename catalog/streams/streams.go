// Package streams decides which changes followers outside of the server receive, and in which
// format. Webhooks and GET /events share it.
package streams

import (
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

var changeKinds = []string{string(catalog.ChangeUpsert), string(catalog.ChangeRestate), string(catalog.ChangeDelete)}

// Service selects events. Service is safe for concurrent use.
type Service struct {
	registry             *model.Registry
	derived              Derived
	feeds                Feeds
	entityTypes, aspects []string
}

// Derived derives entity change events from changes.
type Derived interface {
	// Categories returns the categories of events.
	Categories() []string
	// Of returns the events of a change, in order.
	Of(ctx context.Context, c *catalog.Change) ([]DerivedEvent, error)
}

// DerivedEvent is an entity change event. Data is the part of it that is sent.
type DerivedEvent struct {
	Category string
	Data     any
}

// New makes a Service for a model. Without derived events, FormatEntityChange is unknown;
// without derived events or without feeds, FormatFeed is unknown.
func New(registry *model.Registry, derived Derived, feeds Feeds) *Service {
	s := &Service{registry: registry, derived: derived, feeds: feeds}
	for _, e := range registry.Entities() {
		s.entityTypes = append(s.entityTypes, e.Name)
		s.aspects = append(s.aspects, e.KeyAspect)
		s.aspects = append(s.aspects, e.Aspects...)
	}
	slices.Sort(s.aspects)
	s.aspects = slices.Compact(s.aspects)
	return s
}

// Event is a change, or a part of it, in the form in which a follower receives it.
type Event struct {
	// Cursor is the position after the change. Several events of one change share it. Last marks
	// the last event of a change; after this event, a follower may continue from the cursor.
	Cursor string
	Last   bool
	// Index is the index of the event among the events of one change.
	Index int
	// Time is the time of the change, epoch milliseconds. URN is the URN of the entity.
	Time int64
	URN  string
	// Data is the value that is sent as JSON. Size is the approximate number of bytes of its
	// values.
	Data any
	Size int
}

// Of returns the selected events of changes, in the order of the changes.
func (s *Selection) Of(ctx context.Context, changes []catalog.Change) ([]Event, error) {
	if s.filter.Format == FormatFeed {
		return s.feedOf(ctx, changes)
	}
	var events []Event
	for i := range changes {
		c := &changes[i]
		if !s.wants(c) {
			continue
		}
		of, err := s.eventsOf(ctx, c)
		if err != nil {
			return nil, err
		}
		for n := range of {
			of[n].Index, of[n].Last = n, n == len(of)-1
		}
		events = append(events, of...)
	}
	return events, nil
}

func (s *Selection) eventsOf(ctx context.Context, c *catalog.Change) ([]Event, error) {
	if s.filter.Format == FormatEntityChange {
		return s.derivedOf(ctx, c)
	}
	if !s.wantsKind(string(c.Kind)) {
		return nil, nil
	}
	return []Event{{Cursor: c.Cursor, Time: c.Time, URN: c.URN, Data: ChangeEventOf(c), Size: len(c.Value) + len(c.Previous)}}, nil
}

// derivedSize is the approximate size of a derived event, which has no values of aspects.
const derivedSize = 512

func (s *Selection) derivedOf(ctx context.Context, c *catalog.Change) ([]Event, error) {
	all, err := s.service.derived.Of(ctx, c)
	var events []Event
	for i := range all {
		if s.wantsKind(all[i].Category) {
			events = append(events, Event{Cursor: c.Cursor, Time: c.Time, URN: c.URN, Data: all[i].Data, Size: derivedSize})
		}
	}
	return events, err
}

// Log is the part of the change log from which events are read.
type Log interface {
	AwaitChanges(ctx context.Context, from string, limit int, patience time.Duration) ([]catalog.Change, string, error)
}

// toldAtOnce bounds the feed items that are looked up at once, counted as changes times actors.
const toldAtOnce = 5_000

// Some returns the events of the first changes, as many as make a page of about
// [limits.MaxChangePageBytes], and the number of these changes. The items of a change in feeds
// may be much larger than the change.
func (s *Selection) Some(ctx context.Context, changes []catalog.Change) (events []Event, n int, err error) {
	stride := len(changes)
	if s.filter.Format == FormatFeed {
		stride = max(toldAtOnce/max(len(s.filter.Actors), 1), 1)
	}
	for size := 0; n < len(changes) && size < limits.MaxChangePageBytes; {
		part := changes[n:min(n+stride, len(changes))]
		of, err := s.Of(ctx, part)
		if err != nil {
			return nil, 0, err
		}
		for i := range of {
			size += of[i].Size
		}
		events, n = append(events, of...), n+len(part)
	}
	return events, n, nil
}

// Await returns the selected events of at most limit changes after a cursor, and the cursor to
// continue from. If there are no events, Await waits for up to patience and reads on, so next
// may be after from although no event was returned. If Await fails, next is before all changes
// whose events were not returned.
func (s *Selection) Await(ctx context.Context, log Log, from string, limit int, patience time.Duration) (events []Event, next string, err error) {
	expires := time.Now().Add(patience)
	for read := 0; ; {
		changes, after, err := log.AwaitChanges(ctx, from, limit, max(time.Until(expires), 0))
		if err != nil {
			return nil, from, err
		}
		events, n, err := s.Some(ctx, changes)
		if err != nil {
			return nil, from, err
		}
		if from = after; n < len(changes) {
			from = changes[n-1].Cursor
		}
		// Reading the feeds of many actors counts as work too, even for few changes.
		if read += max(n, len(s.filter.Actors)); len(events) > 0 || len(changes) == 0 || read >= limits.MaxScannedChanges {
			return events, from, nil
		}
	}
}
