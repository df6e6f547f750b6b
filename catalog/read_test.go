package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

func TestUnknownEntities(t *testing.T) {
	h := newHarness(t)
	ctx := context.Background()
	e, err := h.Entity(ctx, "urn:li:corpuser:nobody", nil)
	if err != nil || len(e.Aspects) != 1 || string(e.Aspects["corpUserKey"].Value) != `{"username":"nobody"}` || e.Aspects["corpUserKey"].System != nil {
		t.Errorf("li: %+v %v", e, err)
	}
	_, err = h.Entity(ctx, "urn:example:corpuser:nobody", nil)
	h.want(NotFound, err)
	found, err := h.Entities(ctx, []string{"urn:li:corpuser:nobody", "urn:example:corpuser:nobody"}, nil)
	if err != nil || len(found) != 1 {
		t.Errorf("several: %v %v", found, err)
	}
	_, err = h.Snapshot(ctx, "urn:li:corpuser:nobody", nil)
	h.want(NotFound, err)
	_, err = h.Aspect(ctx, "urn:li:corpuser:nobody", "status", 0)
	h.want(NotFound, err)
	if MessageOf(err) != "Did not find urn: urn:li:corpuser:nobody aspect: status version: 0" {
		t.Errorf("message: %s", MessageOf(err))
	}
	for _, bad := range []string{"", "x", "urn:li:nothing:x", "urn:li:chart:x"} {
		_, err := h.Entity(ctx, bad, nil)
		h.want(Invalid, err)
	}
	h.put("", Upsert, ada, "status", `{"removed":true}`)
	if ok, err := h.Exists(ctx, ada); !ok || err != nil {
		t.Errorf("a soft-deleted entity exists: %v", err)
	}
	e, err = h.Entity(ctx, ada, []string{"nothing"})
	if err != nil || len(e.Aspects) != 1 {
		t.Errorf("an unknown aspect: %+v %v", e, err)
	}
}

func TestGlossaryTermSnapshot(t *testing.T) {
	h := newHarness(t)
	p := proposal(Upsert, "urn:example:glossaryTerm:(Money,Revenue)", "glossaryTermInfo", `{"definition":"d","termSource":"EXTERNAL"}`)
	p.EntityType = "glossaryTerm"
	h.ingest("", p)
	got, err := h.Snapshot(context.Background(), p.EntityURN, nil)
	if err != nil || !strings.Contains(string(got), `"com.example.metadata.snapshot.GlossaryTermSnapshot":{"aspects":[`) ||
		!strings.Contains(string(got), `"glossaryTermInfo":{"definition":"d"`) || strings.Contains(string(got), `"ownership"`) {
		t.Errorf("%s %v", got, err)
	}
	_, err = h.Snapshot(context.Background(), "urn:li:container:x", nil)
	h.want(Invalid, err)
}

func TestTimeSeriesReads(t *testing.T) {
	h := newHarness(t)
	for day := 1; day <= 5; day++ {
		h.put("", Upsert, table, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d,"partitionSpec":{"type":"PARTITION","partition":"p%d"}}`, day*10, 100-day, day%2))
	}
	h.put("", Upsert, table, "datasetProfile", `{"timestampMillis":50,"rowCount":7,"partitionSpec":{"type":"PARTITION","partition":"p1"}}`)
	h.put(Validation, Upsert, table, "datasetProfile", `{"rowCount":1}`)
	at := func(n int64) *int64 { return &n }
	limit := func(n int) *int { return &n }
	for _, c := range []struct {
		name    string
		request TimeSeriesRequest
		want    []string
	}{
		{"newest first", TimeSeriesRequest{}, []string{"7", "96", "97", "98", "99"}},
		{"bounds included", TimeSeriesRequest{Start: at(20), End: at(40)}, []string{"96", "97", "98"}},
		{"limit", TimeSeriesRequest{Limit: limit(2)}, []string{"7", "96"}},
		{"limit of one", TimeSeriesRequest{Limit: limit(1)}, []string{"7"}},
		{"latest", TimeSeriesRequest{Latest: true}, []string{"7"}},
		{"equal", TimeSeriesRequest{Filter: &Filter{Or: []Conjunction{{And: []Criterion{{Field: "rowCount", Value: "97"}}}}}}, []string{"97"}},
		{"list in a value", TimeSeriesRequest{Filter: &Filter{Criteria: []Criterion{{Field: "rowCount.keyword", Value: "97,99"}}}}, []string{"97", "99"}},
		{"values", TimeSeriesRequest{Filter: &Filter{Criteria: []Criterion{{Field: "rowCount", Values: []string{"7"}, Value: "97"}}}}, []string{"7"}},
		{"greater", TimeSeriesRequest{Filter: &Filter{Criteria: []Criterion{{Field: "rowCount", Value: "97", Condition: "GREATER_THAN"}}}}, []string{"98", "99"}},
		{"less or equal", TimeSeriesRequest{Filter: &Filter{Criteria: []Criterion{{Field: "rowCount", Value: "96", Condition: "LESS_THAN_OR_EQUAL_TO"}}}}, []string{"7", "96"}},
		{"nested", TimeSeriesRequest{Filter: &Filter{Criteria: []Criterion{{Field: "partition", Value: "p0"}}}}, []string{"96", "98"}},
		{"negated", TimeSeriesRequest{Filter: &Filter{Criteria: []Criterion{{Field: "partition", Value: "p0", Negated: true}}}}, []string{"7", "97", "99"}},
		{"exists", TimeSeriesRequest{Filter: &Filter{Criteria: []Criterion{{Field: "columnCount", Condition: "EXISTS"}}}}, nil},
		{"is null", TimeSeriesRequest{Filter: &Filter{Criteria: []Criterion{{Field: "columnCount", Condition: "IS_NULL"}}}, Limit: limit(1)}, []string{"7"}},
		{"starts", TimeSeriesRequest{Filter: &Filter{Criteria: []Criterion{{Field: "partitionSpec.partition", Value: "p", Condition: "START_WITH"}}}, Limit: limit(1)}, []string{"7"}},
		{"or", TimeSeriesRequest{Filter: &Filter{Or: []Conjunction{{And: []Criterion{{Field: "rowCount", Value: "96"}}}, {And: []Criterion{{Field: "rowCount", Value: "99"}}}}}}, []string{"96", "99"}},
		{"ascending", TimeSeriesRequest{Sort: &Sort{Field: "timestampMillis"}, Limit: limit(2)}, []string{"99", "98"}},
		{"sorted by another field", TimeSeriesRequest{Sort: &Sort{Field: "rowCount"}, Limit: limit(3)}, []string{"7", "96", "97"}},
		{"sorted downwards", TimeSeriesRequest{Sort: &Sort{Field: "rowCount", Descending: true}, Limit: limit(1)}, []string{"99"}},
	} {
		c.request.URN, c.request.Entity, c.request.Aspect = table, "dataset", "datasetProfile"
		response, err := h.TimeSeries(context.Background(), c.request)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, v := range response.Values {
			_, after, _ := strings.Cut(v.Aspect.Value, `"rowCount":`)
			number, _, _ := strings.Cut(after, ",")
			got = append(got, number)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	for name, bad := range map[string]TimeSeriesRequest{
		"aspect":    {URN: table, Entity: "dataset", Aspect: "status"},
		"entity":    {URN: table, Entity: "chart", Aspect: "datasetProfile"},
		"limit":     {URN: table, Entity: "dataset", Aspect: "datasetProfile", Limit: limit(-1)},
		"condition": {URN: table, Entity: "dataset", Aspect: "datasetProfile", Filter: &Filter{Criteria: []Criterion{{Field: "x", Condition: "LIKE"}}}},
		"field":     {URN: table, Entity: "dataset", Aspect: "datasetProfile", Filter: &Filter{Criteria: []Criterion{{Value: "x"}}}},
	} {
		if _, err := h.TimeSeries(context.Background(), bad); CodeOf(err) != Invalid {
			t.Errorf("bad %s: %v", name, err)
		}
	}
}

func TestRelationshipQueries(t *testing.T) {
	h := newHarness(t)
	for n := range 5 {
		h.put("", Upsert, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,n%d,PROD)", n), "upstreamLineage", `{"upstreams":[{"dataset":"`+table+`","type":"COPY"}]}`)
	}
	page, err := h.Relationships(context.Background(), RelationshipQuery{URN: table, Direction: "INCOMING", Types: []string{"DownstreamOf", "Unknown"}, Start: 3, Count: 10})
	if err != nil || page.Total != 5 || page.Count != 2 || page.Start != 3 || !strings.Contains(page.Relationships[0].Entity, "n3") {
		t.Errorf("%+v %v", page, err)
	}
	moment := h.changes()[len(h.changes())-1].Time
	for _, c := range []struct {
		asOf int64
		want int64
	}{{1, 0}, {moment, 5}, {0, 5}} {
		page, err := h.Relationships(context.Background(), RelationshipQuery{URN: table, Direction: "INCOMING", Count: 10, AsOf: c.asOf})
		if err != nil || page.Total != c.want {
			t.Errorf("as of %d: %d, want %d: %v", c.asOf, page.Total, c.want, err)
		}
	}
	for name, bad := range map[string]RelationshipQuery{
		"direction": {URN: table, Direction: "BOTH"}, "urn": {URN: "x", Direction: "INCOMING"},
		"start": {URN: table, Direction: "INCOMING", Start: -1}, "asOf": {URN: table, Direction: "INCOMING", AsOf: -1},
	} {
		if _, err := h.Relationships(context.Background(), bad); CodeOf(err) != Invalid {
			t.Errorf("bad %s: %v", name, err)
		}
	}
}

func TestListings(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, table, "status", `{"removed":true}`)
	h.put("", Upsert, upstream, "ownership", `{"owners":[],"lastModified":`+stamp+`}`)
	page, err := h.ListURNs(context.Background(), "DATASET", 0, 10)
	if err != nil || page.Total != 2 || !slices.Equal(page.Entities, []string{table, upstream}) {
		t.Errorf("%+v %v", page, err)
	}
	_, err = h.ListURNs(context.Background(), "nothing", 0, 10)
	h.want(Invalid, err)
	_, err = h.ListURNs(context.Background(), "dataset", -1, 10)
	h.want(Invalid, err)
	if n, err := h.CountAspects(context.Background(), "status", "%Orders%"); n != 1 || err != nil {
		t.Errorf("count %d %v", n, err)
	}
	_, err = h.CountAspects(context.Background(), "nothing", "")
	h.want(Invalid, err)
	for _, tooMuch := range []string{strings.Repeat("a", limits.MaxPatternBytes+1), strings.Repeat("a%", limits.MaxPatternRuns+1)} {
		_, err = h.CountAspects(context.Background(), "status", tooMuch)
		h.want(Invalid, err)
		if len(err.Error()) > 200 {
			t.Errorf("the refusal repeats the pattern: %d bytes", len(err.Error()))
		}
	}
	if n, err := h.CountAspects(context.Background(), "status", strings.Repeat("%_", limits.MaxPatternRuns)); n != 1 || err != nil {
		t.Errorf("the longest pattern counts %d %v", n, err)
	}
	_, _, err = h.Changes(context.Background(), "not a cursor", 1)
	h.want(Invalid, err)
}

func TestUsage(t *testing.T) {
	h := newHarness(t)
	n := func(n int64) *int64 { return &n }
	buckets := []UsageBucket{
		{Bucket: 1000, Duration: "DAY", Resource: table, Metrics: UsageMetrics{TotalSQLQueries: n(3), UniqueUserCount: n(1), Users: []UserUsage{{User: ada, Count: 3}}, Fields: []FieldUsage{{FieldName: "id", Count: 2}}}},
		{Bucket: 2000, Duration: "DAY", Resource: table, Metrics: UsageMetrics{TotalSQLQueries: n(4), Users: []UserUsage{{User: ada, Count: 1}, {User: "urn:li:corpuser:bob", Count: 3}}}},
	}
	h.want("", h.IngestUsage(context.Background(), buckets, WriteOptions{}))
	result, err := h.QueryUsage(context.Background(), UsageQuery{Resource: table, Duration: "DAY", RangeFromEnd: "ALL"})
	if err != nil || len(result.Buckets) != 2 || result.Buckets[0].Bucket != 2000 || *result.Aggregations.TotalSQLQueries != 7 ||
		*result.Aggregations.UniqueUserCount != 2 || result.Aggregations.Users[0] != (UserUsage{User: ada, Count: 4}) || result.Aggregations.Fields[0].Count != 2 {
		t.Errorf("%+v %v", result, err)
	}
	if recent, err := h.QueryUsage(context.Background(), UsageQuery{Resource: table, Duration: "DAY", RangeFromEnd: "WEEK"}); err != nil || len(recent.Buckets) != 0 {
		t.Errorf("the last week: %+v %v", recent, err)
	}
	_, err = h.QueryUsage(context.Background(), UsageQuery{Resource: table, RangeFromEnd: "CENTURY"})
	h.want(Invalid, err)
	before := len(h.changes())
	buckets[1].Resource = "x"
	h.want(Invalid, h.IngestUsage(context.Background(), buckets, WriteOptions{}))
	if len(h.changes()) != before {
		t.Error("a refused list of buckets was written in part")
	}
}
