package write_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/write"
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
			columnURN(catalogtest.Upstream, fmt.Sprintf("u%02d", n)), columnURN(catalogtest.Table, fmt.Sprintf("c%02d", n))))
	}
	return `{"upstreams":[{"dataset":"` + catalogtest.Upstream + `","type":"COPY","auditStamp":` + catalogtest.Stamp + `}` + more + `],"fineGrainedLineages":[` + strings.Join(entries, ",") + `]}`
}

func columnsOfUpstream(n int) []string {
	var list []string
	for i := range n {
		list = append(list, columnURN(catalogtest.Upstream, fmt.Sprintf("u%02d", i)))
	}
	return list
}

// A dataset derives from the columns that its fine-grained lineage begins at;
// that is a relationship, and no lineage of the dataset.
func TestColumnsOfDatasets(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	const third = "urn:li:dataset:(urn:li:dataPlatform:hive,db.third,PROD)"
	for _, urn := range []string{catalogtest.Table, catalogtest.Upstream, third} {
		h.Put("", write.Upsert, urn, "status", `{"removed":false}`)
	}
	h.Put("", write.Upsert, catalogtest.Table, "upstreamLineage", lineageOfColumns(5, `,{"dataset":"`+third+`","type":"COPY","auditStamp":`+catalogtest.Stamp+`}`))
	want := append([]string{catalogtest.Upstream, third}, columnsOfUpstream(5)...)
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf"); !slices.Equal(got, want) {
		t.Errorf("related: %v", got)
	}
	column := columnURN(catalogtest.Upstream, "u03")
	if got := h.Neighbours("INCOMING", column, "DownstreamOf"); !slices.Equal(got, []string{catalogtest.Table, columnURN(catalogtest.Table, "c03")}) {
		t.Errorf("related to a column: %v", got)
	}
	for _, c := range []struct {
		urn, direction string
		total          int
		first          string
	}{{catalogtest.Table, lineage.Upstream, 2, catalogtest.Upstream}, {catalogtest.Upstream, lineage.Downstream, 1, catalogtest.Table}, {column, lineage.Downstream, 1, columnURN(catalogtest.Table, "c03")}, {columnURN(catalogtest.Table, "c03"), lineage.Upstream, 1, column}} {
		pages, err := h.Lineage.RelationshipsOf(ctx, catalogtest.URNs(c.urn), lineage.RelationshipsQuery{Direction: c.direction, Count: 1})
		if page := pages[catalogtest.URN(c.urn)]; err != nil || page.Total != c.total || len(page.Relationships)+page.Filtered != 1 || len(page.Relationships) == 1 && page.Relationships[0].Entity != c.first {
			t.Errorf("%s of %s: %+v %v", c.direction, c.urn, page, err)
		}
		for _, byHops := range []bool{false, true} {
			walk, err := h.Lineage.Walk(ctx, lineage.WalkQuery{URN: catalogtest.URN(c.urn), Direction: c.direction, MergeSiblings: byHops})
			if err != nil || len(walk.Reached) != c.total || walk.Reached[0].URN != c.first {
				t.Errorf("walk %s of %s: %+v %v", c.direction, c.urn, walk, err)
			}
		}
	}
	h.Put("", write.Upsert, catalogtest.Table, "upstreamLineage", lineageOfColumns(2, ""))
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf"); !slices.Equal(got, append([]string{catalogtest.Upstream}, columnsOfUpstream(2)...)) {
		t.Errorf("after a change: %v", got)
	}
}

// forget makes the store as earlier releases left it: without the edges from
// datasets to columns.
func forget(h *catalogtest.Harness, columns int) {
	h.T.Helper()
	var batch graphstore.Batch
	for _, column := range columnsOfUpstream(columns) {
		batch.EndEdges = append(batch.EndEdges, graphstore.EdgeEnd{EdgeID: graphstore.EdgeID{
			Owner: catalogtest.Table, Aspect: "upstreamLineage", Path: "fineGrainedLineages/*/upstreams/*", Source: catalogtest.Table, Type: "DownstreamOf", Destination: column,
		}, Until: 1})
	}
	if err := h.Store.Update(context.Background(), []string{catalogtest.Table}, func(tx graphstore.Tx) error { return tx.Write(batch) }); err != nil {
		h.T.Fatal(err)
	}
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf"); !slices.Equal(got, []string{catalogtest.Upstream}) {
		h.T.Fatalf("not forgotten: %v", got)
	}
}

func TestEdgesOfEarlierReleases(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	h.Put("", write.Upsert, catalogtest.Table, "upstreamLineage", lineageOfColumns(3, ""))
	forget(h, 3)
	log := len(h.Logged())
	for range 2 { // one server after the other, or two at a time
		if err := h.BackfillAll(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf"); !slices.Equal(got, append([]string{catalogtest.Upstream}, columnsOfUpstream(3)...)) {
		t.Errorf("after restating: %v", got)
	}
	latest, err := h.Store.LatestAspects(ctx, []string{catalogtest.Table}, []string{"upstreamLineage"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := h.Store.Edges(ctx, graphstore.EdgeQuery{URNs: []string{catalogtest.Table}, Page: graphstore.Page{Count: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found[catalogtest.Table].Edges {
		if e.Type == "DownstreamOf" && (e.Since != latest[catalogtest.Table][0].CreatedOn || e.SinceActor != catalogtest.Ada) {
			t.Errorf("since: %+v", e)
		}
	}
	if now := len(h.Logged()); now != log {
		t.Errorf("%d changes more", now-log)
	}
	// Once is enough: the next start finds the mark.
	forget(h, 3)
	if err := h.BackfillEdges(ctx); err != nil {
		t.Fatal(err)
	}
	h.Stop()
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf"); !slices.Equal(got, []string{catalogtest.Upstream}) {
		t.Errorf("restated a second time: %v", got)
	}
	// A server of an earlier release may have written meanwhile: this write states all edges, although the
	// value before had the same entries.
	h.Put("", write.Upsert, catalogtest.Table, "upstreamLineage", lineageOfColumns(4, ""))
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf"); !slices.Equal(got, append([]string{catalogtest.Upstream}, columnsOfUpstream(4)...)) {
		t.Errorf("after a write: %v", got)
	}
}

// A store gets the edges in the background when a server starts.
func TestEdgesAreBackfilledAtStart(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	h.Put("", write.Upsert, catalogtest.Table, "upstreamLineage", lineageOfColumns(3, ""))
	forget(h, 3)
	if err := h.BackfillEdges(ctx); err != nil {
		t.Fatal(err)
	}
	h.AwaitBackground()
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf"); len(got) != 4 {
		t.Errorf("%v", got)
	}
}
