package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testclock"
)

// lineageHarness is a small catalog with lineage: raw → clean → mart, clean
// through a job, mart shown by a chart on a dashboard; column-level from raw to
// clean (by the job) and from clean to mart, and from mart to the chart.
type lineageHarness struct{ *harness }

const (
	rawTable   = "urn:li:dataset:(urn:li:dataPlatform:hive,db.raw,PROD)"
	cleanTable = "urn:li:dataset:(urn:li:dataPlatform:hive,db.clean,PROD)"
	martTable  = "urn:li:dataset:(urn:li:dataPlatform:snowflake,db.mart,PROD)"
	sideTable  = "urn:li:dataset:(urn:li:dataPlatform:snowflake,db.side,PROD)"
	cleanJob   = "urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),clean)"
	salesChart = "urn:li:chart:(looker,sales)"
	salesBoard = "urn:li:dashboard:(looker,board)"
)

func columnOf(table, path string) string {
	return "urn:li:schemaField:(" + table + "," + path + ")"
}

func fineGrained(pairs ...string) string {
	var entries []string
	for i := 0; i < len(pairs); i += 2 {
		entries = append(entries, fmt.Sprintf(
			`{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q],"transformOperation":"TRIM","confidenceScore":0.8}`,
			pairs[i], pairs[i+1]))
	}
	return strings.Join(entries, ",")
}

func newLineageHarness(t testing.TB) *lineageHarness {
	h := &lineageHarness{newHarness(t)}
	say := h.say
	upstreams := func(fine string, urns ...string) string {
		var list []string
		for _, u := range urns {
			list = append(list, fmt.Sprintf(`{"dataset":%q,"type":"TRANSFORMED","auditStamp":{"time":5,"actor":%q}}`, u, ada))
		}
		return `{"upstreams":[` + strings.Join(list, ",") + `],"fineGrainedLineages":[` + fine + `]}`
	}
	for _, table := range []string{rawTable, cleanTable, martTable, sideTable} {
		say(table, "datasetProperties", `{"description":"d"}`)
	}
	say(cleanJob, "dataJobInfo", `{"name":"clean it","type":{"string":"SPARK"}}`)
	say(cleanJob, "dataJobInputOutput", `{"inputDatasets":["`+rawTable+`"],"outputDatasets":["`+cleanTable+`"],"fineGrainedLineages":[`+
		fineGrained(columnOf(rawTable, "a"), columnOf(cleanTable, "a"))+`]}`)
	say(martTable, "upstreamLineage", upstreams(fineGrained(columnOf(cleanTable, "a"), columnOf(martTable, "total")), cleanTable))
	say(sideTable, "upstreamLineage", upstreams("", cleanTable))
	say(salesChart, "chartInfo", `{"title":"Sales","description":"","lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}},"inputs":["`+martTable+`"]}`)
	say(salesChart, "inputFields", `{"fields":[{"schemaFieldUrn":"`+columnOf(martTable, "total")+`","schemaField":{"fieldPath":"sum","nullable":false,"type":{"type":{"com.linkedin.schema.NumberType":{}}},"nativeDataType":"n"}}]}`)
	say(salesBoard, "dashboardInfo", `{"title":"Board","description":"","charts":["`+salesChart+`"],"lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}}`)
	say(martTable, "ownership", `{"owners":[{"owner":"`+ada+`","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	say(ada, "corpUserInfo", `{"active":true,"displayName":"Ada Wren","email":"ada@example.com"}`)
	say(sideTable, "globalTags", `{"tags":[{"tag":"urn:li:tag:pii"}]}`)
	return h
}

// page asks for lineage and lists "degree urn".
func (h *lineageHarness) page(r LineageRequest) []string {
	h.t.Helper()
	if r.Count == 0 {
		r.Count = 100
	}
	page, err := h.Lineage(context.Background(), r)
	if err != nil {
		return []string{string(CodeOf(err))}
	}
	list := []string{}
	for _, e := range page.Entities {
		list = append(list, fmt.Sprintf("%d %s", e.Degree, e.URN))
	}
	return list
}

func (h *lineageHarness) equal(what string, got, want []string) {
	h.t.Helper()
	if !slices.Equal(got, want) {
		h.t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestLineagePage(t *testing.T) {
	h := newLineageHarness(t)
	down := func(urn string) WalkQuery { return WalkQuery{URN: urn, Direction: Downstream} }
	up := func(urn string) WalkQuery { return WalkQuery{URN: urn, Direction: Upstream} }
	all := []string{"1 " + cleanJob, "2 " + cleanTable, "3 " + martTable, "3 " + sideTable, "4 " + salesChart, "5 " + salesBoard}
	h.equal("downstream", h.page(LineageRequest{Walk: down(rawTable)}), all)
	h.equal("upstream", h.page(LineageRequest{Walk: up(salesBoard)}),
		[]string{"1 " + salesChart, "2 " + martTable, "3 " + cleanTable, "4 " + cleanJob, "5 " + rawTable})
	h.equal("second page", h.page(LineageRequest{Walk: down(rawTable), Start: 2, Count: 2}), all[2:4])
	h.equal("behind the last", h.page(LineageRequest{Walk: down(rawTable), Start: 9, Count: 2}), nil)
	for what, c := range map[string]struct {
		filter LineageFilter
		want   []string
	}{
		"types":             {LineageFilter{Types: []string{"chart", "dataJob"}}, []string{all[0], all[4]}},
		"platform":          {LineageFilter{Platforms: []string{"snowflake"}}, all[2:4]},
		"platform by URN":   {LineageFilter{Platforms: []string{"urn:li:dataPlatform:hive"}}, all[1:2]},
		"owner":             {LineageFilter{Owners: []string{ada}}, all[2:3]},
		"tag":               {LineageFilter{Tags: []string{"pii"}}, all[3:4]},
		"tag and type":      {LineageFilter{Tags: []string{"pii"}, Types: []string{"chart"}}, nil},
		"domain":            {LineageFilter{Domains: []string{"sales"}}, nil},
		"unknown type":      {LineageFilter{Types: []string{"thing"}}, []string{"invalid"}},
		"nobody's platform": {LineageFilter{Platforms: []string{""}}, nil},
	} {
		h.equal(what, h.page(LineageRequest{Walk: down(rawTable), Filter: c.filter}), c.want)
	}
	for what, r := range map[string]LineageRequest{
		"direction": {Walk: WalkQuery{URN: rawTable}}, "urn": {Walk: down("x")}, "hops": {Walk: WalkQuery{URN: rawTable, Direction: Upstream, MaxHops: -1}},
		"reach": {Walk: WalkQuery{URN: rawTable, Direction: Upstream, Reach: MaxReach + 1}}, "paths": {Walk: down(rawTable), Paths: MaxPaths + 1},
		"removed": {Walk: down(rawTable), Removed: "maybe"}, "start": {Walk: down(rawTable), Start: -1}, "moment": {Walk: WalkQuery{URN: rawTable, Direction: Upstream, AsOf: -1}},
	} {
		h.equal(what, h.page(r), []string{"invalid"})
	}

	page, err := h.Lineage(context.Background(), LineageRequest{Walk: down(rawTable), Count: 100, Paths: 2, Edges: true})
	if err != nil {
		t.Fatal(err)
	}
	if mart := page.Entities[2]; mart.Name != "db.mart" || mart.Platform != "urn:li:dataPlatform:snowflake" || !mart.Exists || len(mart.Paths) != 1 || len(mart.Paths[0]) != 4 ||
		mart.Paths[0][3].Edge.Type != "DownstreamOf" || mart.Paths[0][3].Edge.Updated.Time != 5 || !slices.Equal(mart.Paths[0][1].Edge.StatedBy, []string{cleanJob}) {
		t.Errorf("mart: %s", mustJSON(t, mart))
	}
	if len(page.Edges) != 6 || page.Entities[4].Name != "Sales" {
		t.Errorf("edges: %s", mustJSON(t, page.Edges))
	}
	cut, err := h.Lineage(context.Background(), LineageRequest{Walk: WalkQuery{URN: rawTable, Direction: Downstream, Reach: 2}, Count: 100})
	if err != nil || !cut.Partial || cut.Reason == "" || cut.Reached != 2 {
		t.Errorf("a cut walk: %+v %v", cut, err)
	}
}

func TestRemovedOnTheWay(t *testing.T) {
	h := newLineageHarness(t)
	h.put("", Upsert, cleanTable, "status", `{"removed":true}`)
	walk := WalkQuery{URN: rawTable, Direction: Downstream, MaxHops: 3}
	h.equal("pass", h.page(LineageRequest{Walk: walk}), []string{"1 " + cleanJob, "3 " + martTable, "3 " + sideTable})
	h.equal("show", h.page(LineageRequest{Walk: walk, Removed: RemovedShow}), []string{"1 " + cleanJob, "2 " + cleanTable, "3 " + martTable, "3 " + sideTable})
	h.equal("stop", h.page(LineageRequest{Walk: walk, Removed: RemovedStop}), []string{"1 " + cleanJob})
}

func TestColumnLineage(t *testing.T) {
	h := newLineageHarness(t)
	columns := func(urn, direction string) LineageRequest {
		return LineageRequest{Walk: WalkQuery{URN: urn, Direction: direction, Columns: true}}
	}
	h.equal("from a column", h.page(columns(columnOf(rawTable, "a"), Downstream)),
		[]string{"1 " + columnOf(cleanTable, "a"), "2 " + columnOf(martTable, "total"), "3 " + columnOf(salesChart, "sum")})
	h.equal("which columns feed the dashboard", h.page(columns(salesBoard, Upstream)),
		[]string{"1 " + columnOf(martTable, "total"), "2 " + columnOf(cleanTable, "a"), "3 " + columnOf(rawTable, "a")})
	h.equal("from a dataset", h.page(columns(martTable, Upstream)), []string{"1 " + columnOf(cleanTable, "a"), "2 " + columnOf(rawTable, "a")})
	h.equal("what a job writes", h.page(columns(cleanJob, Downstream))[:1], []string{"1 " + columnOf(cleanTable, "a")})
	h.equal("what a job reads", h.page(columns(cleanJob, Upstream)), []string{"1 " + columnOf(rawTable, "a")})
	h.equal("of a type of entity", h.page(LineageRequest{Walk: columns(salesBoard, Upstream).Walk, Filter: LineageFilter{Platforms: []string{"snowflake"}}}),
		[]string{"1 " + columnOf(martTable, "total")})
	h.equal("without columns", h.page(columns(sideTable, Upstream)), nil)

	page, err := h.Lineage(context.Background(), LineageRequest{Walk: columns(columnOf(martTable, "total"), Upstream).Walk, Count: 10, Paths: 1})
	if err != nil || len(page.Entities) != 2 {
		t.Fatalf("%+v %v", page, err)
	}
	raw := page.Entities[1]
	edge := raw.Paths[0][2].Edge
	if raw.Entity != rawTable || raw.Name != "a" || !raw.Exists || edge.TransformOperation != "TRIM" || edge.ConfidenceScore == nil || *edge.ConfidenceScore != 0.8 ||
		!slices.Equal(edge.StatedBy, []string{cleanJob}) || edge.Upstream != columnOf(rawTable, "a") {
		t.Errorf("raw column: %s", mustJSON(t, raw))
	}
}

// past puts the clock forward and returns a moment between what was written
// and what will be.
func past(testing.TB) int64 {
	testclock.Forward(3 * time.Millisecond)
	at := testclock.Now().UnixMilli()
	testclock.Forward(3 * time.Millisecond)
	return at
}

func TestLineageDiff(t *testing.T) {
	h := newLineageHarness(t)
	before := past(t)
	if _, err := h.Ingest(context.Background(), Proposal{
		EntityType: "dataset", EntityURN: martTable, ChangeType: Upsert, AspectName: "upstreamLineage",
		Aspect: &GenericAspect{ContentType: "application/json", Value: json.RawMessage(`{"upstreams":[{"dataset":"` + sideTable + `","type":"COPY"}]}`)},
		System: &SystemMetadata{RunID: "rewire"},
	}, WriteOptions{Actor: ada}); err != nil {
		t.Fatal(err)
	}
	after := past(t)
	ctx := context.Background()
	walk := WalkQuery{URN: martTable, Direction: Upstream}
	d, err := h.LineageDiff(ctx, LineageDiffRequest{Walk: walk, Before: before})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.EdgesAdded) != 1 || d.EdgesAdded[0].Upstream != sideTable || d.EdgesAdded[0].SinceRun != "rewire" || d.EdgesAdded[0].SinceActor != ada {
		t.Errorf("added: %s", mustJSON(t, d.EdgesAdded))
	}
	if len(d.EdgesEnded) != 1 || d.EdgesEnded[0].Upstream != cleanTable || d.EdgesEnded[0].UntilRun != "rewire" || d.EdgesEnded[0].UntilActor != ada || d.EdgesEnded[0].Until == 0 {
		t.Errorf("ended: %s", mustJSON(t, d.EdgesEnded))
	}
	if len(d.Added) != 1 || d.Added[0].URN != sideTable || len(d.Ended) != 0 || len(d.Moved) != 3 || d.Moved[0].URN != cleanTable || d.Moved[0].DegreeBefore != 1 || d.Moved[0].Degree != 2 {
		t.Errorf("entities: %s", mustJSON(t, d))
	}
	h.equal("as of before", h.page(LineageRequest{Walk: WalkQuery{URN: martTable, Direction: Upstream, AsOf: before, MaxHops: 1}}), []string{"1 " + cleanTable})
	h.equal("now", h.page(LineageRequest{Walk: WalkQuery{URN: martTable, Direction: Upstream, MaxHops: 1}}), []string{"1 " + sideTable})
	same, err := h.LineageDiff(ctx, LineageDiffRequest{Walk: walk, Before: after})
	if err != nil || len(same.Added)+len(same.Ended)+len(same.Moved)+len(same.EdgesAdded)+len(same.EdgesEnded) != 0 {
		t.Errorf("nothing changed since: %s %v", mustJSON(t, same), err)
	}
	columns, err := h.LineageDiff(ctx, LineageDiffRequest{Walk: WalkQuery{URN: columnOf(martTable, "total"), Direction: Upstream}, Before: before, After: after})
	if err != nil || len(columns.Ended) != 2 || len(columns.EdgesEnded) != 1 {
		t.Errorf("columns: %s %v", mustJSON(t, columns), err)
	}
	for what, r := range map[string]LineageDiffRequest{
		"too far":   {Walk: WalkQuery{URN: martTable, Direction: Upstream, Reach: maxReport + 1}, Before: 9},
		"no moment": {Walk: walk}, "backwards": {Walk: walk, Before: 9, After: 8}, "window": {Walk: WalkQuery{URN: martTable, Direction: Upstream, From: 1}, Before: 9},
	} {
		if _, err := h.LineageDiff(ctx, r); CodeOf(err) != Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestImpact(t *testing.T) {
	h, ctx := newLineageHarness(t), context.Background()
	impact, err := h.Impact(ctx, ImpactRequest{Walk: WalkQuery{URN: rawTable}})
	if err != nil {
		t.Fatal(err)
	}
	if impact.Total != 6 || mustJSON(t, impact.ByType[0]) != `{"value":"dataset","count":3}` || mustJSON(t, impact.ByDegree[2]) != `{"value":"3","count":2}` ||
		mustJSON(t, impact.Owners) != `[{"urn":"urn:li:corpuser:ada","name":"Ada Wren","email":"ada@example.com","count":1}]` || impact.ByOwner[0].Value != "" {
		t.Errorf("impact: %s", mustJSON(t, impact))
	}
	effects := func(urn string, r ImpactRequest) []string {
		t.Helper()
		r.Walk.URN = urn
		impact, err := h.Impact(ctx, r)
		if err != nil {
			return []string{string(CodeOf(err))}
		}
		list := []string{}
		for _, e := range impact.Entities {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Effect, e.URN, strings.Join(e.Columns, ","))))
		}
		return list
	}
	// The side table says nothing of columns; the chart shows another column of mart than "other".
	h.equal("drop raw.a", effects(columnOf(rawTable, "a"), ImpactRequest{}), []string{
		"certain " + cleanJob, "certain " + cleanTable + " a", "certain " + martTable + " total", "possible " + sideTable,
		"certain " + salesChart + " sum", "certain " + salesBoard,
	})
	h.equal("drop a column that nobody names", effects(columnOf(martTable, "other"), ImpactRequest{}), nil)
	h.equal("drop a column of a chart", effects(columnOf(salesChart, "sum"), ImpactRequest{}), []string{"certain " + salesBoard})
	h.equal("drop a column beside", effects(columnOf(cleanTable, "b"), ImpactRequest{}), []string{"possible " + sideTable})
	h.equal("two hops", effects(columnOf(rawTable, "a"), ImpactRequest{Walk: WalkQuery{MaxHops: 2}}),
		[]string{"certain " + cleanJob, "certain " + cleanTable + " a", "certain " + martTable + " total"})
	h.equal("owned", effects(columnOf(rawTable, "a"), ImpactRequest{Filter: LineageFilter{Owners: []string{"ada"}}}), []string{"certain " + martTable + " total"})
	h.equal("cut", effects(columnOf(rawTable, "a"), ImpactRequest{Walk: WalkQuery{Reach: 2}}), []string{"certain " + cleanJob, "certain " + cleanTable + " a"})
	if cut, err := h.Impact(ctx, ImpactRequest{Walk: WalkQuery{URN: columnOf(rawTable, "a"), Reach: 2}}); err != nil || !cut.Partial || cut.Reason == "" {
		t.Errorf("a cut impact: %+v %v", cut, err)
	}
	h.equal("too far", effects(rawTable, ImpactRequest{Walk: WalkQuery{Reach: maxReport + 1}}), []string{"invalid"})
	h.equal("upstream of a column", effects(columnOf(rawTable, "a"), ImpactRequest{Walk: WalkQuery{Direction: Upstream}}), []string{"invalid"})
	h.equal("nothing", effects("urn:li:dataset:(urn:li:dataPlatform:hive,nothing,PROD)", ImpactRequest{}), []string{"not_found"})
}

// TestImpactThroughCharts: a dashboard that says which columns it shows, and
// not this one, still suffers what its charts do.
func TestImpactThroughCharts(t *testing.T) {
	h := newLineageHarness(t)
	const other = "urn:li:dashboard:(looker,other)"
	h.say(other, "dashboardInfo", `{"title":"Other","description":"","charts":["`+salesChart+`"],"datasets":["`+cleanTable+`"],"lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}}`)
	h.say(other, "inputFields", `{"fields":[{"schemaFieldUrn":"`+columnOf(cleanTable, "b")+`","schemaField":{"fieldPath":"b","nullable":false,"type":{"type":{"com.linkedin.schema.NumberType":{}}},"nativeDataType":"n"}}]}`)
	impact, err := h.Impact(context.Background(), ImpactRequest{Walk: WalkQuery{URN: columnOf(rawTable, "a")}})
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	for _, e := range impact.Entities {
		if e.Type == "dashboard" {
			found = append(found, fmt.Sprintf("%d %s %s", e.Degree, e.Effect, e.URN))
		}
	}
	h.equal("dashboards", found, []string{"5 certain " + salesBoard, "5 certain " + other})
}

func TestTimeline(t *testing.T) {
	h, ctx := newHarness(t), context.Background()
	schema := func(fields ...string) {
		var list []string
		for _, f := range fields {
			list = append(list, `{"fieldPath":"`+f+`","nativeDataType":"x","type":{"type":{"com.linkedin.schema.StringType":{}}}}`)
		}
		h.put("", Upsert, table, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[`+strings.Join(list, ",")+`]}`)
		past(t)
	}
	schema("a", "b")
	middle := past(t)
	schema("a", "b", "c")
	h.put("", Upsert, table, "globalTags", `{"tags":[{"tag":"urn:li:tag:pii"}]}`)
	past(t)
	schema("a", "c")
	h.put("", Upsert, table, "upstreamLineage", `{"upstreams":[{"dataset":"`+upstream+`","type":"COPY"}]}`)
	past(t)
	h.put("", Upsert, table, "upstreamLineage", `{"upstreams":[]}`)
	h.put("", Upsert, table, "datasetProperties", `{"description":"one"}`)
	past(t)
	h.put("", Upsert, table, "datasetProperties", `{"description":"two"}`)
	tell := func(r TimelineRequest) []string {
		t.Helper()
		r.URN = table
		found, err := h.Timeline(ctx, r)
		if err != nil {
			return []string{string(CodeOf(err))}
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
	equal("schema", tell(TimelineRequest{Categories: []string{"technical_schema"}}), []string{
		"0.0.0 TECHNICAL_SCHEMA Column a was added", "0.0.0 TECHNICAL_SCHEMA Column b was added", "0.1.0 TECHNICAL_SCHEMA Column c was added", "1.0.0 TECHNICAL_SCHEMA Column b was removed",
	})
	equal("since", tell(TimelineRequest{Categories: []string{"TECHNICAL_SCHEMA"}, Start: middle}), []string{
		"0.1.0 TECHNICAL_SCHEMA Column c was added", "1.0.0 TECHNICAL_SCHEMA Column b was removed",
	})
	equal("lineage and tags", tell(TimelineRequest{Categories: []string{"LINEAGE", "TAG"}}), []string{
		"0.1.0 TAG Tag urn:li:tag:pii was added", "0.2.0 LINEAGE Upstream " + upstream + " was added", "0.3.0 LINEAGE Upstream " + upstream + " was removed",
	})
	equal("documentation", tell(TimelineRequest{Categories: []string{"DOCUMENTATION"}}), []string{
		"0.1.0 DOCUMENTATION The description in datasetProperties was added: 'one'", "0.2.0 DOCUMENTATION The description in datasetProperties was changed from 'one' to 'two'",
	})
	equal("unknown", tell(TimelineRequest{Categories: []string{"WEATHER"}}), []string{"invalid"})
	equal("backwards", tell(TimelineRequest{Start: 9, End: 8}), []string{"invalid"})
	if all := tell(TimelineRequest{}); len(all) != 9 {
		t.Errorf("all: %q", all)
	}
	raw, err := h.Timeline(ctx, TimelineRequest{URN: table, Categories: []string{"DOCUMENTATION"}, Raw: true})
	if err != nil || len(raw) != 2 || string(raw[1].RawDiff) != `[{"value":"two","op":"replace","path":"/datasetProperties/description"}]` ||
		raw[1].VersionStamp != "datasetProperties:0" || raw[0].VersionStamp != "datasetProperties:1" || raw[1].Actor != ada {
		t.Errorf("raw: %s %v", mustJSON(t, raw), err)
	}
}

// TestWalkMergesSiblings: a walk goes on from siblings without a hop, and its
// paths show them.
func TestWalkMergesSiblings(t *testing.T) {
	h := newLineageHarness(t)
	const startTwin, cleanTwin = "urn:li:dataset:(urn:li:dataPlatform:dbt,raw,PROD)", "urn:li:dataset:(urn:li:dataPlatform:dbt,clean,PROD)"
	const model = "urn:li:dataset:(urn:li:dataPlatform:dbt,model,PROD)"
	h.say(cleanTwin, "siblings", `{"siblings":["`+cleanTable+`"],"primary":true}`)
	h.say(rawTable, "siblings", `{"siblings":["`+startTwin+`"],"primary":true}`)
	h.say(model, "upstreamLineage", `{"upstreams":[{"dataset":"`+cleanTwin+`","type":"COPY"}]}`)
	h.say(sideTable, "upstreamLineage", `{"upstreams":[{"dataset":"`+startTwin+`","type":"COPY"}]}`)
	walk := WalkQuery{URN: rawTable, Direction: Downstream, MergeSiblings: true, MaxHops: 3}
	h.equal("merged", h.page(LineageRequest{Walk: walk}), []string{"1 " + cleanJob, "1 " + sideTable, "2 " + cleanTable, "3 " + model, "3 " + martTable})
	walk.MergeSiblings = false
	h.equal("apart", h.page(LineageRequest{Walk: walk}), []string{"1 " + cleanJob, "2 " + cleanTable, "3 " + martTable})
	walk.MergeSiblings = true
	page, err := h.Lineage(context.Background(), LineageRequest{Walk: walk, Count: 9, Paths: 2})
	if err != nil {
		t.Fatal(err)
	}
	way := func(e *LineageEntity) []string {
		var urns []string
		for _, step := range e.Paths[0] {
			urns = append(urns, step.URN)
		}
		return urns
	}
	h.equal("from the start's sibling", way(&page.Entities[1]), []string{rawTable, startTwin, sideTable})
	h.equal("over a sibling", way(&page.Entities[3]), []string{rawTable, cleanJob, cleanTable, cleanTwin, model})
	h.equal("past a sibling", way(&page.Entities[4]), []string{rawTable, cleanJob, cleanTable, martTable})
}

// TestPathsOfAWindow: a walk that looks at when edges were made knows where it
// began as others do.
func TestPathsOfAWindow(t *testing.T) {
	h := newLineageHarness(t)
	page, err := h.Lineage(context.Background(), LineageRequest{
		Walk: WalkQuery{URN: rawTable, Direction: Downstream, From: 1, To: 9, MaxHops: 3}, Count: 9, Paths: 1,
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
	h.equal("paths", ways, []string{
		"2 " + rawTable + " " + cleanJob, "3 " + rawTable + " " + cleanTable, "4 " + rawTable + " " + martTable, "4 " + rawTable + " " + sideTable,
	})
}

// TestWalkFailures: a store that is away or too slow is an error of its own.
func TestWalkFailures(t *testing.T) {
	h, ctx := newLineageHarness(t), context.Background()
	for failure, want := range map[error]Code{graphstore.ErrUnavailable: Unavailable, graphstore.ErrImpatient: Timeout, context.DeadlineExceeded: Timeout} {
		h.store.failWalk = fmt.Errorf("test: %w", failure)
		for what, err := range map[string]error{
			"lineage": second(h.Lineage(ctx, LineageRequest{Walk: WalkQuery{URN: rawTable, Direction: Downstream}, Count: 9})),
			"impact":  second(h.Impact(ctx, ImpactRequest{Walk: WalkQuery{URN: rawTable}})),
			"column":  second(h.Impact(ctx, ImpactRequest{Walk: WalkQuery{URN: columnOf(rawTable, "a")}})),
			"diff":    second(h.LineageDiff(ctx, LineageDiffRequest{Walk: WalkQuery{URN: rawTable, Direction: Downstream}, Before: 5})),
		} {
			if CodeOf(err) != want {
				t.Errorf("%s when the store says %v: %v", what, failure, err)
			}
		}
	}
	h.store.failWalk = nil
	h.store.cutWalk = graphstore.CutByTime
	page, err := h.Lineage(ctx, LineageRequest{Walk: WalkQuery{URN: rawTable, Direction: Downstream}, Count: 9})
	if err != nil || !page.Partial || !strings.Contains(page.Reason, "longer") {
		t.Errorf("a walk cut by time: %+v %v", page, err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestManyEdges: an entity with more edges than are read at once is said to
// have them.
func TestManyEdges(t *testing.T) {
	h, ctx := newHarness(t), context.Background()
	const readers = MaxPage + 7
	var proposals []Proposal
	for i := range readers {
		proposals = append(proposals, Proposal{
			EntityType: "dataset", EntityURN: fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,hub.r%05d,PROD)", i), AspectName: "upstreamLineage",
			Aspect: &GenericAspect{ContentType: "application/json", Value: []byte(`{"upstreams":[{"dataset":"` + rawTable + `","type":"COPY"}]}`)},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	walk := WalkQuery{URN: rawTable, Direction: Downstream}
	whole, err := h.WalkLineage(ctx, walk)
	if err != nil || whole.Partial() || len(whole.Reached) != readers {
		t.Errorf("a walk in the store reaches %d, partial %v: %v", len(whole.Reached), whole.Partial(), err)
	}
	walk.MergeSiblings = true
	byHops, err := h.WalkLineage(ctx, walk)
	if err != nil || !byHops.Partial() || len(byHops.Reached) != MaxPage {
		t.Errorf("a walk by hops reaches %d, partial %v: %v", len(byHops.Reached), byHops.Partial(), err)
	}
	diff, err := h.LineageDiff(ctx, LineageDiffRequest{Walk: WalkQuery{URN: rawTable, Direction: Downstream, Reach: maxReport}, Before: 1})
	if err != nil || len(diff.Added) != readers || len(diff.EdgesAdded) != readers || diff.Partial {
		t.Errorf("a diff has %d entities and %d edges, partial %v: %v", len(diff.Added), len(diff.EdgesAdded), diff.Partial, err)
	}
}

// TestLongPaths: paths that together are too long are refused, and shown of
// fewer entities.
func TestLongPaths(t *testing.T) {
	h, ctx := newHarness(t), context.Background()
	const length = 700
	at := func(i int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,chain.d%04d,PROD)", i)
	}
	var proposals []Proposal
	for i := 1; i <= length; i++ {
		proposals = append(proposals, Proposal{
			EntityType: "dataset", EntityURN: at(i), AspectName: "upstreamLineage",
			Aspect: &GenericAspect{ContentType: "application/json", Value: []byte(`{"upstreams":[{"dataset":"` + at(i-1) + `","type":"COPY"}]}`)},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	walk := WalkQuery{URN: at(0), Direction: Downstream}
	if _, err := h.Lineage(ctx, LineageRequest{Walk: walk, Count: length, Paths: 1}); CodeOf(err) != Invalid {
		t.Errorf("all paths: %v", err)
	}
	page, err := h.Lineage(ctx, LineageRequest{Walk: walk, Start: length - 1, Count: 1, Paths: 1})
	if err != nil || len(page.Entities) != 1 || len(page.Entities[0].Paths[0]) != length+1 {
		t.Errorf("the longest path: %+v %v", page, err)
	}
}
