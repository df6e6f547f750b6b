package usage

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// usageHandlers write and read usage in the legacy form.
type usageHandlers struct{ catalog *services.Services }

func (h usageHandlers) ingestUsage(c *call.Call) error {
	var body struct {
		Buckets []model.UsageBucket `json:"buckets"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.Buckets == nil {
		return catalog.Errorf(catalog.Invalid, "parameter buckets is required")
	}
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	if err := h.catalog.IngestUsage(c.Request.Context(), body.Buckets, options); err != nil {
		return err
	}
	return c.Nothing()
}

// usageQuestion is the body of a question about usage.
type usageQuestion struct {
	Resource     string     `json:"resource"`
	Duration     string     `json:"duration"`
	RangeFromEnd string     `json:"rangeFromEnd"`
	StartTime    call.Int64 `json:"startTime"`
	EndTime      call.Int64 `json:"endTime"`
	MaxBuckets   call.Int   `json:"maxBuckets"`
}

// queryUsageRange answers for a range that ends now.
func (h usageHandlers) queryUsageRange(c *call.Call) error {
	return h.answerUsage(c, func(q *usageQuestion) { q.StartTime, q.EndTime = 0, 0 })
}

// queryUsage answers for a range between two moments.
func (h usageHandlers) queryUsage(c *call.Call) error {
	return h.answerUsage(c, func(q *usageQuestion) { q.RangeFromEnd = "" })
}

func (h usageHandlers) answerUsage(c *call.Call, forget func(*usageQuestion)) error {
	var body usageQuestion
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.Resource == "" || body.Duration == "" {
		return catalog.Errorf(catalog.Invalid, "parameters resource and duration are required")
	}
	resource, err := c.URN(body.Resource)
	if err != nil {
		return err
	}
	forget(&body)
	result, err := h.catalog.QueryUsage(c.Request.Context(), read.UsageQuery{
		Resource: resource, Duration: body.Duration, RangeFromEnd: body.RangeFromEnd,
		From: int64(body.StartTime), To: int64(body.EndTime), MaxBuckets: int(body.MaxBuckets),
	})
	if err != nil {
		return err
	}
	return c.Answer(result)
}
