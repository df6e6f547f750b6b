package read_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

func TestUnknownEntities(t *testing.T) {
	h := catalogtest.NewHarness(t)
	ctx := context.Background()
	e, err := h.Entity(ctx, catalogtest.URN("urn:li:corpuser:nobody"), nil)
	if err != nil || len(e.Aspects) != 1 || string(e.Aspects["corpUserKey"].Value) != `{"username":"nobody"}` || e.Aspects["corpUserKey"].System != nil {
		t.Errorf("li: %+v %v", e, err)
	}
	_, err = h.Entity(ctx, catalogtest.URN("urn:example:corpuser:nobody"), nil)
	h.Want(catalog.NotFound, err)
	found, err := h.Entities(ctx, catalogtest.URNs("urn:li:corpuser:nobody", "urn:example:corpuser:nobody"), nil)
	if err != nil || len(found) != 1 {
		t.Errorf("several: %v %v", found, err)
	}
	_, err = h.Snapshot(ctx, catalogtest.URN("urn:li:corpuser:nobody"), nil)
	h.Want(catalog.NotFound, err)
	_, err = h.Aspect(ctx, catalogtest.URN("urn:li:corpuser:nobody"), "status", 0)
	h.Want(catalog.NotFound, err)
	if catalog.MessageOf(err) != "Did not find urn: urn:li:corpuser:nobody aspect: status version: 0" {
		t.Errorf("message: %s", catalog.MessageOf(err))
	}
	for _, bad := range []string{"", "x", "urn:li:nothing:x", "urn:li:chart:x"} {
		_, _, err := h.ParseURN(bad)
		h.Want(catalog.Invalid, err)
	}
	h.Put("", write.Upsert, catalogtest.Ada, "status", `{"removed":true}`)
	if ok, err := h.Exists(ctx, catalogtest.URN(catalogtest.Ada)); !ok || err != nil {
		t.Errorf("a soft-deleted entity exists: %v", err)
	}
	e, err = h.Entity(ctx, catalogtest.URN(catalogtest.Ada), []string{"nothing"})
	if err != nil || len(e.Aspects) != 1 {
		t.Errorf("an unknown aspect: %+v %v", e, err)
	}
}

func TestGlossaryTermSnapshot(t *testing.T) {
	h := catalogtest.NewHarness(t)
	p := catalogtest.Proposal(write.Upsert, "urn:example:glossaryTerm:(Money,Revenue)", "glossaryTermInfo", `{"definition":"d","termSource":"EXTERNAL"}`)
	p.EntityType = "glossaryTerm"
	h.Attempt("", p)
	got, err := h.Snapshot(context.Background(), catalogtest.URN(p.EntityURN), nil)
	if err != nil || !strings.Contains(string(got), `"com.example.metadata.snapshot.GlossaryTermSnapshot":{"aspects":[`) ||
		!strings.Contains(string(got), `"glossaryTermInfo":{"definition":"d"`) || strings.Contains(string(got), `"ownership"`) {
		t.Errorf("%s %v", got, err)
	}
	_, err = h.Snapshot(context.Background(), catalogtest.URN("urn:li:container:x"), nil)
	h.Want(catalog.Invalid, err)
}

func TestTimeSeriesReads(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for day := 1; day <= 5; day++ {
		h.Put("", write.Upsert, catalogtest.Table, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d,"partitionSpec":{"type":"PARTITION","partition":"p%d"}}`, day*10, 100-day, day%2))
	}
	h.Put("", write.Upsert, catalogtest.Table, "datasetProfile", `{"timestampMillis":50,"rowCount":7,"partitionSpec":{"type":"PARTITION","partition":"p1"}}`)
	h.Put(catalog.Validation, write.Upsert, catalogtest.Table, "datasetProfile", `{"rowCount":1}`)
	at := func(n int64) *int64 { return &n }
	limit := func(n int) *int { return &n }
	for _, c := range []struct {
		name    string
		request read.TimeSeriesRequest
		want    []string
	}{
		{"newest first", read.TimeSeriesRequest{}, []string{"7", "96", "97", "98", "99"}},
		{"bounds included", read.TimeSeriesRequest{Start: at(20), End: at(40)}, []string{"96", "97", "98"}},
		{"limit", read.TimeSeriesRequest{Limit: limit(2)}, []string{"7", "96"}},
		{"limit of one", read.TimeSeriesRequest{Limit: limit(1)}, []string{"7"}},
		{"latest", read.TimeSeriesRequest{Latest: true}, []string{"7"}},
		{"equal", read.TimeSeriesRequest{Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "rowCount", Value: "97"}}}}}}, []string{"97"}},
		{"list in a value", read.TimeSeriesRequest{Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "rowCount.keyword", Value: "97,99"}}}}, []string{"97", "99"}},
		{"values", read.TimeSeriesRequest{Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "rowCount", Values: []string{"7"}, Value: "97"}}}}, []string{"7"}},
		{"greater", read.TimeSeriesRequest{Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "rowCount", Value: "97", Condition: "GREATER_THAN"}}}}, []string{"98", "99"}},
		{"less or equal", read.TimeSeriesRequest{Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "rowCount", Value: "96", Condition: "LESS_THAN_OR_EQUAL_TO"}}}}, []string{"7", "96"}},
		{"nested", read.TimeSeriesRequest{Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "partition", Value: "p0"}}}}, []string{"96", "98"}},
		{"negated", read.TimeSeriesRequest{Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "partition", Value: "p0", Negated: true}}}}, []string{"7", "97", "99"}},
		{"exists", read.TimeSeriesRequest{Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "columnCount", Condition: "EXISTS"}}}}, nil},
		{"is null", read.TimeSeriesRequest{Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "columnCount", Condition: "IS_NULL"}}}, Limit: limit(1)}, []string{"7"}},
		{"starts", read.TimeSeriesRequest{Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "partitionSpec.partition", Value: "p", Condition: "START_WITH"}}}, Limit: limit(1)}, []string{"7"}},
		{"or", read.TimeSeriesRequest{Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "rowCount", Value: "96"}}}, {And: []catalog.Criterion{{Field: "rowCount", Value: "99"}}}}}}, []string{"96", "99"}},
		{"ascending", read.TimeSeriesRequest{Sort: &read.Sort{Field: "timestampMillis"}, Limit: limit(2)}, []string{"99", "98"}},
		{"sorted by another field", read.TimeSeriesRequest{Sort: &read.Sort{Field: "rowCount"}, Limit: limit(3)}, []string{"7", "96", "97"}},
		{"sorted downwards", read.TimeSeriesRequest{Sort: &read.Sort{Field: "rowCount", Descending: true}, Limit: limit(1)}, []string{"99"}},
	} {
		c.request.URN, c.request.Entity, c.request.Aspect = catalogtest.URN(catalogtest.Table), "dataset", "datasetProfile"
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
	for name, bad := range map[string]read.TimeSeriesRequest{
		"aspect":    {URN: catalogtest.URN(catalogtest.Table), Entity: "dataset", Aspect: "status"},
		"entity":    {URN: catalogtest.URN(catalogtest.Table), Entity: "chart", Aspect: "datasetProfile"},
		"limit":     {URN: catalogtest.URN(catalogtest.Table), Entity: "dataset", Aspect: "datasetProfile", Limit: limit(-1)},
		"condition": {URN: catalogtest.URN(catalogtest.Table), Entity: "dataset", Aspect: "datasetProfile", Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "x", Condition: "LIKE"}}}},
		"field":     {URN: catalogtest.URN(catalogtest.Table), Entity: "dataset", Aspect: "datasetProfile", Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Value: "x"}}}},
	} {
		if _, err := h.TimeSeries(context.Background(), bad); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("bad %s: %v", name, err)
		}
	}
}

func TestRelationshipQueries(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for n := range 5 {
		h.Put("", write.Upsert, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,n%d,PROD)", n), "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Table+`","type":"COPY"}]}`)
	}
	page, err := h.Relationships(context.Background(), read.RelationshipQuery{URN: catalogtest.URN(catalogtest.Table), Direction: "INCOMING", Types: []string{"DownstreamOf", "Unknown"}, Start: 3, Count: 10})
	if err != nil || page.Total != 5 || page.Count != 2 || page.Start != 3 || !strings.Contains(page.Relationships[0].Entity, "n3") {
		t.Errorf("%+v %v", page, err)
	}
	moment := h.Logged()[len(h.Logged())-1].Time
	for _, c := range []struct {
		asOf int64
		want int64
	}{{1, 0}, {moment, 5}, {0, 5}} {
		page, err := h.Relationships(context.Background(), read.RelationshipQuery{URN: catalogtest.URN(catalogtest.Table), Direction: "INCOMING", Count: 10, AsOf: c.asOf})
		if err != nil || page.Total != c.want {
			t.Errorf("as of %d: %d, want %d: %v", c.asOf, page.Total, c.want, err)
		}
	}
	for name, bad := range map[string]read.RelationshipQuery{
		"direction": {URN: catalogtest.URN(catalogtest.Table), Direction: "BOTH"},
		"start":     {URN: catalogtest.URN(catalogtest.Table), Direction: "INCOMING", Start: -1}, "asOf": {URN: catalogtest.URN(catalogtest.Table), Direction: "INCOMING", AsOf: -1},
	} {
		if _, err := h.Relationships(context.Background(), bad); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("bad %s: %v", name, err)
		}
	}
}

func TestListings(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "status", `{"removed":true}`)
	h.Put("", write.Upsert, catalogtest.Upstream, "ownership", `{"owners":[],"lastModified":`+catalogtest.Stamp+`}`)
	page, err := h.ListURNs(context.Background(), "DATASET", 0, 10)
	if err != nil || page.Total != 2 || !slices.Equal(page.Entities, []string{catalogtest.Table, catalogtest.Upstream}) {
		t.Errorf("%+v %v", page, err)
	}
	_, err = h.ListURNs(context.Background(), "nothing", 0, 10)
	h.Want(catalog.Invalid, err)
	_, err = h.ListURNs(context.Background(), "dataset", -1, 10)
	h.Want(catalog.Invalid, err)
	if n, err := h.CountAspects(context.Background(), "status", "%Orders%"); n != 1 || err != nil {
		t.Errorf("count %d %v", n, err)
	}
	_, err = h.CountAspects(context.Background(), "nothing", "")
	h.Want(catalog.Invalid, err)
	for _, tooMuch := range []string{strings.Repeat("a", limits.MaxPatternBytes+1), strings.Repeat("a%", limits.MaxPatternRuns+1)} {
		_, err = h.CountAspects(context.Background(), "status", tooMuch)
		h.Want(catalog.Invalid, err)
		if len(err.Error()) > 200 {
			t.Errorf("the refusal repeats the pattern: %d bytes", len(err.Error()))
		}
	}
	if n, err := h.CountAspects(context.Background(), "status", strings.Repeat("%_", limits.MaxPatternRuns)); n != 1 || err != nil {
		t.Errorf("the longest pattern counts %d %v", n, err)
	}
	_, _, err = h.Changes(context.Background(), "not a cursor", 1)
	h.Want(catalog.Invalid, err)
}

func TestUsage(t *testing.T) {
	h := catalogtest.NewHarness(t)
	n := func(n int64) *int64 { return &n }
	buckets := []model.UsageBucket{
		{Bucket: 1000, Duration: "DAY", Resource: catalogtest.Table, Metrics: model.UsageMetrics{TotalSQLQueries: n(3), UniqueUserCount: n(1), Users: []model.UserUsage{{User: catalogtest.Ada, Count: 3}}, Fields: []model.FieldUsage{{FieldName: "id", Count: 2}}}},
		{Bucket: 2000, Duration: "DAY", Resource: catalogtest.Table, Metrics: model.UsageMetrics{TotalSQLQueries: n(4), Users: []model.UserUsage{{User: catalogtest.Ada, Count: 1}, {User: "urn:li:corpuser:bob", Count: 3}}}},
	}
	h.Want("", h.IngestUsage(context.Background(), buckets, catalog.WriteOptions{}))
	result, err := h.QueryUsage(context.Background(), read.UsageQuery{Resource: catalogtest.URN(catalogtest.Table), Duration: "DAY", RangeFromEnd: "ALL"})
	if err != nil || len(result.Buckets) != 2 || result.Buckets[0].Bucket != 2000 || *result.Aggregations.TotalSQLQueries != 7 ||
		*result.Aggregations.UniqueUserCount != 2 || result.Aggregations.Users[0] != (model.UserUsage{User: catalogtest.Ada, Count: 4}) || result.Aggregations.Fields[0].Count != 2 {
		t.Errorf("%+v %v", result, err)
	}
	if recent, err := h.QueryUsage(context.Background(), read.UsageQuery{Resource: catalogtest.URN(catalogtest.Table), Duration: "DAY", RangeFromEnd: "WEEK"}); err != nil || len(recent.Buckets) != 0 {
		t.Errorf("the last week: %+v %v", recent, err)
	}
	_, err = h.QueryUsage(context.Background(), read.UsageQuery{Resource: catalogtest.URN(catalogtest.Table), RangeFromEnd: "CENTURY"})
	h.Want(catalog.Invalid, err)
	before := len(h.Logged())
	buckets[1].Resource = "x"
	h.Want(catalog.Invalid, h.IngestUsage(context.Background(), buckets, catalog.WriteOptions{}))
	if len(h.Logged()) != before {
		t.Error("a refused list of buckets was written in part")
	}
}
