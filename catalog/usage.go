package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/headwater-io/headwater/graphstore"
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

// storedUsage is the part of the aspect that usage queries read and write.
type storedUsage struct {
	TimestampMillis  int64              `json:"timestampMillis"`
	EventGranularity usageGranularity   `json:"eventGranularity"`
	UniqueUserCount  *int64             `json:"uniqueUserCount,omitempty"`
	TotalSQLQueries  *int64             `json:"totalSqlQueries,omitempty"`
	TopSQLQueries    []string           `json:"topSqlQueries,omitempty"`
	UserCounts       []UserUsage        `json:"userCounts,omitempty"`
	FieldCounts      []storedFieldCount `json:"fieldCounts,omitempty"`
}

type usageGranularity struct {
	Unit     string `json:"unit"`
	Multiple int    `json:"multiple"`
}

type storedFieldCount struct {
	FieldPath string `json:"fieldPath"`
	Count     int64  `json:"count"`
}

// IngestUsage stores buckets as values of the usage aspect.
func (c *Catalog) IngestUsage(ctx context.Context, buckets []UsageBucket, o WriteOptions) error {
	proposals := make([]Proposal, len(buckets))
	for i, b := range buckets {
		stored := storedUsage{
			TimestampMillis: b.Bucket, EventGranularity: usageGranularity{Unit: b.Duration, Multiple: 1},
			UniqueUserCount: b.Metrics.UniqueUserCount, TotalSQLQueries: b.Metrics.TotalSQLQueries,
			TopSQLQueries: b.Metrics.TopSQLQueries, UserCounts: b.Metrics.Users,
		}
		for _, f := range b.Metrics.Fields {
			stored.FieldCounts = append(stored.FieldCounts, storedFieldCount{FieldPath: f.FieldName, Count: f.Count})
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

// UsageQuery asks for the usage of a resource.
type UsageQuery struct {
	Resource model.URN
	// Duration is the length of the buckets: HOUR, DAY, WEEK, MONTH, YEAR, …
	Duration string
	// RangeFromEnd is how far the query looks back: DAY, WEEK, MONTH, QUARTER,
	// YEAR or ALL.
	RangeFromEnd string
	// From and To are the earliest and the latest bucket, in epoch milliseconds and both
	// included; 0 leaves a side open. A range from the end replaces From.
	From, To   int64
	MaxBuckets int
}

// UsageResult is the usage that was found, newest bucket first.
type UsageResult struct {
	Buckets      []UsageBucket `json:"buckets"`
	Aggregations UsageMetrics  `json:"aggregations"`
}

// usageDays is how many days each range looks back: the period and one more
// day.
var usageDays = map[string]int64{"DAY": 2, "WEEK": 8, "MONTH": 31, "QUARTER": 92, "YEAR": 366, "ALL": 0}

// QueryUsage sums up the usage of a resource.
func (c *Catalog) QueryUsage(ctx context.Context, q UsageQuery) (UsageResult, error) {
	found, err := c.UsageOf(ctx, []model.URN{q.Resource}, q)
	if err != nil {
		return UsageResult{}, err
	}
	return found[q.Resource.String()], nil
}

// UsageOf sums up the usage of each of several resources, by the texts of their
// URNs. The query's own Resource is ignored.
func (c *Catalog) UsageOf(ctx context.Context, resources []model.URN, q UsageQuery) (map[string]UsageResult, error) {
	days, ok := usageDays[cmp.Or(q.RangeFromEnd, "ALL")]
	if !ok {
		return nil, Errorf(Invalid, "rangeFromEnd must be one of DAY, WEEK, MONTH, QUARTER, YEAR, ALL")
	}
	if q.From != 0 && q.To != 0 && q.From > q.To {
		return nil, Errorf(Invalid, "the start, %d, is after the end, %d", q.From, q.To)
	}
	from := q.From
	if days > 0 {
		from = c.now().Add(-time.Duration(days)*24*time.Hour).UnixMilli() - 1
	}
	sums, results := map[string]*usageSum{}, make(map[string]UsageResult, len(resources))
	for _, urn := range resources {
		sums[urn.String()] = &usageSum{users: map[UserUsage]int64{}, fields: map[string]int64{}, buckets: []UsageBucket{}}
	}
	err := c.eachValueOf(ctx, resources, valuesQuery{aspect: model.AspectDatasetUsageStatistics, from: from, to: q.To}, func(v *graphstore.TimeSeriesValue) (bool, error) {
		var stored storedUsage
		if err := json.Unmarshal(v.Value, &stored); err != nil {
			return false, &Error{Code: Internal, Message: "internal error", Err: err}
		}
		if q.Duration == "" || stored.EventGranularity.Unit == "" || stored.EventGranularity.Unit == q.Duration {
			sums[v.URN].add(&stored, v.URN, &q)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	for urn, sum := range sums {
		results[urn] = UsageResult{Buckets: sum.buckets, Aggregations: sum.metrics()}
	}
	return results, nil
}

// usageSum adds buckets up.
type usageSum struct {
	buckets []UsageBucket
	queries *int64
	users   map[UserUsage]int64
	fields  map[string]int64
}

func (s *usageSum) add(u *storedUsage, resource string, q *UsageQuery) {
	if q.MaxBuckets <= 0 || len(s.buckets) < q.MaxBuckets {
		s.buckets = append(s.buckets, UsageBucket{
			Bucket: u.TimestampMillis, Duration: q.Duration, Resource: resource,
			Metrics: UsageMetrics{UniqueUserCount: u.UniqueUserCount, TotalSQLQueries: u.TotalSQLQueries, TopSQLQueries: u.TopSQLQueries},
		})
	}
	if u.TotalSQLQueries != nil {
		total := ValueOr(s.queries, 0) + *u.TotalSQLQueries
		s.queries = &total
	}
	for _, user := range u.UserCounts {
		s.users[UserUsage{User: user.User, UserEmail: user.UserEmail}] += user.Count
	}
	for _, field := range u.FieldCounts {
		s.fields[field.FieldPath] += field.Count
	}
}

func (s *usageSum) metrics() UsageMetrics {
	unique := int64(len(s.users))
	m := UsageMetrics{UniqueUserCount: &unique, TotalSQLQueries: s.queries}
	for user, count := range s.users {
		user.Count = count
		m.Users = append(m.Users, user)
	}
	for name, count := range s.fields {
		m.Fields = append(m.Fields, FieldUsage{FieldName: name, Count: count})
	}
	slices.SortFunc(m.Users, func(a, b UserUsage) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.User, b.User), cmp.Compare(a.UserEmail, b.UserEmail))
	})
	slices.SortFunc(m.Fields, func(a, b FieldUsage) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.FieldName, b.FieldName))
	})
	return m
}
