package stats_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/stats"
	"github.com/headwater-io/headwater/internal/limits"
)

// day returns an hour of a day in 2024, epoch milliseconds.
func day(month time.Month, n, hour int) int64 {
	return time.Date(2024, month, n, hour, 0, 0, 0, time.UTC).UnixMilli()
}

// used returns a catalog with the usage of two tables.
func used(t *testing.T) *catalogtest.Harness {
	h := catalogtest.NewHarness(t)
	user := func(name string, n int) string {
		return fmt.Sprintf(`{"user":"urn:li:corpuser:%s","count":%d}`, name, n)
	}
	use(h, catalogtest.Table, day(1, 1, 1), 3, user("ada", 2)+","+user("bob", 1))
	use(h, catalogtest.Table, day(1, 1, 5), 4, user("ada", 4))
	use(h, catalogtest.Table, day(1, 4, 0), 9, user("bob", 9))
	use(h, catalogtest.Upstream, day(2, 2, 0), 100, user("ada", 100))
	return h
}

// use writes the usage of a table.
func use(h *catalogtest.Harness, urn string, at int64, queries int, users string) {
	h.Say(urn, "datasetUsageStatistics", fmt.Sprintf(`{"timestampMillis":%d,"totalSqlQueries":%d,"uniqueUserCount":%d,"userCounts":[%s]}`, at, queries, queries, users))
}

// window returns a bucket by time, by returns a bucket by a field.
func window(unit string) stats.GroupingBucket {
	return stats.GroupingBucket{Type: stats.DateBucket, Key: stats.Timestamp, TimeWindowSize: &stats.TimeWindowSize{Unit: unit}}
}

func by(key string) stats.GroupingBucket {
	return stats.GroupingBucket{Type: stats.StringBucket, Key: key}
}

var sum = stats.AggregationSpec{"totalSqlQueries", stats.SumMetric}

// tableText returns a table as one line.
func tableText(table *stats.StatsTable) string {
	var head []string
	for i := range table.ColumnNames {
		head = append(head, table.ColumnNames[i]+" "+table.ColumnTypes[i])
	}
	lines := []string{strings.Join(head, ",")}
	for _, row := range table.Rows {
		lines = append(lines, strings.Join(row, " "))
	}
	return strings.Join(lines, "|")
}

// TestTimeSeriesStats: values of named entities are summed up by day and user.
func TestTimeSeriesStats(t *testing.T) {
	h := used(t)
	of := func(urns ...string) *catalog.Filter {
		return &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "urn", Values: urns}}}}}
	}
	d := func(at int64) string { return fmt.Sprint(at) }
	for _, c := range []struct {
		name string
		r    stats.StatsRequest
		want string
	}{
		{
			"by day, gaps filled",
			stats.StatsRequest{Filter: of(" " + catalogtest.OtherLetters(catalogtest.Table)), Metrics: []stats.AggregationSpec{sum, {"totalSqlQueries", stats.LatestMetric}, {"uniqueUserCount", stats.CountMetric}}, Buckets: []stats.GroupingBucket{window("DAY")}},
			"timestampMillis long,sum_totalSqlQueries double,latest_totalSqlQueries int,cardinality_uniqueUserCount long|" +
				d(day(1, 1, 0)) + " 7 4 2|" + d(day(1, 2, 0)) + " 0 NULL 0|" + d(day(1, 3, 0)) + " 0 NULL 0|" + d(day(1, 4, 0)) + " 9 9 1",
		},
		{
			"by user",
			stats.StatsRequest{Metrics: []stats.AggregationSpec{{"userCounts.count", stats.SumMetric}}, Buckets: []stats.GroupingBucket{by("userCounts.user")}},
			"userCounts.user string,sum_userCounts.count double|urn:li:corpuser:ada 106|urn:li:corpuser:bob 10",
		},
		{
			"by month and user",
			stats.StatsRequest{Metrics: []stats.AggregationSpec{{"userCounts.count", stats.SumMetric}}, Buckets: []stats.GroupingBucket{window("MONTH"), by("userCounts.user")}},
			"timestampMillis long,userCounts.user string,sum_userCounts.count double|" + d(day(1, 1, 0)) + " urn:li:corpuser:ada 6|" + d(day(1, 1, 0)) + " urn:li:corpuser:bob 10|" + d(day(2, 1, 0)) + " urn:li:corpuser:ada 100",
		},
		{
			"by week",
			stats.StatsRequest{Filter: of(catalogtest.Upstream), Metrics: []stats.AggregationSpec{sum}, Buckets: []stats.GroupingBucket{window("WEEK")}},
			"timestampMillis long,sum_totalSqlQueries double|" + d(day(1, 29, 0)) + " 100",
		},
		{
			"by entity",
			stats.StatsRequest{Metrics: []stats.AggregationSpec{sum}, Buckets: []stats.GroupingBucket{by("urn")}},
			"urn string,sum_totalSqlQueries double|" + catalogtest.Table + " 16|" + catalogtest.Upstream + " 100",
		},
		{"one row", stats.StatsRequest{Metrics: []stats.AggregationSpec{sum, {"userCounts.user", stats.CountMetric}}}, "sum_totalSqlQueries double,cardinality_userCounts.user long|116 2"},
		{
			"filtered",
			stats.StatsRequest{Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "urn", Value: catalogtest.Table}, {Field: stats.Timestamp, Value: d(day(1, 2, 0)), Condition: catalog.CondGreaterThan}}}}}, Metrics: []stats.AggregationSpec{sum}},
			"sum_totalSqlQueries double|9",
		},
		{"of nothing", stats.StatsRequest{Filter: of("urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)"), Metrics: []stats.AggregationSpec{sum}, Buckets: []stats.GroupingBucket{window("YEAR")}}, "timestampMillis long,sum_totalSqlQueries double"},
	} {
		c.r.EntityName, c.r.AspectName = "dataset", "datasetUsageStatistics"
		table, err := h.Stats.TimeSeriesStats(t.Context(), c.r)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := tableText(table); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestTimeSeriesStatsRefused: invalid requests for statistics are refused.
func TestTimeSeriesStatsRefused(t *testing.T) {
	h := used(t)
	use(h, catalogtest.Table, day(6, 1, 0), 1, "")
	for says, r := range map[string]stats.StatsRequest{
		"metrics is required":  {},
		"more than 10000 rows": {Metrics: []stats.AggregationSpec{sum}, Buckets: []stats.GroupingBucket{window("MINUTE")}},
		"has no field":         {Metrics: []stats.AggregationSpec{{"nothing", stats.SumMetric}}},
		"is not a number":      {Metrics: []stats.AggregationSpec{{"userCounts.user", stats.SumMetric}}},
		"aggregationType":      {Metrics: []stats.AggregationSpec{{"totalSqlQueries", "MAX"}}},
		"the unit of":          {Metrics: []stats.AggregationSpec{sum}, Buckets: []stats.GroupingBucket{window("DECADE")}},
		"must have the key":    {Metrics: []stats.AggregationSpec{sum}, Buckets: []stats.GroupingBucket{{Type: stats.DateBucket, Key: "totalSqlQueries"}}},
		"in one request":       {Metrics: make([]stats.AggregationSpec, limits.MaxStatsColumns+1)},
	} {
		r.EntityName, r.AspectName = "dataset", "datasetUsageStatistics"
		if _, err := h.Stats.TimeSeriesStats(t.Context(), r); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := h.Stats.TimeSeriesStats(t.Context(), stats.StatsRequest{EntityName: "dataset", AspectName: "status", Metrics: []stats.AggregationSpec{sum}}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("an aspect with versions: %v", err)
	}
}
