package feed

import (
	"testing"

	"github.com/headwater-io/headwater/catalog/changeevents"
)

// TestSummary: a summary quotes an event that breaks something first.
func TestSummary(t *testing.T) {
	removed := changeevents.Event{Category: changeevents.CategorySchema, Operation: "REMOVE", Description: "Column net was removed"}
	other := changeevents.Event{Category: changeevents.CategoryDocumentation, Operation: "REMOVE", Description: "A description was removed"}
	for want, events := range map[string][]changeevents.Event{
		"Column net was removed (and 1 more)":    {other, removed},
		"Column net was removed":                 {removed},
		"A description was removed (and 1 more)": {other, other},
	} {
		i := &Item{Events: events, EventsTotal: len(events), Affected: []Affected{{}}, Certain: 1}
		if got := summaryOf(i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
