package streams

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
)

// entityChanges are the entity change events of the catalog.
type entityChanges struct{ events *changeevents.Service }

// EntityChanges derives events by the rules of changeevents.
func EntityChanges(events *changeevents.Service) Derived { return entityChanges{events} }

// Categories are the kinds that there are.
func (e entityChanges) Categories() []string { return changeevents.Categories() }

// Of returns the events of a change.
func (e entityChanges) Of(ctx context.Context, c *catalog.Change) ([]DerivedEvent, error) {
	found, err := e.events.Of(ctx, c)
	derived := make([]DerivedEvent, len(found))
	for i := range found {
		derived[i] = DerivedEvent{Category: found[i].Category, Data: found[i]}
	}
	return derived, err
}
