package history_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

// withoutLineage returns the categories that are read only from versions.
func withoutLineage() []string {
	return slices.DeleteFunc(history.TimelineCategories(), func(name string) bool { return name == history.CategoryLineage })
}

// TestChangesAgreeWithTimelines: the changes of many entities that are read together equal
// their single timelines. The edges that began or ended in the graph equal the edges by which
// versions differ. The sample has changes of every kind, and a rollback.
func TestChangesAgreeWithTimelines(t *testing.T) {
	c, ctx := testcatalog.New(t), context.Background()
	if _, err := sample.Load(ctx, c); err != nil {
		t.Fatal(err)
	}
	var urns []model.URN
	for _, name := range []string{"dataset", "dataJob", "chart", "dashboard", "mlModel", "dataProduct", "glossaryTerm"} {
		listed, err := c.ListURNs(ctx, name, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		urns = append(urns, catalogtest.URNs(listed.Entities...)...)
	}
	window := history.TimelineRequest{Start: 1}
	found, err := c.History.Changes(ctx, urns, window)
	if err != nil {
		t.Fatal(err)
	}
	transactions, edges := 0, 0
	for _, u := range urns {
		window.URN, window.Categories = u, withoutLineage()
		want, err := c.History.Timeline(ctx, window)
		if err != nil {
			t.Fatal(err)
		}
		transactions += len(want)
		if got, want := catalogtest.MustJSON(t, found[u].Transactions), catalogtest.MustJSON(t, want); got != want && len(found[u].Transactions)+len(want) > len("[]") {
			t.Errorf("%s:\n got %s\nwant %s", u, got, want)
		}
		window.Categories = []string{history.CategoryLineage}
		told, err := c.History.Timeline(ctx, window)
		if err != nil {
			t.Fatal(err)
		}
		var begun, ended []string
		for _, tx := range told {
			for _, e := range tx.ChangeEvents {
				switch e.Operation { // a modified edge is no change of the graph
				case history.OperationAdd:
					begun = append(begun, fmt.Sprint(tx.Timestamp, " ", e.EntityURN, " ", e.Modifier))
				case history.OperationRemove:
					ended = append(ended, fmt.Sprint(tx.Timestamp, " ", e.EntityURN, " ", e.Modifier))
				}
			}
		}
		var gotBegun, gotEnded []string
		for _, e := range found[u].Edges {
			from, to := e.Downstream, e.Upstream
			if e.Upstream == u.String() { // a job states its outputs
				from, to = to, from
			}
			if text := fmt.Sprint(e.At, " ", from, " ", to); e.Ended {
				gotEnded = append(gotEnded, text)
			} else {
				gotBegun = append(gotBegun, text)
			}
		}
		edges += len(gotBegun) + len(gotEnded)
		for _, list := range [][]string{begun, ended, gotBegun, gotEnded} {
			slices.Sort(list)
		}
		if !slices.Equal(slices.Compact(begun), gotBegun) || !slices.Equal(slices.Compact(ended), gotEnded) {
			t.Errorf("%s:\n got %q and %q\nwant %q and %q", u, gotBegun, gotEnded, begun, ended)
		}
	}
	if transactions < 100 || edges < 100 {
		t.Errorf("%d transactions and %d edges were compared", transactions, edges)
	}
}

// TestEdgeChanges: an edge that the next write states at another place does not change. An edge
// that is stated again after a pause is new.
func TestEdgeChanges(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	derives := func(from ...string) string {
		text := `{"upstreams":[`
		for i, urn := range from {
			if i > 0 {
				text += ","
			}
			text += `{"dataset":"` + urn + `","type":"COPY"}`
		}
		return text + `]}`
	}
	a, b := "urn:li:dataset:(urn:li:dataPlatform:hive,changes.a,PROD)", "urn:li:dataset:(urn:li:dataPlatform:hive,changes.b,PROD)"
	for i, from := range [][]string{{a, b}, {b, a}, {b}, {b, a}} {
		h.Run(fmt.Sprintf("run%d", i), catalogtest.Table, "upstreamLineage", derives(from...))
		testclock.Forward(2 * time.Millisecond)
	}
	u := catalogtest.URN(catalogtest.Table)
	found, err := h.History.Changes(ctx, []model.URN{u}, history.TimelineRequest{Start: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range found[u].Edges {
		if e.Downstream != catalogtest.Table || e.Type != model.RelationshipDownstreamOf || e.Actor == "" {
			t.Errorf("%+v", e)
		}
		got = append(got, fmt.Sprintf("%s %s ended %v", e.Run, e.Upstream, e.Ended))
	}
	want := []string{"run0 " + a + " ended false", "run0 " + b + " ended false", "run2 " + a + " ended true", "run3 " + a + " ended false"}
	slices.SortFunc(got, cmp.Compare[string])
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// A time window has only the changes within it.
	changes := found[u].Edges
	last := changes[len(changes)-1].At
	if found, err = h.History.Changes(ctx, []model.URN{u}, history.TimelineRequest{Start: last, End: last}); err != nil || len(found[u].Edges) != 1 {
		t.Errorf("%+v %v", found, err)
	}
	if found, err = h.History.Changes(ctx, []model.URN{u}, history.TimelineRequest{Start: 1, Categories: []string{"TAG"}}); err != nil || len(found[u].Edges) != 0 {
		t.Errorf("%+v %v", found, err)
	}
}

// TestChangesRefused: Changes refuses the requests that a timeline refuses, and reports an
// unavailable store.
func TestChangesRefused(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	urns := catalogtest.URNs(catalogtest.Table)
	for _, r := range []history.TimelineRequest{{Start: -1}, {Start: 2, End: 1}, {Categories: []string{"WEATHER"}}} {
		_, err := h.History.Changes(ctx, urns, r)
		h.Want(catalog.Invalid, err)
	}
	gone, cancel := context.WithCancelCause(ctx)
	cancel(graphstore.ErrUnavailable)
	if _, err := h.History.Changes(gone, urns, history.TimelineRequest{}); err == nil {
		t.Error("a store that does not answer is an error")
	}
}
