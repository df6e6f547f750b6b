package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

func columnURN(dataset, path string) string {
	return "urn:li:schemaField:(" + dataset + "," + path + ")"
}

// lineageOfColumns is an upstreamLineage of table from upstream with some columns.
func lineageOfColumns(columns int, more string) string {
	var entries []string
	for n := range columns {
		entries = append(entries, fmt.Sprintf(`{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":[%q],"downstreams":[%q]}`,
			columnURN(upstream, fmt.Sprintf("u%02d", n)), columnURN(table, fmt.Sprintf("c%02d", n))))
	}
	return `{"upstreams":[{"dataset":"` + upstream + `","type":"COPY","auditStamp":` + stamp + `}` + more + `],"fineGrainedLineages":[` + strings.Join(entries, ",") + `]}`
}

func columnsOfUpstream(n int) []string {
	var list []string
	for i := range n {
		list = append(list, columnURN(upstream, fmt.Sprintf("u%02d", i)))
	}
	return list
}

// A dataset derives from the columns that its fine-grained lineage begins at;
// that is a relationship, and no lineage of the dataset.
func TestColumnsOfDatasets(t *testing.T) {
	h, ctx := newHarness(t), context.Background()
	const third = "urn:li:dataset:(urn:li:dataPlatform:hive,db.third,PROD)"
	for _, urn := range []string{table, upstream, third} {
		h.put("", Upsert, urn, "status", `{"removed":false}`)
	}
	h.put("", Upsert, table, "upstreamLineage", lineageOfColumns(5, `,{"dataset":"`+third+`","type":"COPY","auditStamp":`+stamp+`}`))
	want := append([]string{upstream, third}, columnsOfUpstream(5)...)
	if got := h.neighbours("OUTGOING", table, "DownstreamOf"); !slices.Equal(got, want) {
		t.Errorf("related: %v", got)
	}
	column := columnURN(upstream, "u03")
	if got := h.neighbours("INCOMING", column, "DownstreamOf"); !slices.Equal(got, []string{table, columnURN(table, "c03")}) {
		t.Errorf("related to a column: %v", got)
	}
	for _, c := range []struct {
		urn, direction string
		total          int
		first          string
	}{{table, Upstream, 2, upstream}, {upstream, Downstream, 1, table}, {column, Downstream, 1, columnURN(table, "c03")}, {columnURN(table, "c03"), Upstream, 1, column}} {
		pages, err := h.LineageOf(ctx, []string{c.urn}, LineageQuery{Direction: c.direction, Count: 1})
		if page := pages[c.urn]; err != nil || page.Total != c.total || len(page.Relationships)+page.Filtered != 1 || len(page.Relationships) == 1 && page.Relationships[0].Entity != c.first {
			t.Errorf("%s of %s: %+v %v", c.direction, c.urn, page, err)
		}
		for _, byHops := range []bool{false, true} {
			walk, err := h.WalkLineage(ctx, WalkQuery{URN: c.urn, Direction: c.direction, MergeSiblings: byHops})
			if err != nil || len(walk.Reached) != c.total || walk.Reached[0].URN != c.first {
				t.Errorf("walk %s of %s: %+v %v", c.direction, c.urn, walk, err)
			}
		}
	}
	h.put("", Upsert, table, "upstreamLineage", lineageOfColumns(2, ""))
	if got := h.neighbours("OUTGOING", table, "DownstreamOf"); !slices.Equal(got, append([]string{upstream}, columnsOfUpstream(2)...)) {
		t.Errorf("after a change: %v", got)
	}
}

// forget makes the store as earlier releases left it: without the edges from
// datasets to columns.
func forget(h *harness, columns int) {
	h.t.Helper()
	var batch graphstore.Batch
	for _, column := range columnsOfUpstream(columns) {
		batch.EndEdges = append(batch.EndEdges, graphstore.EdgeEnd{EdgeID: graphstore.EdgeID{
			Owner: table, Aspect: "upstreamLineage", Path: "fineGrainedLineages/*/upstreams/*", Source: table, Type: "DownstreamOf", Destination: column,
		}, Until: 1})
	}
	if err := h.store.Update(context.Background(), []string{table}, func(tx graphstore.Tx) error { return tx.Write(batch) }); err != nil {
		h.t.Fatal(err)
	}
	if got := h.neighbours("OUTGOING", table, "DownstreamOf"); !slices.Equal(got, []string{upstream}) {
		h.t.Fatalf("not forgotten: %v", got)
	}
}

func TestEdgesOfEarlierReleases(t *testing.T) {
	h, ctx := newHarness(t), context.Background()
	h.put("", Upsert, table, "upstreamLineage", lineageOfColumns(3, ""))
	forget(h, 3)
	log := len(h.changes())
	for range 2 { // one server after the other, or two at a time
		if err := h.restateAll(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.neighbours("OUTGOING", table, "DownstreamOf"); !slices.Equal(got, append([]string{upstream}, columnsOfUpstream(3)...)) {
		t.Errorf("after restating: %v", got)
	}
	latest, err := h.store.LatestAspects(ctx, []string{table}, []string{"upstreamLineage"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := h.store.Edges(ctx, graphstore.EdgeQuery{URNs: []string{table}, Page: graphstore.Page{Count: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found[table].Edges {
		if e.Type == "DownstreamOf" && (e.Since != latest[table][0].CreatedOn || e.SinceActor != ada) {
			t.Errorf("since: %+v", e)
		}
	}
	if now := len(h.changes()); now != log {
		t.Errorf("%d changes more", now-log)
	}
	// Once is enough: the next start finds the mark.
	forget(h, 3)
	if err := h.RestateEdges(ctx); err != nil {
		t.Fatal(err)
	}
	h.Stop()
	if got := h.neighbours("OUTGOING", table, "DownstreamOf"); !slices.Equal(got, []string{upstream}) {
		t.Errorf("restated a second time: %v", got)
	}
	// A server of an earlier release may have written meanwhile: what is written
	// now states all of it, although the value before had the same entries.
	h.put("", Upsert, table, "upstreamLineage", lineageOfColumns(4, ""))
	if got := h.neighbours("OUTGOING", table, "DownstreamOf"); !slices.Equal(got, append([]string{upstream}, columnsOfUpstream(4)...)) {
		t.Errorf("after a write: %v", got)
	}
}

// A store gets the edges in the background when a server starts.
func TestEdgesAreRestatedAtStart(t *testing.T) {
	h, ctx := newHarness(t), context.Background()
	h.put("", Upsert, table, "upstreamLineage", lineageOfColumns(3, ""))
	forget(h, 3)
	if err := h.RestateEdges(ctx); err != nil {
		t.Fatal(err)
	}
	h.work.running.Wait()
	if got := h.neighbours("OUTGOING", table, "DownstreamOf"); len(got) != 4 {
		t.Errorf("%v", got)
	}
}
