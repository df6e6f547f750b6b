package usage

import (
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/tracking"
	"github.com/headwater-io/headwater/rest/call"
)

// trackingHandlers count the events that web pages report.
type trackingHandlers struct{ catalog *services.Services }

func (h trackingHandlers) track(c *call.Call) error {
	var event tracking.Event
	if err := c.Body(&event); err != nil {
		return err
	}
	if err := h.catalog.Tracking.Track(event); err != nil {
		return err
	}
	return c.Nothing()
}
