package history

import (
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// Compare returns the events by which two values of an aspect differ, as in a timeline, ordered
// by category. A nil value stands for an absent aspect. The events have no audit stamp. Compare
// fails with Internal if the model cannot parse a value.
func Compare(registry *model.Registry, u model.URN, aspect string, before, after json.RawMessage) ([]ChangeEvent, error) {
	t := &timeline{c: &Service{registry: registry}, urn: u}
	looking := t.looking(aspect, categories)
	if len(looking) == 0 {
		return nil, nil
	}
	var was, now *model.Value
	for _, side := range []struct {
		text   json.RawMessage
		parsed **model.Value
	}{{before, &was}, {after, &now}} {
		if side.text == nil {
			continue
		}
		var err error
		if *side.parsed, err = registry.ParseStored(aspect, side.text); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", aspect, u, err)
		}
	}
	var events []ChangeEvent
	for i := range looking {
		events = append(events, t.events(&looking[i], was, now)...)
	}
	return events, nil
}
