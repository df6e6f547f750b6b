// Package usage has the calls about the usage of data, statistics of time series, and the views and searches
// of people on web pages.
package usage

import (
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// Endpoints returns the endpoints about usage, other time series, and the views and searches of people on web
// pages.
func Endpoints(rules *services.Services) []call.Endpoint {
	return slices.Concat(
		usageHandlers{rules}.endpoints(),
		analyticsHandlers{rules}.endpoints(),
		trackingHandlers{rules}.endpoints(),
	)
}

func (h usageHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/usageStats", Action: "batchIngest", Tag: "Usage",
			Summary:    "Write usage in buckets of time (deprecated form of the aspect datasetUsageStatistics).",
			Parameters: []call.Parameter{{Name: "buckets", Kind: "array", Help: "{bucket, duration, resource, metrics}", Required: true}},
			Example:    call.Example{Body: `{"buckets":[{"bucket":1700000000000,"duration":"DAY","resource":"` + call.ExampleTable + `","metrics":{"uniqueUserCount":1,"users":[{"user":"urn:li:corpuser:ada","count":3}],"totalSqlQueries":3,"fields":[{"fieldName":"id","count":3}]}}]}`},
			Handle:     h.ingestUsage,
		},
		{
			Method: http.MethodPost, Path: "/usageStats", Action: "queryRange", Tag: "Usage", Reads: true,
			Summary: "Usage of a dataset over a range that ends now.",
			Parameters: []call.Parameter{
				{Name: "resource", Kind: "string", Help: "the dataset", Required: true},
				{Name: "duration", Kind: "string", Help: "length of the buckets: HOUR, DAY, …", Required: true},
				{Name: "rangeFromEnd", Kind: "string", Help: "DAY, WEEK, MONTH, QUARTER, YEAR or ALL, the default"},
				{Name: "maxBuckets", Kind: "integer", Help: "the largest number of buckets"},
			},
			Example: call.Example{Body: `{"resource":"` + call.ExampleTable + `","duration":"DAY","rangeFromEnd":"ALL"}`},
			Handle:  h.queryUsageRange,
		},
		{
			Method: http.MethodPost, Path: "/usageStats", Action: "query", Tag: "Usage", Reads: true,
			Summary: "Usage of a dataset between two moments.",
			Parameters: []call.Parameter{
				{Name: "resource", Kind: "string", Help: "the dataset", Required: true},
				{Name: "duration", Kind: "string", Help: "length of the buckets: HOUR, DAY, …", Required: true},
				{Name: "startTime", Kind: "integer", Help: "earliest bucket, epoch milliseconds, included"},
				{Name: "endTime", Kind: "integer", Help: "latest bucket, epoch milliseconds, included"},
				{Name: "maxBuckets", Kind: "integer", Help: "the largest number of buckets"},
			},
			Example: call.Example{Body: `{"resource":"` + call.ExampleTable + `","duration":"DAY","startTime":1600000000000}`},
			Handle:  h.queryUsage,
		},
	}
}

func (h analyticsHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodPost, Path: "/analytics", Action: "getTimeseriesStats", Tag: "Usage", Reads: true,
		Summary: "Values of a time-series aspect, aggregated in groups, as a table of texts.",
		Parameters: []call.Parameter{
			{Name: "entityName", Kind: "string", Help: "the entity type", Required: true},
			{Name: "aspectName", Kind: "string", Help: "a time-series aspect", Required: true},
			{Name: "metrics", Kind: "array", Help: "{aggregationType: LATEST, SUM or CARDINALITY, fieldPath}", Required: true},
			{Name: "filter", Kind: "object", Help: "{or:[{and:[{field, value, values, condition, negated}]}]}; field urn names the entities"},
			{Name: "buckets", Kind: "array", Help: "{type: DATE_GROUPING_BUCKET or STRING_GROUPING_BUCKET, key, timeWindowSize: {unit, multiple}}"},
		},
		Example: call.Example{Body: `{"entityName":"dataset","aspectName":"datasetUsageStatistics","metrics":[{"fieldPath":"totalSqlQueries","aggregationType":"SUM"}],"filter":{"or":[{"and":[{"field":"urn","value":"` + call.ExampleTable + `","condition":"EQUAL"}]}]},"buckets":[{"type":"DATE_GROUPING_BUCKET","key":"timestampMillis","timeWindowSize":{"unit":"DAY","multiple":1}}]}`},
		Handle:  h.timeSeriesStats,
	}}
}

func (h trackingHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodPost, Path: "/openapi/v1/tracking/track", Tag: "Usage", Reads: true,
		Summary: "Tell of an event on a web page. The views of entities (EntityViewEvent) and the searches (SearchResultsViewEvent) are counted by day, without who looked; other events are accepted and not kept.",
		Content: call.Object{"type": "object", "required": []string{"type"}, "properties": call.Object{
			"type":      call.Object{"type": "string", "description": "the type of the event, such as EntityViewEvent"},
			"entityUrn": call.Object{"type": "string", "description": "of EntityViewEvent: the entity", "maxLength": limits.MaxURNBytes},
		}},
		Example: call.Example{Body: `{"type":"EntityViewEvent","entityUrn":"` + call.ExampleTable + `","timestamp":1700000000000}`},
		Handle:  h.track,
	}}
}
