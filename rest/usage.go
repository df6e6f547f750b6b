package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
)

func usageEndpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/usageStats", action: "batchIngest", tag: "Usage",
			summary:    "Write usage in buckets of time (deprecated form of the aspect datasetUsageStatistics).",
			parameters: []parameter{{"buckets", "array", "{bucket, duration, resource, metrics}", true}},
			example:    example{body: `{"buckets":[{"bucket":1700000000000,"duration":"DAY","resource":"` + exampleTable + `","metrics":{"uniqueUserCount":1,"users":[{"user":"urn:li:corpuser:ada","count":3}],"totalSqlQueries":3,"fields":[{"fieldName":"id","count":3}]}}]}`},
			handle:     (*call).ingestUsage,
		},
		{
			method: http.MethodPost, path: "/usageStats", action: "queryRange", tag: "Usage",
			summary: "Usage of a dataset over a range that ends now.",
			parameters: []parameter{
				{"resource", "string", "the dataset", true},
				{"duration", "string", "length of the buckets: HOUR, DAY, …", true},
				{"rangeFromEnd", "string", "DAY, WEEK, MONTH, QUARTER, YEAR or ALL, the default", false},
				{"maxBuckets", "integer", "at most so many buckets", false},
			},
			example: example{body: `{"resource":"` + exampleTable + `","duration":"DAY","rangeFromEnd":"ALL"}`},
			handle:  (*call).queryUsage,
		},
	}
}

func (c *call) ingestUsage() error {
	var body struct {
		Buckets []catalog.UsageBucket `json:"buckets"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Buckets == nil {
		return catalog.Errorf(catalog.Invalid, "parameter buckets is required")
	}
	options, err := c.writeOptions(nil)
	if err != nil {
		return err
	}
	if err := c.catalog.IngestUsage(c.Request.Context(), body.Buckets, options); err != nil {
		return err
	}
	return c.nothing()
}

func (c *call) queryUsage() error {
	var body struct {
		Resource     string `json:"resource"`
		Duration     string `json:"duration"`
		RangeFromEnd string `json:"rangeFromEnd"`
		MaxBuckets   int    `json:"maxBuckets"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Resource == "" || body.Duration == "" {
		return catalog.Errorf(catalog.Invalid, "parameters resource and duration are required")
	}
	result, err := c.catalog.QueryUsage(c.Request.Context(), catalog.UsageQuery(body))
	if err != nil {
		return err
	}
	return c.value(result)
}
