package streams

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/feed"
)

// entityChanges derives the entity change events of the catalog.
type entityChanges struct{ events *changeevents.Service }

// Feeds reads the feeds of actors.
type Feeds interface {
	// Told returns, for each change, the items of the actors' feeds.
	Told(ctx context.Context, actors []string, changes []catalog.Change) ([][]feed.Told, error)
}

// feedOf returns the items of the filter's actors for changes.
func (s *Selection) feedOf(ctx context.Context, changes []catalog.Change) ([]Event, error) {
	var wanted []catalog.Change
	for i := range changes {
		if s.wants(&changes[i]) {
			wanted = append(wanted, changes[i])
		}
	}
	told, err := s.service.feeds.Told(ctx, s.filter.Actors, wanted)
	if err != nil {
		return nil, err
	}
	var events []Event
	for i, items := range told {
		c := &wanted[i]
		first := len(events)
		for _, item := range items {
			if slices.ContainsFunc(item.Events, func(e changeevents.Event) bool { return s.wantsKind(e.Category) }) {
				events = append(events, Event{Cursor: c.Cursor, Index: len(events) - first, Time: c.Time, URN: c.URN, Data: item.Item, Size: item.Size})
			}
		}
		if len(events) > first {
			events[len(events)-1].Last = true
		}
	}
	return events, nil
}

// EntityChanges returns a Derived that uses the rules of package changeevents.
func EntityChanges(events *changeevents.Service) Derived { return entityChanges{events} }

// Categories returns the categories of events.
func (e entityChanges) Categories() []string { return changeevents.Categories() }

func (e entityChanges) Of(ctx context.Context, c *catalog.Change) ([]DerivedEvent, error) {
	found, err := e.events.Of(ctx, c)
	derived := make([]DerivedEvent, len(found))
	for i := range found {
		derived[i] = DerivedEvent{Category: found[i].Category, Data: found[i]}
	}
	return derived, err
}
