package catalog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestTimeSeriesStats: values summed up by day and user, of entities named.
func TestTimeSeriesStats(t *testing.T) {
	h := newHarness(t)
	day := func(month time.Month, n, hour int) int64 {
		return time.Date(2024, month, n, hour, 0, 0, 0, time.UTC).UnixMilli()
	}
	usage := func(urn string, at int64, queries int, users string) {
		h.say(urn, "datasetUsageStatistics", fmt.Sprintf(`{"timestampMillis":%d,"totalSqlQueries":%d,"uniqueUserCount":%d,"userCounts":[%s]}`, at, queries, queries, users))
	}
	user := func(name string, n int) string {
		return fmt.Sprintf(`{"user":"urn:li:corpuser:%s","count":%d}`, name, n)
	}
	usage(table, day(1, 1, 1), 3, user("ada", 2)+","+user("bob", 1))
	usage(table, day(1, 1, 5), 4, user("ada", 4))
	usage(table, day(1, 4, 0), 9, user("bob", 9))
	usage(upstream, day(2, 2, 0), 100, user("ada", 100))
	of := func(urns ...string) *Filter {
		return &Filter{Or: []Conjunction{{And: []Criterion{{Field: "urn", Values: urns}}}}}
	}
	window := func(unit string) GroupingBucket {
		return GroupingBucket{Type: dateBucket, Key: timestamp, TimeWindowSize: &TimeWindowSize{Unit: unit}}
	}
	by := func(key string) GroupingBucket { return GroupingBucket{Type: stringBucket, Key: key} }
	sum := AggregationSpec{"totalSqlQueries", sumMetric}
	d := func(at int64) string { return fmt.Sprint(at) }
	for _, c := range []struct {
		name string
		r    StatsRequest
		want string
	}{
		{
			"by day, gaps filled",
			StatsRequest{Filter: of(" " + otherLetters(table)), Metrics: []AggregationSpec{sum, {"totalSqlQueries", latestMetric}, {"uniqueUserCount", countMetric}}, Buckets: []GroupingBucket{window("DAY")}},
			"timestampMillis long,sum_totalSqlQueries double,latest_totalSqlQueries int,cardinality_uniqueUserCount long|" +
				d(day(1, 1, 0)) + " 7 4 2|" + d(day(1, 2, 0)) + " 0 NULL 0|" + d(day(1, 3, 0)) + " 0 NULL 0|" + d(day(1, 4, 0)) + " 9 9 1",
		},
		{
			"by user",
			StatsRequest{Metrics: []AggregationSpec{{"userCounts.count", sumMetric}}, Buckets: []GroupingBucket{by("userCounts.user")}},
			"userCounts.user string,sum_userCounts.count double|urn:li:corpuser:ada 106|urn:li:corpuser:bob 10",
		},
		{
			"by month and user",
			StatsRequest{Metrics: []AggregationSpec{{"userCounts.count", sumMetric}}, Buckets: []GroupingBucket{window("MONTH"), by("userCounts.user")}},
			"timestampMillis long,userCounts.user string,sum_userCounts.count double|" + d(day(1, 1, 0)) + " urn:li:corpuser:ada 6|" + d(day(1, 1, 0)) + " urn:li:corpuser:bob 10|" + d(day(2, 1, 0)) + " urn:li:corpuser:ada 100",
		},
		{
			"by week",
			StatsRequest{Filter: of(upstream), Metrics: []AggregationSpec{sum}, Buckets: []GroupingBucket{window("WEEK")}},
			"timestampMillis long,sum_totalSqlQueries double|" + d(day(1, 29, 0)) + " 100",
		},
		{
			"by entity",
			StatsRequest{Metrics: []AggregationSpec{sum}, Buckets: []GroupingBucket{by("urn")}},
			"urn string,sum_totalSqlQueries double|" + table + " 16|" + upstream + " 100",
		},
		{"one row", StatsRequest{Metrics: []AggregationSpec{sum, {"userCounts.user", countMetric}}}, "sum_totalSqlQueries double,cardinality_userCounts.user long|116 2"},
		{
			"filtered",
			StatsRequest{Filter: &Filter{Or: []Conjunction{{And: []Criterion{{Field: "urn", Value: table}, {Field: timestamp, Value: d(day(1, 2, 0)), Condition: greaterThan}}}}}, Metrics: []AggregationSpec{sum}},
			"sum_totalSqlQueries double|9",
		},
		{"of nothing", StatsRequest{Filter: of("urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)"), Metrics: []AggregationSpec{sum}, Buckets: []GroupingBucket{window("YEAR")}}, "timestampMillis long,sum_totalSqlQueries double"},
	} {
		c.r.EntityName, c.r.AspectName = "dataset", "datasetUsageStatistics"
		table, err := h.TimeSeriesStats(t.Context(), c.r)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var head, lines []string
		for i := range table.ColumnNames {
			head = append(head, table.ColumnNames[i]+" "+table.ColumnTypes[i])
		}
		lines = append(lines, strings.Join(head, ","))
		for _, row := range table.Rows {
			lines = append(lines, strings.Join(row, " "))
		}
		if got := strings.Join(lines, "|"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	usage(table, day(6, 1, 0), 1, "")
	for says, r := range map[string]StatsRequest{
		"metrics is required":  {},
		"more than 10000 rows": {Metrics: []AggregationSpec{sum}, Buckets: []GroupingBucket{window("MINUTE")}},
		"has no field":         {Metrics: []AggregationSpec{{"nothing", sumMetric}}},
		"is not a number":      {Metrics: []AggregationSpec{{"userCounts.user", sumMetric}}},
		"aggregationType":      {Metrics: []AggregationSpec{{"totalSqlQueries", "MAX"}}},
		"the unit of":          {Metrics: []AggregationSpec{sum}, Buckets: []GroupingBucket{window("DECADE")}},
		"must have the key":    {Metrics: []AggregationSpec{sum}, Buckets: []GroupingBucket{{Type: dateBucket, Key: "totalSqlQueries"}}},
		"in one request":       {Metrics: make([]AggregationSpec, limits.MaxStatsColumns+1)},
	} {
		r.EntityName, r.AspectName = "dataset", "datasetUsageStatistics"
		if _, err := h.TimeSeriesStats(t.Context(), r); CodeOf(err) != Invalid || !strings.Contains(MessageOf(err), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := h.TimeSeriesStats(t.Context(), StatsRequest{EntityName: "dataset", AspectName: "status", Metrics: []AggregationSpec{sum}}); CodeOf(err) != Invalid {
		t.Errorf("an aspect with versions: %v", err)
	}
}
