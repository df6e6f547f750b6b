package catalog

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/model"
)

// IngestUsage stores buckets as values of the usage aspect.
func (c *Catalog) IngestUsage(ctx context.Context, buckets []UsageBucket, o WriteOptions) error {
	proposals := make([]Proposal, len(buckets))
	for i, b := range buckets {
		stored := StoredUsage{
			TimestampMillis: b.Bucket, EventGranularity: UsageGranularity{Unit: b.Duration, Multiple: 1},
			UniqueUserCount: b.Metrics.UniqueUserCount, TotalSQLQueries: b.Metrics.TotalSQLQueries,
			TopSQLQueries: b.Metrics.TopSQLQueries, UserCounts: b.Metrics.Users,
		}
		for _, f := range b.Metrics.Fields {
			stored.FieldCounts = append(stored.FieldCounts, StoredFieldCount{FieldPath: f.FieldName, Count: f.Count})
		}
		text, err := json.Marshal(stored)
		if err != nil {
			return &Error{Code: Internal, Message: "internal error", Err: err}
		}
		proposals[i] = Proposal{
			EntityType: model.EntityDataset, EntityURN: b.Resource, AspectName: model.AspectDatasetUsageStatistics,
			Aspect: &GenericAspect{Value: text, ContentType: "application/json"},
		}
		// All buckets are checked before the first is stored.
		if _, err := c.prepare(&proposals[i], o); err != nil {
			return err
		}
	}
	items, err := c.IngestBatch(ctx, proposals, o)
	if err != nil {
		return err
	}
	for _, item := range items {
		if item.Err != nil {
			return item.Err
		}
	}
	return nil
}
