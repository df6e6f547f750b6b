package write

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// IngestUsage stores buckets as values of the usage aspect.
func (w *Writer) IngestUsage(ctx context.Context, buckets []model.UsageBucket, o catalog.WriteOptions) error {
	proposals := make([]Proposal, len(buckets))
	for i, b := range buckets {
		stored := model.StoredUsage{
			TimestampMillis: b.Bucket, EventGranularity: model.UsageGranularity{Unit: b.Duration, Multiple: 1},
			UniqueUserCount: b.Metrics.UniqueUserCount, TotalSQLQueries: b.Metrics.TotalSQLQueries,
			TopSQLQueries: b.Metrics.TopSQLQueries, UserCounts: b.Metrics.Users,
		}
		for _, f := range b.Metrics.Fields {
			stored.FieldCounts = append(stored.FieldCounts, model.StoredFieldCount{FieldPath: f.FieldName, Count: f.Count})
		}
		text, err := json.Marshal(stored)
		if err != nil {
			return &catalog.Error{Code: catalog.Internal, Message: "internal error", Err: err}
		}
		proposals[i] = Proposal{
			EntityType: model.EntityDataset, EntityURN: b.Resource, AspectName: model.AspectDatasetUsageStatistics,
			Aspect: &GenericAspect{Value: text, ContentType: "application/json"},
		}
		// All buckets are checked before the first is stored.
		if _, err := w.changeOf(&proposals[i], o); err != nil {
			return err
		}
	}
	items, err := w.IngestBatch(ctx, proposals, o)
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
