package ingestion_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestUnseen: a source lists the entities that it has written and that its last good run did not see, the longest
// unseen first, each with the run that saw it last.
func TestUnseen(t *testing.T) {
	h, ctx := newHouse(t), t.Context()
	h.put("", "", nil)
	u := catalogtest.URN(source)
	if found, err := h.Ingestion.Unseen(ctx, u, 0, 10); err != nil || found != nil {
		t.Errorf("before a good run: %+v, %v", found, err)
	}
	first := h.ran("SUCCESS")
	h.ran("FAILURE")
	last := h.ran("SUCCESS")
	at := func(e ingestion.Ended) int64 { return e.Started + 1000 }
	hour := time.Hour.Milliseconds()
	all := []ingestion.Written{
		{URN: "urn:li:tag:now", Run: first.Run, Created: at(first), Seen: at(last)},
		{URN: "urn:li:tag:skewed", Run: "x", Created: 1, Seen: last.Started - 30_000},
		{URN: "urn:li:tag:first", Run: "before", Created: 1, Seen: at(first)},
		{URN: "urn:li:tag:old", Run: "ancient", Created: first.Started - 9*hour, Seen: first.Started - 9*hour},
		{URN: "urn:li:tag:unknown", Run: "ancient", Created: first.Started - 9*hour, Seen: first.Started - 5*hour},
	}
	var asked string
	h.Ingestion.WrittenBy = func(_ context.Context, pipeline string) ([]ingestion.Written, bool, error) {
		asked = pipeline
		return append([]ingestion.Written(nil), all...), true, nil
	}
	want := []ingestion.Written{all[3], {URN: all[4].URN, Created: all[4].Created, Seen: all[4].Seen}, {URN: all[2].URN, Run: first.Run, Created: 1, Seen: all[2].Seen}}
	for _, page := range [][2]int{{0, 10}, {1, 1}, {3, 5}, {0, 0}} {
		found, err := h.Ingestion.Unseen(ctx, u, page[0], page[1])
		if err != nil {
			t.Fatal(err)
		}
		from := min(page[0], len(want))
		if diff := cmp.Diff(append([]ingestion.Written{}, want[from:min(from+page[1], len(want))]...), found.Entities); diff != "" {
			t.Errorf("page %v: %s", page, diff)
		}
		if found.Total != 3 || !found.Partial || found.Good != last {
			t.Errorf("page %v: %d, %v, %+v", page, found.Total, found.Partial, found.Good)
		}
	}
	if asked != source {
		t.Errorf("the pipeline is %s", asked)
	}
	for count, want := range map[int]catalog.Code{limits.MaxPageCount: "", limits.MaxPageCount + 1: catalog.Invalid} {
		if _, err := h.Ingestion.Unseen(ctx, u, 0, count); catalog.CodeOf(err) != want && err != nil {
			t.Errorf("a page of %d: %v", count, err)
		} else if (err != nil) != (want != "") {
			t.Errorf("a page of %d: %v", count, err)
		}
	}
	s := &ingestion.Source{Name: "Shop", Type: "postgres", Recipe: `{"pipeline_name":"nightly","source":{"type":"postgres"}}`}
	if err := h.Ingestion.Put(ctx, u, s, byAda); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Ingestion.Unseen(ctx, u, 0, 1); err != nil || asked != "nightly" {
		t.Errorf("the pipeline of the recipe is %s, %v", asked, err)
	}
}
