package app

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/kafka/produce"
	"github.com/headwater-io/headwater/kafka/wire"
)

// usualText is the size in bytes that the text of an event seldom exceeds. roomForTexts is
// the size in bytes of a piece of memory for the texts of several events.
const (
	usualText    = 1 << 10
	roomForTexts = 64 << 10
)

// platformEvents returns the function that converts changes to platform events in the form
// that Kafka carries.
func platformEvents(events *changeevents.Service) func(context.Context, []catalog.Change) ([]produce.Event, error) {
	return func(ctx context.Context, changes []catalog.Change) ([]produce.Event, error) {
		all := make([]produce.Event, 0, len(changes))
		var texts []byte
		for i := range changes {
			of, err := events.Of(ctx, &changes[i])
			if err != nil {
				return nil, err
			}
			for n := range of {
				if cap(texts)-len(texts) < usualText {
					texts = make([]byte, 0, min(usualText*len(changes), roomForTexts))
				}
				start := len(texts)
				if texts, err = of[n].AppendJSON(texts); err != nil {
					return nil, err
				}
				all = append(all, produce.Event{Key: of[n].EntityURN, Event: wire.EntityChange(changes[i].Time, texts[start:])})
			}
		}
		return all, nil
	}
}
