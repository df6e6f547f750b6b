package changeevents

import (
	"encoding/json"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// TestArrivalsOfHidden: an arrival whose dataset is hidden from the caller, and therefore absent from the value, makes no event.
func TestArrivalsOfHidden(t *testing.T) {
	change := func(dataset string) *catalog.Change {
		return &catalog.Change{
			URN: "urn:li:announcedChange:a", EntityType: model.EntityAnnouncedChange, Aspect: model.AspectAnnouncedChangeInfo,
			Value: json.RawMessage(`{"title":"t","state":"ARRIVED","pullRequest":"https://git.invalid/1","changes":[{"kind":"columnDropped","column":"salary",
				"arrivals":[{` + dataset + `"time":5,"change":"x","description":"The column salary was dropped"}]}]}`),
		}
	}
	const seen = "urn:li:dataset:(urn:li:dataPlatform:hive,hr.salaries,PROD)"
	events := arrivals(change(`"dataset":"` + seen + `",`))
	if len(events) != 1 || events[0].EntityURN != seen || events[0].Operation != OperationArrived {
		t.Errorf("of a dataset that is seen: %+v", events)
	}
	if events := arrivals(change("")); len(events) > 0 {
		t.Errorf("of a hidden dataset: %+v", events)
	}
}
