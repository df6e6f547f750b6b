package operations

import (
	"fmt"
	"math"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// operationHandlers serve the reference's maintenance operations.
type operationHandlers struct{ catalog *services.Services }

func (h operationHandlers) restoreIndices(c *call.Call) error {
	body := struct {
		URN    string   `json:"urn"`
		Like   string   `json:"urnLike"`
		Aspect string   `json:"aspect"`
		Start  call.Int `json:"start"`
		Count  call.Int `json:"batchSize"`
	}{Count: limits.DefaultRestored}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.URN != "" {
		urn, err := c.URN(body.URN)
		if err != nil {
			return err
		}
		body.URN = urn.String()
	}
	n, err := h.catalog.Follower.Restore(c.Request.Context(), follower.RestoreRequest{
		URN: body.URN, Like: body.Like, Aspect: body.Aspect, Start: int(body.Start), Count: int(body.Count),
	})
	if err != nil {
		return err
	}
	return c.Answer(fmt.Sprintf("RestoreIndicesResult(ignored=0, rowsMigrated=%d)", n))
}

func (h operationHandlers) truncate(c *call.Call) error {
	body := struct {
		EntityType string      `json:"entityType"`
		Aspect     string      `json:"aspect"`
		End        *call.Int64 `json:"endTimeMillis"`
		DryRun     call.Bool   `json:"dryRun"`
		Timeout    call.Int64  `json:"timeoutSeconds"`
	}{DryRun: true}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.EntityType == "" || body.Aspect == "" || body.End == nil {
		return catalog.Errorf(catalog.Invalid, "parameters entityType, aspect and endTimeMillis are required")
	}
	if body.Timeout < 0 || body.Timeout > math.MaxInt64/call.Int64(time.Second) {
		return catalog.Errorf(catalog.Invalid, "parameter timeoutSeconds must not be negative, and be at most %d", math.MaxInt64/int64(time.Second))
	}
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	result, err := h.catalog.Removal.Truncate(c.Request.Context(), removal.Truncation{
		EntityType: body.EntityType, Aspect: body.Aspect, End: int64(*body.End), DryRun: bool(body.DryRun), Timeout: time.Duration(body.Timeout) * time.Second,
	}, options)
	if err != nil {
		return err
	}
	percent := 0.0
	if result.Total > 0 {
		percent = float64(result.Deleted) / float64(result.Total) * 100
	}
	if body.DryRun {
		return c.Answer(fmt.Sprintf("Delete %d out of %d rows (%.2f%%). This was a dry run. Run with dryRun = false to execute.", result.Deleted, result.Total, percent))
	}
	return c.Answer(fmt.Sprintf("Deleted %d out of %d rows (%.2f%%).", result.Deleted, result.Total, percent))
}
