package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

func (h usageHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/usageStats", action: "batchIngest", tag: "Usage",
			summary:    "Write usage in buckets of time (deprecated form of the aspect datasetUsageStatistics).",
			parameters: []parameter{{"buckets", "array", "{bucket, duration, resource, metrics}", true}},
			example:    example{body: `{"buckets":[{"bucket":1700000000000,"duration":"DAY","resource":"` + exampleTable + `","metrics":{"uniqueUserCount":1,"users":[{"user":"urn:li:corpuser:ada","count":3}],"totalSqlQueries":3,"fields":[{"fieldName":"id","count":3}]}}]}`},
			handle:     h.ingestUsage,
		},
		{
			method: http.MethodPost, path: "/usageStats", action: "queryRange", tag: "Usage", reads: true,
			summary: "Usage of a dataset over a range that ends now.",
			parameters: []parameter{
				{"resource", "string", "the dataset", true},
				{"duration", "string", "length of the buckets: HOUR, DAY, …", true},
				{"rangeFromEnd", "string", "DAY, WEEK, MONTH, QUARTER, YEAR or ALL, the default", false},
				{"maxBuckets", "integer", "the largest number of buckets", false},
			},
			example: example{body: `{"resource":"` + exampleTable + `","duration":"DAY","rangeFromEnd":"ALL"}`},
			handle:  h.queryUsageRange,
		},
		{
			method: http.MethodPost, path: "/usageStats", action: "query", tag: "Usage", reads: true,
			summary: "Usage of a dataset between two moments.",
			parameters: []parameter{
				{"resource", "string", "the dataset", true},
				{"duration", "string", "length of the buckets: HOUR, DAY, …", true},
				{"startTime", "integer", "earliest bucket, epoch milliseconds, included", false},
				{"endTime", "integer", "latest bucket, epoch milliseconds, included", false},
				{"maxBuckets", "integer", "the largest number of buckets", false},
			},
			example: example{body: `{"resource":"` + exampleTable + `","duration":"DAY","startTime":1600000000000}`},
			handle:  h.queryUsage,
		},
	}
}

func (h analyticsHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodPost, path: "/analytics", action: "getTimeseriesStats", tag: "Usage", reads: true,
		summary: "Values of a time-series aspect, aggregated in groups, as a table of texts.",
		parameters: []parameter{
			{"entityName", "string", "the entity type", true},
			{"aspectName", "string", "a time-series aspect", true},
			{"metrics", "array", "{aggregationType: LATEST, SUM or CARDINALITY, fieldPath}", true},
			{"filter", "object", "{or:[{and:[{field, value, values, condition, negated}]}]}; field urn names the entities", false},
			{"buckets", "array", "{type: DATE_GROUPING_BUCKET or STRING_GROUPING_BUCKET, key, timeWindowSize: {unit, multiple}}", false},
		},
		example: example{body: `{"entityName":"dataset","aspectName":"datasetUsageStatistics","metrics":[{"fieldPath":"totalSqlQueries","aggregationType":"SUM"}],"filter":{"or":[{"and":[{"field":"urn","value":"` + exampleTable + `","condition":"EQUAL"}]}]},"buckets":[{"type":"DATE_GROUPING_BUCKET","key":"timestampMillis","timeWindowSize":{"unit":"DAY","multiple":1}}]}`},
		handle:  h.timeSeriesStats,
	}}
}

func (h trackingHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodPost, path: "/openapi/v1/tracking/track", tag: "Usage", reads: true,
		summary: "Tell of an event on a web page. The views of entities (EntityViewEvent) and the searches (SearchResultsViewEvent) are counted by day, without who looked; other events are accepted and not kept.",
		content: object{"type": "object", "required": []string{"type"}, "properties": object{
			"type":      object{"type": "string", "description": "the type of the event, such as EntityViewEvent"},
			"entityUrn": object{"type": "string", "description": "of EntityViewEvent: the entity", "maxLength": limits.MaxURNBytes},
		}},
		example: example{body: `{"type":"EntityViewEvent","entityUrn":"` + exampleTable + `","timestamp":1700000000000}`},
		handle:  h.track,
	}}
}
