package app

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/kafka/produce"
	"github.com/headwater-io/headwater/kafka/wire"
)

// platformEvents says what changes mean, as Kafka carries it.
func platformEvents(events *changeevents.Service) func(context.Context, []catalog.Change) ([]produce.Event, error) {
	return func(ctx context.Context, changes []catalog.Change) ([]produce.Event, error) {
		var all []produce.Event
		for i := range changes {
			of, err := events.Of(ctx, &changes[i])
			if err != nil {
				return nil, err
			}
			for n := range of {
				payload, err := json.Marshal(&of[n])
				if err != nil {
					return nil, err
				}
				all = append(all, produce.Event{Key: of[n].EntityURN, Event: wire.EntityChange(changes[i].Time, payload)})
			}
		}
		return all, nil
	}
}
