package object

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// topUsers is the number of users that a summary lists.
const topUsers = 5

// Usage returns the dataset's queries in a time range. Without a time range, it returns the
// queries since the beginning.
func (d *Dataset) Usage(ctx context.Context, timeRange *TimeRange) (*UsageQueryResult, error) {
	asked := TimeRangeAll
	if timeRange != nil {
		asked = *timeRange
	}
	return batched(d.Node, usageKey{asked}, func(nodes []*Node) (map[*Node]*UsageQueryResult, error) {
		nodes = alike(nodes, d.Node)
		session := d.batch.session
		found, err := session.Catalog.UsageOf(ctx, keysOf(nodes), read.UsageQuery{Duration: "DAY", RangeFromEnd: string(asked)})
		if err != nil {
			return nil, err
		}
		below, results := session.NewBatch(), make(map[*Node]*UsageQueryResult, len(nodes))
		for _, n := range nodes {
			usage := found[n.URN]
			results[n] = usageResult(&usage, below)
		}
		return results, nil
	})
}

type usageKey struct{ asked TimeRange }

// usageResult converts usage to the form of the schema.
func usageResult(usage *read.UsageResult, below *Batch) *UsageQueryResult {
	result := &UsageQueryResult{Buckets: make([]*UsageAggregation, len(usage.Buckets))}
	day := WindowDurationDay
	for i, b := range usage.Buckets {
		result.Buckets[i] = &UsageAggregation{
			Bucket: &b.Bucket, Duration: &day, Resource: &b.Resource,
			Metrics: &UsageAggregationMetrics{
				UniqueUserCount: small(b.Metrics.UniqueUserCount), TotalSQLQueries: small(b.Metrics.TotalSQLQueries), TopSQLQueries: pointers(b.Metrics.TopSQLQueries),
			},
		}
	}
	a := usage.Aggregations
	result.Aggregations = &UsageQueryResultAggregations{
		UniqueUserCount: small(a.UniqueUserCount), TotalSQLQueries: small(a.TotalSQLQueries), Users: usersOf(a.Users, below),
	}
	for _, f := range a.Fields {
		result.Aggregations.Fields = append(result.Aggregations.Fields, &FieldUsageCounts{FieldName: &f.FieldName, Count: small(&f.Count)})
	}
	return result
}

func usersOf(counts []model.UserUsage, below *Batch) []*UserUsageCounts {
	users := make([]*UserUsageCounts, len(counts))
	for i, u := range counts {
		users[i] = &UserUsageCounts{User: entityAs[*CorpUser](below, u.User), Count: small(&u.Count)}
		if u.UserEmail != "" {
			users[i].UserEmail = &u.UserEmail
		}
	}
	return users
}

// small converts a count to an Int of the schema, which has fewer bits.
func small(n *int64) *int {
	if n == nil {
		return nil
	}
	i := int(min(*n, 1<<31-1))
	return &i
}

func pointers(texts []string) []*string {
	list := make([]*string, len(texts))
	for i := range texts {
		list[i] = &texts[i]
	}
	return list
}

// StatsSummary sums up the dataset's last month.
func (d *Dataset) StatsSummary(ctx context.Context) (*DatasetStatsSummary, error) {
	month := TimeRangeMonth
	usage, err := d.Usage(ctx, &month)
	if err != nil {
		return nil, err
	}
	summary := &DatasetStatsSummary{
		QueryCountLast30Days: usage.Aggregations.TotalSQLQueries, UniqueUserCountLast30Days: usage.Aggregations.UniqueUserCount,
		TopUsersLast30Days: []*CorpUser{},
	}
	if selects(ctx, "rowCount") || selects(ctx, "sizeInBytes") {
		if summary.RowCount, summary.SizeInBytes, err = d.size(ctx); err != nil {
			return nil, err
		}
	}
	for _, u := range usage.Aggregations.Users {
		if u.User != nil && len(summary.TopUsersLast30Days) < topUsers {
			summary.TopUsersLast30Days = append(summary.TopUsersLast30Days, u.User)
		}
	}
	return summary, nil
}

// size returns the numbers of rows and bytes in the newest profile of the dataset.
func (d *Dataset) size(ctx context.Context) (rows, bytes *int64, err error) {
	one := 1
	profiles, err := timeSeries[DatasetProfile](ctx, d.Node, model.AspectDatasetProfile, window{limit: &one})
	if len(profiles) == 0 {
		return nil, nil, err
	}
	return profiles[0].RowCount, profiles[0].SizeInBytes, nil
}

// viewStatistics are the views of a chart or dashboard in an interval. Without a granularity,
// they are the views up to a moment.
type viewStatistics struct {
	TimestampMillis int64 `json:"timestampMillis"`
	Granularity     *struct {
		Unit string `json:"unit"`
	} `json:"eventGranularity"`
	Views      *int64      `json:"viewsCount"`
	Executions *int64      `json:"executionsCount"`
	Unique     *int64      `json:"uniqueUserCount"`
	Favorites  *int64      `json:"favoritesCount"`
	LastViewed *int64      `json:"lastViewedAt"`
	Users      []userViews `json:"userCounts"`
}

type userViews struct {
	User       string `json:"user"`
	Views      int64  `json:"viewsCount"`
	Executions int64  `json:"executionsCount"`
	Usage      int64  `json:"usageCount"`
}

// viewSums adds up the statistics of intervals.
type viewSums struct {
	views, executions int64
	users             map[string]*userViews
}

func sumViews(values []*viewStatistics) *viewSums {
	s := &viewSums{users: map[string]*userViews{}}
	for _, v := range values {
		if v.Granularity == nil {
			continue
		}
		s.views += optional.Or(v.Views, 0)
		s.executions += optional.Or(v.Executions, 0)
		for _, u := range v.Users {
			sum, ok := s.users[u.User]
			if !ok {
				sum = &userViews{User: u.User}
				s.users[u.User] = sum
			}
			sum.Views += u.Views
			sum.Executions += u.Executions
			sum.Usage += u.Usage
		}
	}
	return s
}

// ranked returns the users, the most frequent first.
func (s *viewSums) ranked() []*userViews {
	users := make([]*userViews, 0, len(s.users))
	for _, u := range s.users {
		users = append(users, u)
	}
	slices.SortFunc(users, func(a, b *userViews) int {
		return cmp.Or(cmp.Compare(b.Views, a.Views), cmp.Compare(b.Usage, a.Usage), cmp.Compare(a.User, b.User))
	})
	return users
}

// viewSummary is the common content of the summaries of charts and dashboards.
type viewSummary struct {
	total, recent, unique *int
	users                 []*CorpUser
}

// viewSummary sums up the views of the last month, nil if no views are known.
func (n *Node) viewSummary(ctx context.Context, name string) (*viewSummary, error) {
	d, err := batched(n, aspectKey{name: "summary " + name}, func(nodes []*Node) (map[*Node]decoded[viewSummary], error) {
		nodes = alike(nodes, n)
		monthAgo, one := n.batch.session.Catalog.Now().Add(-30*24*time.Hour).UnixMilli(), 1
		recent, err := windowsOf[viewStatistics](ctx, nodes, name, window{start: &monthAgo})
		if err != nil {
			return nil, err
		}
		newest, err := windowsOf[viewStatistics](ctx, nodes, name, window{limit: &one})
		if err != nil {
			return nil, err
		}
		below, summaries := n.batch.session.NewBatch(), make(map[*Node]decoded[viewSummary], len(nodes))
		for _, node := range nodes {
			d := decoded[viewSummary]{err: cmp.Or(recent[node].err, newest[node].err)}
			if len(newest[node].values) > 0 {
				d.record = summaryOf(recent[node].values, newest[node].values, below)
			}
			summaries[node] = d
		}
		return summaries, nil
	})
	if err != nil {
		return nil, err
	}
	return d.record, d.err
}

func summaryOf(recent, newest []*viewStatistics, below *Batch) *viewSummary {
	sums := sumViews(recent)
	unique := int64(len(sums.users))
	s := &viewSummary{recent: small(&sums.views), unique: small(&unique), users: []*CorpUser{}}
	for _, v := range append(slices.Clone(recent), newest...) {
		if v.Granularity == nil && v.Views != nil {
			s.total = small(v.Views)
			break
		}
	}
	for _, u := range sums.ranked() {
		if user := entityAs[*CorpUser](below, u.User); user != nil && len(s.users) < topUsers {
			s.users = append(s.users, user)
		}
	}
	return s
}

// StatsSummary sums up the chart's last month.
func (c *Chart) StatsSummary(ctx context.Context) (*ChartStatsSummary, error) {
	s, err := c.viewSummary(ctx, model.AspectChartUsageStatistics)
	if s == nil {
		return nil, err
	}
	return &ChartStatsSummary{ViewCount: s.total, ViewCountLast30Days: s.recent, UniqueUserCountLast30Days: s.unique, TopUsersLast30Days: s.users}, nil
}

// StatsSummary sums up the dashboard's last month.
func (d *Dashboard) StatsSummary(ctx context.Context) (*DashboardStatsSummary, error) {
	s, err := d.viewSummary(ctx, model.AspectDashboardUsageStatistics)
	if s == nil {
		return nil, err
	}
	return &DashboardStatsSummary{ViewCount: s.total, ViewCountLast30Days: s.recent, UniqueUserCountLast30Days: s.unique, TopUsersLast30Days: s.users}, nil
}

// UsageStats are the dashboard's views in a time.
func (d *Dashboard) UsageStats(ctx context.Context, startTimeMillis, endTimeMillis *int64, limit *int) (*DashboardUsageQueryResult, error) {
	w := window{startTimeMillis, endTimeMillis, nil, limit}
	found, err := batched(d.Node, w.key("usageStats"), func(nodes []*Node) (map[*Node]decoded[DashboardUsageQueryResult], error) {
		nodes = alike(nodes, d.Node)
		values, err := windowsOf[viewStatistics](ctx, nodes, model.AspectDashboardUsageStatistics, w)
		if err != nil {
			return nil, err
		}
		below, results := d.batch.session.NewBatch(), make(map[*Node]decoded[DashboardUsageQueryResult], len(nodes))
		for _, n := range nodes {
			results[n] = decoded[DashboardUsageQueryResult]{n.dashboardUsage(values[n].values, below), values[n].err}
		}
		return results, nil
	})
	if err != nil {
		return nil, err
	}
	return found.record, found.err
}

func (n *Node) dashboardUsage(values []*viewStatistics, below *Batch) *DashboardUsageQueryResult {
	result := &DashboardUsageQueryResult{Buckets: []*DashboardUsageAggregation{}, Metrics: []*DashboardUsageMetrics{}}
	for _, v := range values {
		if v.Granularity == nil {
			result.Metrics = append(result.Metrics, &DashboardUsageMetrics{
				TimestampMillis: v.TimestampMillis, FavoritesCount: small(v.Favorites), ViewsCount: small(v.Views),
				ExecutionsCount: small(v.Executions), LastViewed: v.LastViewed,
			})
			continue
		}
		bucket := &DashboardUsageAggregation{
			Bucket: &v.TimestampMillis, Resource: &n.URN,
			Metrics: &DashboardUsageAggregationMetrics{UniqueUserCount: small(v.Unique), ViewsCount: small(v.Views), ExecutionsCount: small(v.Executions)},
		}
		if duration := WindowDuration(v.Granularity.Unit); duration.IsValid() {
			bucket.Duration = &duration
		}
		result.Buckets = append(result.Buckets, bucket)
	}
	sums := sumViews(values)
	unique := int64(len(sums.users))
	result.Aggregations = &DashboardUsageQueryResultAggregations{
		UniqueUserCount: small(&unique), ViewsCount: small(&sums.views), ExecutionsCount: small(&sums.executions),
		Users: []*DashboardUserUsageCounts{},
	}
	for _, u := range sums.ranked() {
		result.Aggregations.Users = append(result.Aggregations.Users, &DashboardUserUsageCounts{
			User: entityAs[*CorpUser](below, u.User), ViewsCount: small(&u.Views), ExecutionsCount: small(&u.Executions), UsageCount: small(&u.Usage),
		})
	}
	return result
}
