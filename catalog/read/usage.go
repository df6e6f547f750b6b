package read

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// UsageQuery asks for the usage of a resource.
type UsageQuery struct {
	Resource model.URN
	// Duration is the length of the buckets: HOUR, DAY, WEEK, MONTH, YEAR, …
	Duration string
	// RangeFromEnd is the time span before the end of the query: DAY, WEEK, MONTH, QUARTER, YEAR
	// or ALL.
	RangeFromEnd string
	// From and To bound the buckets, in epoch milliseconds and both included; 0 is unbounded. A
	// RangeFromEnd replaces From.
	From, To   int64
	MaxBuckets int
}

// UsageResult has the usage of a resource, the newest bucket first.
type UsageResult struct {
	Buckets      []model.UsageBucket `json:"buckets"`
	Aggregations model.UsageMetrics  `json:"aggregations"`
}

// usageDays is the number of days of each range: the days of the period and one more.
var usageDays = map[string]int64{"DAY": 2, "WEEK": 8, "MONTH": 31, "QUARTER": 92, "YEAR": 366, "ALL": 0}

// QueryUsage sums up the usage of a resource.
func (rd *Reader) QueryUsage(ctx context.Context, q UsageQuery) (UsageResult, error) {
	found, err := rd.UsageOf(ctx, []model.URN{q.Resource}, q)
	if err != nil {
		return UsageResult{}, err
	}
	return found[q.Resource.String()], nil
}

// UsageOf sums up the usage of each of several resources, by the texts of their URNs. UsageOf
// ignores the Resource of the query.
func (rd *Reader) UsageOf(ctx context.Context, resources []model.URN, q UsageQuery) (map[string]UsageResult, error) {
	days, ok := usageDays[cmp.Or(q.RangeFromEnd, "ALL")]
	if !ok {
		return nil, catalog.Errorf(catalog.Invalid, "rangeFromEnd must be one of DAY, WEEK, MONTH, QUARTER, YEAR, ALL")
	}
	if q.From != 0 && q.To != 0 && q.From > q.To {
		return nil, catalog.Errorf(catalog.Invalid, "the start, %d, is after the end, %d", q.From, q.To)
	}
	from := q.From
	if days > 0 {
		from = rd.now().Add(-time.Duration(days)*24*time.Hour).UnixMilli() - 1
	}
	sums, results := map[string]*usageSum{}, make(map[string]UsageResult, len(resources))
	for _, urn := range resources {
		sums[urn.String()] = &usageSum{users: map[model.UserUsage]int64{}, fields: map[string]int64{}, buckets: []model.UsageBucket{}}
	}
	err := rd.eachValueOf(ctx, resources, valuesQuery{aspect: model.AspectDatasetUsageStatistics, from: from, to: q.To}, func(v *graphstore.TimeSeriesValue) (bool, error) {
		var stored model.StoredUsage
		if err := json.Unmarshal(v.Value, &stored); err != nil {
			return false, &catalog.Error{Code: catalog.Internal, Message: "internal error", Err: err}
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
	buckets []model.UsageBucket
	queries *int64
	users   map[model.UserUsage]int64
	fields  map[string]int64
}

func (s *usageSum) add(u *model.StoredUsage, resource string, q *UsageQuery) {
	if q.MaxBuckets <= 0 || len(s.buckets) < q.MaxBuckets {
		s.buckets = append(s.buckets, model.UsageBucket{
			Bucket: u.TimestampMillis, Duration: q.Duration, Resource: resource,
			Metrics: model.UsageMetrics{UniqueUserCount: u.UniqueUserCount, TotalSQLQueries: u.TotalSQLQueries, TopSQLQueries: u.TopSQLQueries},
		})
	}
	if u.TotalSQLQueries != nil {
		total := optional.Or(s.queries, 0) + *u.TotalSQLQueries
		s.queries = &total
	}
	for _, user := range u.UserCounts {
		s.users[model.UserUsage{User: user.User, UserEmail: user.UserEmail}] += user.Count
	}
	for _, field := range u.FieldCounts {
		s.fields[field.FieldPath] += field.Count
	}
}

func (s *usageSum) metrics() model.UsageMetrics {
	unique := int64(len(s.users))
	m := model.UsageMetrics{UniqueUserCount: &unique, TotalSQLQueries: s.queries}
	for user, count := range s.users {
		user.Count = count
		m.Users = append(m.Users, user)
	}
	for name, count := range s.fields {
		m.Fields = append(m.Fields, model.FieldUsage{FieldName: name, Count: count})
	}
	slices.SortFunc(m.Users, func(a, b model.UserUsage) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.User, b.User), cmp.Compare(a.UserEmail, b.UserEmail))
	})
	slices.SortFunc(m.Fields, func(a, b model.FieldUsage) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.FieldName, b.FieldName))
	})
	return m
}
