package rest

import (
	"encoding/json"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
)

func analyticsEndpoints() []endpoint {
	return []endpoint{{
		method: http.MethodPost, path: "/analytics", action: "getTimeseriesStats", tag: "Usage",
		summary: "Values of a time-series aspect summed up in groups, as a table of texts.",
		parameters: []parameter{
			{"entityName", "string", "the entity type", true},
			{"aspectName", "string", "a time-series aspect", true},
			{"metrics", "array", "{aggregationType: LATEST, SUM or CARDINALITY, fieldPath}", true},
			{"filter", "object", "{or:[{and:[{field, value, values, condition, negated}]}]}; field urn names the entities", false},
			{"buckets", "array", "{type: DATE_GROUPING_BUCKET or STRING_GROUPING_BUCKET, key, timeWindowSize: {unit, multiple}}", false},
		},
		example: example{body: `{"entityName":"dataset","aspectName":"datasetUsageStatistics","metrics":[{"fieldPath":"totalSqlQueries","aggregationType":"SUM"}],"filter":{"or":[{"and":[{"field":"urn","value":"` + exampleTable + `","condition":"EQUAL"}]}]},"buckets":[{"type":"DATE_GROUPING_BUCKET","key":"timestampMillis","timeWindowSize":{"unit":"DAY","multiple":1}}]}`},
		handle:  (*call).timeSeriesStats,
	}}
}

// statsAnswer repeats the request beside its answer.
type statsAnswer struct {
	EntityName string              `json:"entityName"`
	AspectName string              `json:"aspectName"`
	Metrics    json.RawMessage     `json:"aggregationSpecs"`
	Filter     json.RawMessage     `json:"filter,omitempty"`
	Buckets    json.RawMessage     `json:"groupingBuckets,omitempty"`
	Table      *catalog.StatsTable `json:"table"`
}

func (c *call) timeSeriesStats() error {
	var (
		body   json.RawMessage
		wanted catalog.StatsRequest
		parts  struct {
			Metrics json.RawMessage `json:"metrics"`
			Filter  json.RawMessage `json:"filter"`
			Buckets json.RawMessage `json:"buckets"`
		}
	)
	if err := c.body(&body); err != nil {
		return err
	}
	if err := decodeBody(body, &wanted); err != nil {
		return err
	}
	if err := decodeBody(body, &parts); err != nil {
		return err
	}
	for _, p := range []struct{ name, value string }{{"entityName", wanted.EntityName}, {"aspectName", wanted.AspectName}} {
		if p.value == "" {
			return catalog.Errorf(catalog.Invalid, "parameter %s is required", p.name)
		}
	}
	table, err := c.catalog.TimeSeriesStats(c.Request.Context(), wanted)
	if err != nil {
		return err
	}
	return c.value(statsAnswer{wanted.EntityName, wanted.AspectName, parts.Metrics, absent(parts.Filter), absent(parts.Buckets), table})
}

// absent leaves out a member that is null.
func absent(text json.RawMessage) json.RawMessage {
	if string(text) == "null" {
		return nil
	}
	return text
}
