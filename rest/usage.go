package rest

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
)

// usageHandlers write and read usage in the legacy form.
type usageHandlers struct{ catalog *services.Services }

func (h usageHandlers) ingestUsage(c *call) error {
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
	if err := h.catalog.IngestUsage(c.Request.Context(), body.Buckets, options); err != nil {
		return err
	}
	return c.nothing()
}

func (h usageHandlers) queryUsage(c *call) error {
	var body struct {
		Resource     string  `json:"resource"`
		Duration     string  `json:"duration"`
		RangeFromEnd string  `json:"rangeFromEnd"`
		MaxBuckets   wireInt `json:"maxBuckets"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Resource == "" || body.Duration == "" {
		return catalog.Errorf(catalog.Invalid, "parameters resource and duration are required")
	}
	resource, err := c.urn(body.Resource)
	if err != nil {
		return err
	}
	result, err := h.catalog.QueryUsage(c.Request.Context(), catalog.UsageQuery{
		Resource: resource, Duration: body.Duration, RangeFromEnd: body.RangeFromEnd, MaxBuckets: int(body.MaxBuckets),
	})
	if err != nil {
		return err
	}
	return c.value(result)
}
