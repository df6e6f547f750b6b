package lineage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/graphstore"
)

func equal(h *catalogtest.LineageHarness, what string, got, want []string) {
	h.T.Helper()
	if !slices.Equal(got, want) {
		h.T.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestLineagePage(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	down := func(urn string) lineage.WalkQuery {
		return lineage.WalkQuery{URN: catalogtest.URN(urn), Direction: lineage.Downstream}
	}
	up := func(urn string) lineage.WalkQuery {
		return lineage.WalkQuery{URN: catalogtest.URN(urn), Direction: lineage.Upstream}
	}
	all := []string{"1 " + catalogtest.CleanJob, "2 " + catalogtest.CleanTable, "3 " + catalogtest.MartTable, "3 " + catalogtest.SideTable, "4 " + catalogtest.SalesChart, "5 " + catalogtest.SalesBoard}
	equal(h, "downstream", h.Page(lineage.Request{Walk: down(catalogtest.RawTable)}), all)
	equal(h, "upstream", h.Page(lineage.Request{Walk: up(catalogtest.SalesBoard)}),
		[]string{"1 " + catalogtest.SalesChart, "2 " + catalogtest.MartTable, "3 " + catalogtest.CleanTable, "4 " + catalogtest.CleanJob, "5 " + catalogtest.RawTable})
	equal(h, "second page", h.Page(lineage.Request{Walk: down(catalogtest.RawTable), Start: 2, Count: 2}), all[2:4])
	equal(h, "behind the last", h.Page(lineage.Request{Walk: down(catalogtest.RawTable), Start: 9, Count: 2}), nil)
	for what, c := range map[string]struct {
		filter lineage.Filter
		want   []string
	}{
		"types":             {lineage.Filter{Types: []string{"chart", "dataJob"}}, []string{all[0], all[4]}},
		"platform":          {lineage.Filter{Platforms: []string{"snowflake"}}, all[2:4]},
		"platform by URN":   {lineage.Filter{Platforms: []string{"urn:li:dataPlatform:hive"}}, all[1:2]},
		"owner":             {lineage.Filter{Owners: []string{catalogtest.Ada}}, all[2:3]},
		"tag":               {lineage.Filter{Tags: []string{"pii"}}, all[3:4]},
		"tag and type":      {lineage.Filter{Tags: []string{"pii"}, Types: []string{"chart"}}, nil},
		"domain":            {lineage.Filter{Domains: []string{"sales"}}, nil},
		"unknown type":      {lineage.Filter{Types: []string{"thing"}}, []string{"invalid"}},
		"nobody's platform": {lineage.Filter{Platforms: []string{""}}, nil},
	} {
		equal(h, what, h.Page(lineage.Request{Walk: down(catalogtest.RawTable), Filter: c.filter}), c.want)
	}
	for what, r := range map[string]lineage.Request{
		"direction": {Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable)}}, "hops": {Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Upstream, MaxHops: -1}},
		"reach": {Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Upstream, Reach: lineage.MaxReach + 1}}, "paths": {Walk: down(catalogtest.RawTable), Paths: lineage.MaxPaths + 1},
		"removed": {Walk: down(catalogtest.RawTable), Removed: "maybe"}, "start": {Walk: down(catalogtest.RawTable), Start: -1}, "moment": {Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Upstream, AsOf: -1}},
	} {
		equal(h, what, h.Page(r), []string{"invalid"})
	}

	page, err := h.Lineage.Of(context.Background(), lineage.Request{Walk: down(catalogtest.RawTable), Count: 100, Paths: 2, Edges: true})
	if err != nil {
		t.Fatal(err)
	}
	if mart := page.Entities[2]; mart.Name != "db.mart" || mart.Platform != "urn:li:dataPlatform:snowflake" || !mart.Exists || len(mart.Paths) != 1 || len(mart.Paths[0]) != 4 ||
		mart.Paths[0][3].Edge.Type != "DownstreamOf" || mart.Paths[0][3].Edge.Updated.Time != 5 || !slices.Equal(mart.Paths[0][1].Edge.StatedBy, []string{catalogtest.CleanJob}) {
		t.Errorf("mart: %s", catalogtest.MustJSON(t, mart))
	}
	if len(page.Edges) != 6 || page.Entities[4].Name != "Sales" {
		t.Errorf("edges: %s", catalogtest.MustJSON(t, page.Edges))
	}
	cut, err := h.Lineage.Of(context.Background(), lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream, Reach: 2}, Count: 100})
	if err != nil || !cut.Partial || cut.Reason == "" || cut.Reached != 2 {
		t.Errorf("a cut walk: %+v %v", cut, err)
	}
}

func TestRemovedOnTheWay(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	h.Put("", catalog.Upsert, catalogtest.CleanTable, "status", `{"removed":true}`)
	walk := lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream, MaxHops: 3}
	equal(h, "pass", h.Page(lineage.Request{Walk: walk}), []string{"1 " + catalogtest.CleanJob, "3 " + catalogtest.MartTable, "3 " + catalogtest.SideTable})
	equal(h, "show", h.Page(lineage.Request{Walk: walk, Removed: lineage.RemovedShow}), []string{"1 " + catalogtest.CleanJob, "2 " + catalogtest.CleanTable, "3 " + catalogtest.MartTable, "3 " + catalogtest.SideTable})
	equal(h, "stop", h.Page(lineage.Request{Walk: walk, Removed: lineage.RemovedStop}), []string{"1 " + catalogtest.CleanJob})
}

func TestColumnLineage(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	columns := func(urn, direction string) lineage.Request {
		return lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(urn), Direction: direction, Columns: true}}
	}
	equal(h, "from a column", h.Page(columns(catalogtest.ColumnOf(catalogtest.RawTable, "a"), lineage.Downstream)),
		[]string{"1 " + catalogtest.ColumnOf(catalogtest.CleanTable, "a"), "2 " + catalogtest.ColumnOf(catalogtest.MartTable, "total"), "3 " + catalogtest.ColumnOf(catalogtest.SalesChart, "sum")})
	equal(h, "which columns feed the dashboard", h.Page(columns(catalogtest.SalesBoard, lineage.Upstream)),
		[]string{"1 " + catalogtest.ColumnOf(catalogtest.MartTable, "total"), "2 " + catalogtest.ColumnOf(catalogtest.CleanTable, "a"), "3 " + catalogtest.ColumnOf(catalogtest.RawTable, "a")})
	equal(h, "from a dataset", h.Page(columns(catalogtest.MartTable, lineage.Upstream)), []string{"1 " + catalogtest.ColumnOf(catalogtest.CleanTable, "a"), "2 " + catalogtest.ColumnOf(catalogtest.RawTable, "a")})
	equal(h, "what a job writes", h.Page(columns(catalogtest.CleanJob, lineage.Downstream))[:1], []string{"1 " + catalogtest.ColumnOf(catalogtest.CleanTable, "a")})
	equal(h, "what a job reads", h.Page(columns(catalogtest.CleanJob, lineage.Upstream)), []string{"1 " + catalogtest.ColumnOf(catalogtest.RawTable, "a")})
	equal(h, "of a type of entity", h.Page(lineage.Request{Walk: columns(catalogtest.SalesBoard, lineage.Upstream).Walk, Filter: lineage.Filter{Platforms: []string{"snowflake"}}}),
		[]string{"1 " + catalogtest.ColumnOf(catalogtest.MartTable, "total")})
	equal(h, "without columns", h.Page(columns(catalogtest.SideTable, lineage.Upstream)), nil)

	page, err := h.Lineage.Of(context.Background(), lineage.Request{Walk: columns(catalogtest.ColumnOf(catalogtest.MartTable, "total"), lineage.Upstream).Walk, Count: 10, Paths: 1})
	if err != nil || len(page.Entities) != 2 {
		t.Fatalf("%+v %v", page, err)
	}
	raw := page.Entities[1]
	edge := raw.Paths[0][2].Edge
	if raw.Entity != catalogtest.RawTable || raw.Name != "a" || !raw.Exists || edge.TransformOperation != "TRIM" || edge.ConfidenceScore == nil || *edge.ConfidenceScore != 0.8 ||
		!slices.Equal(edge.StatedBy, []string{catalogtest.CleanJob}) || edge.Upstream != catalogtest.ColumnOf(catalogtest.RawTable, "a") {
		t.Errorf("raw column: %s", catalogtest.MustJSON(t, raw))
	}
}

func TestLineageDiff(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	before := catalogtest.Past(t)
	if _, err := h.Ingest(context.Background(), catalog.Proposal{
		EntityType: "dataset", EntityURN: catalogtest.MartTable, ChangeType: catalog.Upsert, AspectName: "upstreamLineage",
		Aspect: &catalog.GenericAspect{ContentType: "application/json", Value: json.RawMessage(`{"upstreams":[{"dataset":"` + catalogtest.SideTable + `","type":"COPY"}]}`)},
		System: &catalog.SystemMetadata{RunID: "rewire"},
	}, catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
		t.Fatal(err)
	}
	after := catalogtest.Past(t)
	ctx := context.Background()
	walk := lineage.WalkQuery{URN: catalogtest.URN(catalogtest.MartTable), Direction: lineage.Upstream}
	d, err := h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: walk, Before: before})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.EdgesAdded) != 1 || d.EdgesAdded[0].Upstream != catalogtest.SideTable || d.EdgesAdded[0].SinceRun != "rewire" || d.EdgesAdded[0].SinceActor != catalogtest.Ada {
		t.Errorf("added: %s", catalogtest.MustJSON(t, d.EdgesAdded))
	}
	if len(d.EdgesEnded) != 1 || d.EdgesEnded[0].Upstream != catalogtest.CleanTable || d.EdgesEnded[0].UntilRun != "rewire" || d.EdgesEnded[0].UntilActor != catalogtest.Ada || d.EdgesEnded[0].Until == 0 {
		t.Errorf("ended: %s", catalogtest.MustJSON(t, d.EdgesEnded))
	}
	if len(d.Added) != 1 || d.Added[0].URN != catalogtest.SideTable || len(d.Ended) != 0 || len(d.Moved) != 3 || d.Moved[0].URN != catalogtest.CleanTable || d.Moved[0].DegreeBefore != 1 || d.Moved[0].Degree != 2 {
		t.Errorf("entities: %s", catalogtest.MustJSON(t, d))
	}
	equal(h, "as of before", h.Page(lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.MartTable), Direction: lineage.Upstream, AsOf: before, MaxHops: 1}}), []string{"1 " + catalogtest.CleanTable})
	equal(h, "now", h.Page(lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.MartTable), Direction: lineage.Upstream, MaxHops: 1}}), []string{"1 " + catalogtest.SideTable})
	same, err := h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: walk, Before: after})
	if err != nil || len(same.Added)+len(same.Ended)+len(same.Moved)+len(same.EdgesAdded)+len(same.EdgesEnded) != 0 {
		t.Errorf("nothing changed since: %s %v", catalogtest.MustJSON(t, same), err)
	}
	columns, err := h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.MartTable, "total")), Direction: lineage.Upstream}, Before: before, After: after})
	if err != nil || len(columns.Ended) != 2 || len(columns.EdgesEnded) != 1 {
		t.Errorf("columns: %s %v", catalogtest.MustJSON(t, columns), err)
	}
	for what, r := range map[string]lineage.DiffRequest{
		"too far":   {Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.MartTable), Direction: lineage.Upstream, Reach: lineage.MaxReport + 1}, Before: 9},
		"no moment": {Walk: walk}, "backwards": {Walk: walk, Before: 9, After: 8}, "window": {Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.MartTable), Direction: lineage.Upstream, From: 1}, Before: 9},
	} {
		if _, err := h.Lineage.Diff(ctx, r); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestImpact(t *testing.T) {
	h, ctx := catalogtest.NewLineageHarness(t), context.Background()
	impact, err := h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable)}})
	if err != nil {
		t.Fatal(err)
	}
	if impact.Total != 6 || catalogtest.MustJSON(t, impact.ByType[0]) != `{"value":"dataset","count":3}` || catalogtest.MustJSON(t, impact.ByDegree[2]) != `{"value":"3","count":2}` ||
		catalogtest.MustJSON(t, impact.Owners) != `[{"urn":"urn:li:corpuser:ada","name":"Ada Wren","email":"ada@example.com","count":1}]` || impact.ByOwner[0].Value != "" {
		t.Errorf("impact: %s", catalogtest.MustJSON(t, impact))
	}
	effects := func(urn string, r lineage.ImpactRequest) []string {
		t.Helper()
		r.Walk.URN = catalogtest.URN(urn)
		impact, err := h.Lineage.Impact(ctx, r)
		if err != nil {
			return []string{string(catalog.CodeOf(err))}
		}
		list := []string{}
		for _, e := range impact.Entities {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Effect, e.URN, strings.Join(e.Columns, ","))))
		}
		return list
	}
	// The side table says nothing of columns; the chart shows another column of mart than "other".
	equal(h, "drop raw.a", effects(catalogtest.ColumnOf(catalogtest.RawTable, "a"), lineage.ImpactRequest{}), []string{
		"certain " + catalogtest.CleanJob, "certain " + catalogtest.CleanTable + " a", "certain " + catalogtest.MartTable + " total", "possible " + catalogtest.SideTable,
		"certain " + catalogtest.SalesChart + " sum", "certain " + catalogtest.SalesBoard,
	})
	equal(h, "drop a column that nobody names", effects(catalogtest.ColumnOf(catalogtest.MartTable, "other"), lineage.ImpactRequest{}), nil)
	equal(h, "drop a column of a chart", effects(catalogtest.ColumnOf(catalogtest.SalesChart, "sum"), lineage.ImpactRequest{}), []string{"certain " + catalogtest.SalesBoard})
	equal(h, "drop a column beside", effects(catalogtest.ColumnOf(catalogtest.CleanTable, "b"), lineage.ImpactRequest{}), []string{"possible " + catalogtest.SideTable})
	equal(h, "two hops", effects(catalogtest.ColumnOf(catalogtest.RawTable, "a"), lineage.ImpactRequest{Walk: lineage.WalkQuery{MaxHops: 2}}),
		[]string{"certain " + catalogtest.CleanJob, "certain " + catalogtest.CleanTable + " a", "certain " + catalogtest.MartTable + " total"})
	equal(h, "owned", effects(catalogtest.ColumnOf(catalogtest.RawTable, "a"), lineage.ImpactRequest{Filter: lineage.Filter{Owners: []string{"ada"}}}), []string{"certain " + catalogtest.MartTable + " total"})
	equal(h, "cut", effects(catalogtest.ColumnOf(catalogtest.RawTable, "a"), lineage.ImpactRequest{Walk: lineage.WalkQuery{Reach: 2}}), []string{"certain " + catalogtest.CleanJob, "certain " + catalogtest.CleanTable + " a"})
	if cut, err := h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "a")), Reach: 2}}); err != nil || !cut.Partial || cut.Reason == "" {
		t.Errorf("a cut impact: %+v %v", cut, err)
	}
	equal(h, "too far", effects(catalogtest.RawTable, lineage.ImpactRequest{Walk: lineage.WalkQuery{Reach: lineage.MaxReport + 1}}), []string{"invalid"})
	equal(h, "upstream of a column", effects(catalogtest.ColumnOf(catalogtest.RawTable, "a"), lineage.ImpactRequest{Walk: lineage.WalkQuery{Direction: lineage.Upstream}}), []string{"invalid"})
	equal(h, "nothing", effects("urn:li:dataset:(urn:li:dataPlatform:hive,nothing,PROD)", lineage.ImpactRequest{}), []string{"not_found"})
}

// TestImpactThroughCharts: a dashboard that says which columns it shows, and
// not this one, still suffers what its charts do.
func TestImpactThroughCharts(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	const other = "urn:li:dashboard:(looker,other)"
	h.Say(other, "dashboardInfo", `{"title":"Other","description":"","charts":["`+catalogtest.SalesChart+`"],"datasets":["`+catalogtest.CleanTable+`"],"lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}}`)
	h.Say(other, "inputFields", `{"fields":[{"schemaFieldUrn":"`+catalogtest.ColumnOf(catalogtest.CleanTable, "b")+`","schemaField":{"fieldPath":"b","nullable":false,"type":{"type":{"com.linkedin.schema.NumberType":{}}},"nativeDataType":"n"}}]}`)
	impact, err := h.Lineage.Impact(context.Background(), lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "a"))}})
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	for _, e := range impact.Entities {
		if e.Type == "dashboard" {
			found = append(found, fmt.Sprintf("%d %s %s", e.Degree, e.Effect, e.URN))
		}
	}
	equal(h, "dashboards", found, []string{"5 certain " + catalogtest.SalesBoard, "5 certain " + other})
}

func TestTimeline(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	schema := func(fields ...string) {
		var list []string
		for _, f := range fields {
			list = append(list, `{"fieldPath":"`+f+`","nativeDataType":"x","type":{"type":{"com.linkedin.schema.StringType":{}}}}`)
		}
		h.Put("", catalog.Upsert, catalogtest.Table, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[`+strings.Join(list, ",")+`]}`)
		catalogtest.Past(t)
	}
	schema("a", "b")
	middle := catalogtest.Past(t)
	schema("a", "b", "c")
	h.Put("", catalog.Upsert, catalogtest.Table, "globalTags", `{"tags":[{"tag":"urn:li:tag:pii"}]}`)
	catalogtest.Past(t)
	schema("a", "c")
	h.Put("", catalog.Upsert, catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Upstream+`","type":"COPY"}]}`)
	catalogtest.Past(t)
	h.Put("", catalog.Upsert, catalogtest.Table, "upstreamLineage", `{"upstreams":[]}`)
	h.Put("", catalog.Upsert, catalogtest.Table, "datasetProperties", `{"description":"one"}`)
	catalogtest.Past(t)
	h.Put("", catalog.Upsert, catalogtest.Table, "datasetProperties", `{"description":"two"}`)
	tell := func(r history.TimelineRequest) []string {
		t.Helper()
		r.URN = catalogtest.URN(catalogtest.Table)
		found, err := h.History.Timeline(ctx, r)
		if err != nil {
			return []string{string(catalog.CodeOf(err))}
		}
		list := []string{}
		for _, tx := range found {
			for _, e := range tx.ChangeEvents {
				list = append(list, strings.TrimSuffix(tx.SemVer, "-computed")+" "+e.Category+" "+e.Description)
			}
		}
		return list
	}
	equal := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", what, got, want)
		}
	}
	equal("schema", tell(history.TimelineRequest{Categories: []string{"technical_schema"}}), []string{
		"0.0.0 TECHNICAL_SCHEMA Column a was added", "0.0.0 TECHNICAL_SCHEMA Column b was added", "0.1.0 TECHNICAL_SCHEMA Column c was added", "1.0.0 TECHNICAL_SCHEMA Column b was removed",
	})
	equal("since", tell(history.TimelineRequest{Categories: []string{"TECHNICAL_SCHEMA"}, Start: middle}), []string{
		"0.1.0 TECHNICAL_SCHEMA Column c was added", "1.0.0 TECHNICAL_SCHEMA Column b was removed",
	})
	equal("lineage and tags", tell(history.TimelineRequest{Categories: []string{"LINEAGE", "TAG"}}), []string{
		"0.1.0 TAG Tag urn:li:tag:pii was added", "0.2.0 LINEAGE Upstream " + catalogtest.Upstream + " was added", "0.3.0 LINEAGE Upstream " + catalogtest.Upstream + " was removed",
	})
	equal("documentation", tell(history.TimelineRequest{Categories: []string{"DOCUMENTATION"}}), []string{
		"0.1.0 DOCUMENTATION The description in datasetProperties was added: 'one'", "0.2.0 DOCUMENTATION The description in datasetProperties was changed from 'one' to 'two'",
	})
	equal("unknown", tell(history.TimelineRequest{Categories: []string{"WEATHER"}}), []string{"invalid"})
	equal("backwards", tell(history.TimelineRequest{Start: 9, End: 8}), []string{"invalid"})
	if all := tell(history.TimelineRequest{}); len(all) != 9 {
		t.Errorf("all: %q", all)
	}
	raw, err := h.History.Timeline(ctx, history.TimelineRequest{URN: catalogtest.URN(catalogtest.Table), Categories: []string{"DOCUMENTATION"}, Raw: true})
	if err != nil || len(raw) != 2 || string(raw[1].RawDiff) != `[{"value":"two","op":"replace","path":"/datasetProperties/description"}]` ||
		raw[1].VersionStamp != "datasetProperties:0" || raw[0].VersionStamp != "datasetProperties:1" || raw[1].Actor != catalogtest.Ada {
		t.Errorf("raw: %s %v", catalogtest.MustJSON(t, raw), err)
	}
}

// TestWalkMergesSiblings: a walk goes on from siblings without a hop, and its
// paths show them.
func TestWalkMergesSiblings(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	const startTwin, cleanTwin = "urn:li:dataset:(urn:li:dataPlatform:dbt,raw,PROD)", "urn:li:dataset:(urn:li:dataPlatform:dbt,clean,PROD)"
	const model = "urn:li:dataset:(urn:li:dataPlatform:dbt,model,PROD)"
	h.Say(cleanTwin, "siblings", `{"siblings":["`+catalogtest.CleanTable+`"],"primary":true}`)
	h.Say(catalogtest.RawTable, "siblings", `{"siblings":["`+startTwin+`"],"primary":true}`)
	h.Say(model, "upstreamLineage", `{"upstreams":[{"dataset":"`+cleanTwin+`","type":"COPY"}]}`)
	h.Say(catalogtest.SideTable, "upstreamLineage", `{"upstreams":[{"dataset":"`+startTwin+`","type":"COPY"}]}`)
	walk := lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream, MergeSiblings: true, MaxHops: 3}
	equal(h, "merged", h.Page(lineage.Request{Walk: walk}), []string{"1 " + catalogtest.CleanJob, "1 " + catalogtest.SideTable, "2 " + catalogtest.CleanTable, "3 " + model, "3 " + catalogtest.MartTable})
	walk.MergeSiblings = false
	equal(h, "apart", h.Page(lineage.Request{Walk: walk}), []string{"1 " + catalogtest.CleanJob, "2 " + catalogtest.CleanTable, "3 " + catalogtest.MartTable})
	walk.MergeSiblings = true
	page, err := h.Lineage.Of(context.Background(), lineage.Request{Walk: walk, Count: 9, Paths: 2})
	if err != nil {
		t.Fatal(err)
	}
	way := func(e *lineage.Entity) []string {
		var urns []string
		for _, step := range e.Paths[0] {
			urns = append(urns, step.URN)
		}
		return urns
	}
	equal(h, "from the start's sibling", way(&page.Entities[1]), []string{catalogtest.RawTable, startTwin, catalogtest.SideTable})
	equal(h, "over a sibling", way(&page.Entities[3]), []string{catalogtest.RawTable, catalogtest.CleanJob, catalogtest.CleanTable, cleanTwin, model})
	equal(h, "past a sibling", way(&page.Entities[4]), []string{catalogtest.RawTable, catalogtest.CleanJob, catalogtest.CleanTable, catalogtest.MartTable})
}

// TestPathsOfAWindow: a walk that looks at when edges were made knows where it
// began as others do.
func TestPathsOfAWindow(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	page, err := h.Lineage.Of(context.Background(), lineage.Request{
		Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream, From: 1, To: 9, MaxHops: 3}, Count: 9, Paths: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	var ways []string
	for _, e := range page.Entities {
		for _, path := range e.Paths {
			ways = append(ways, fmt.Sprintf("%d %s %s", len(path), path[0].URN, path[len(path)-1].URN))
		}
	}
	equal(h, "paths", ways, []string{
		"2 " + catalogtest.RawTable + " " + catalogtest.CleanJob, "3 " + catalogtest.RawTable + " " + catalogtest.CleanTable, "4 " + catalogtest.RawTable + " " + catalogtest.MartTable, "4 " + catalogtest.RawTable + " " + catalogtest.SideTable,
	})
}

// TestWalkFailures: a store that is not available or too slow has an error of its
// own.
func TestWalkFailures(t *testing.T) {
	h, ctx := catalogtest.NewLineageHarness(t), context.Background()
	for failure, want := range map[error]catalog.Code{graphstore.ErrUnavailable: catalog.Unavailable, graphstore.ErrImpatient: catalog.Timeout, context.DeadlineExceeded: catalog.Timeout} {
		h.Store.FailWalk = fmt.Errorf("test: %w", failure)
		for what, err := range map[string]error{
			"lineage": second(h.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}, Count: 9})),
			"impact":  second(h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable)}})),
			"column":  second(h.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "a"))}})),
			"diff":    second(h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}, Before: 5})),
		} {
			if catalog.CodeOf(err) != want {
				t.Errorf("%s when the store says %v: %v", what, failure, err)
			}
		}
	}
	h.Store.FailWalk = nil
	h.Store.CutWalk = graphstore.CutByTime
	page, err := h.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}, Count: 9})
	if err != nil || !page.Partial || !strings.Contains(page.Reason, "longer") {
		t.Errorf("a walk cut by time: %+v %v", page, err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestManyEdges: an entity with more edges than are read at once is said to
// have them.
func TestManyEdges(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const readers = catalog.MaxPage + 7
	var proposals []catalog.Proposal
	for i := range readers {
		proposals = append(proposals, catalog.Proposal{
			EntityType: "dataset", EntityURN: fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,hub.r%05d,PROD)", i), AspectName: "upstreamLineage",
			Aspect: &catalog.GenericAspect{ContentType: "application/json", Value: []byte(`{"upstreams":[{"dataset":"` + catalogtest.RawTable + `","type":"COPY"}]}`)},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	walk := lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream}
	whole, err := h.Lineage.Walk(ctx, walk)
	if err != nil || whole.Partial() || len(whole.Reached) != readers {
		t.Errorf("a walk in the store reaches %d, partial %v: %v", len(whole.Reached), whole.Partial(), err)
	}
	walk.MergeSiblings = true
	byHops, err := h.Lineage.Walk(ctx, walk)
	if err != nil || !byHops.Partial() || len(byHops.Reached) != catalog.MaxPage {
		t.Errorf("a walk by hops reaches %d, partial %v: %v", len(byHops.Reached), byHops.Partial(), err)
	}
	diff, err := h.Lineage.Diff(ctx, lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.RawTable), Direction: lineage.Downstream, Reach: lineage.MaxReport}, Before: 1})
	if err != nil || len(diff.Added) != readers || len(diff.EdgesAdded) != readers || diff.Partial {
		t.Errorf("a diff has %d entities and %d edges, partial %v: %v", len(diff.Added), len(diff.EdgesAdded), diff.Partial, err)
	}
}

// TestLongPaths: paths that together are too long are refused, and shown of
// fewer entities.
func TestLongPaths(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const length = 700
	at := func(i int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,chain.d%04d,PROD)", i)
	}
	var proposals []catalog.Proposal
	for i := 1; i <= length; i++ {
		proposals = append(proposals, catalog.Proposal{
			EntityType: "dataset", EntityURN: at(i), AspectName: "upstreamLineage",
			Aspect: &catalog.GenericAspect{ContentType: "application/json", Value: []byte(`{"upstreams":[{"dataset":"` + at(i-1) + `","type":"COPY"}]}`)},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	walk := lineage.WalkQuery{URN: catalogtest.URN(at(0)), Direction: lineage.Downstream}
	if _, err := h.Lineage.Of(ctx, lineage.Request{Walk: walk, Count: length, Paths: 1}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("all paths: %v", err)
	}
	page, err := h.Lineage.Of(ctx, lineage.Request{Walk: walk, Start: length - 1, Count: 1, Paths: 1})
	if err != nil || len(page.Entities) != 1 || len(page.Entities[0].Paths[0]) != length+1 {
		t.Errorf("the longest path: %+v %v", page, err)
	}
}
