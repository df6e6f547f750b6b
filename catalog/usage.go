package catalog

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/model"
)

// UsageBucket is the usage of one resource in one interval, in the deprecated
// form.
type UsageBucket struct {
	Bucket   int64        `json:"bucket"`
	Duration string       `json:"duration"`
	Resource string       `json:"resource"`
	Metrics  UsageMetrics `json:"metrics"`
}

// UsageMetrics are the numbers of a bucket; nil means unknown.
type UsageMetrics struct {
	UniqueUserCount *int64       `json:"uniqueUserCount,omitempty"`
	Users           []UserUsage  `json:"users,omitempty"`
	TotalSQLQueries *int64       `json:"totalSqlQueries,omitempty"`
	TopSQLQueries   []string     `json:"topSqlQueries,omitempty"`
	Fields          []FieldUsage `json:"fields,omitempty"`
}

// UserUsage counts the queries of one user.
type UserUsage struct {
	User      string `json:"user,omitempty"`
	Count     int64  `json:"count"`
	UserEmail string `json:"userEmail,omitempty"`
}

// FieldUsage counts the queries that named one field.
type FieldUsage struct {
	FieldName string `json:"fieldName"`
	Count     int64  `json:"count"`
}

// StoredUsage is the part of the aspect that usage queries read and write.
type StoredUsage struct {
	TimestampMillis  int64              `json:"timestampMillis"`
	EventGranularity UsageGranularity   `json:"eventGranularity"`
	UniqueUserCount  *int64             `json:"uniqueUserCount,omitempty"`
	TotalSQLQueries  *int64             `json:"totalSqlQueries,omitempty"`
	TopSQLQueries    []string           `json:"topSqlQueries,omitempty"`
	UserCounts       []UserUsage        `json:"userCounts,omitempty"`
	FieldCounts      []StoredFieldCount `json:"fieldCounts,omitempty"`
}

// UsageGranularity is the length of an interval: a number of a unit, such as DAY.
type UsageGranularity struct {
	Unit     string `json:"unit"`
	Multiple int    `json:"multiple"`
}

// StoredFieldCount counts the queries that named one field, as the aspect has it.
type StoredFieldCount struct {
	FieldPath string `json:"fieldPath"`
	Count     int64  `json:"count"`
}

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
