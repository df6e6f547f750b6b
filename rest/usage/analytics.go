package usage

import (
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/stats"
	"github.com/headwater-io/headwater/rest/call"
)

// analyticsHandlers serve tables of time-series values.
type analyticsHandlers struct{ catalog *services.Services }

// statsAnswer repeats the request beside its answer.
type statsAnswer struct {
	EntityName string            `json:"entityName"`
	AspectName string            `json:"aspectName"`
	Metrics    json.RawMessage   `json:"aggregationSpecs"`
	Filter     json.RawMessage   `json:"filter,omitempty"`
	Buckets    json.RawMessage   `json:"groupingBuckets,omitempty"`
	Table      *stats.StatsTable `json:"table"`
}

func (h analyticsHandlers) timeSeriesStats(c *call.Call) error {
	var (
		body   json.RawMessage
		wanted stats.StatsRequest
		parts  struct {
			Metrics json.RawMessage `json:"metrics"`
			Filter  json.RawMessage `json:"filter"`
			Buckets json.RawMessage `json:"buckets"`
		}
	)
	if err := c.Body(&body); err != nil {
		return err
	}
	if err := call.DecodeBody(body, &wanted); err != nil {
		return err
	}
	if err := call.DecodeBody(body, &parts); err != nil {
		return err
	}
	for _, p := range []struct{ name, value string }{{"entityName", wanted.EntityName}, {"aspectName", wanted.AspectName}} {
		if p.value == "" {
			return catalog.Errorf(catalog.Invalid, "parameter %s is required", p.name)
		}
	}
	table, err := h.catalog.Stats.TimeSeriesStats(c.Request.Context(), wanted)
	if err != nil {
		return err
	}
	return c.Answer(statsAnswer{wanted.EntityName, wanted.AspectName, parts.Metrics, absent(parts.Filter), absent(parts.Buckets), table})
}

// absent returns nil for null, so that the member is left out.
func absent(text json.RawMessage) json.RawMessage {
	if string(text) == "null" {
		return nil
	}
	return text
}
