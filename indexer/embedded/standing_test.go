package embedded

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestStandings: the documents and tallies of a shared condition are kept. Those of conditions that were used
// long ago are forgotten, and their total size is bounded.
func TestStandings(t *testing.T) {
	x, ctx := openHere(t, t.TempDir()), context.Background()
	var batch indexer.Batch
	for i := range 200 {
		d := tag(fmt.Sprintf("t%03d", i))
		d.Values["platform"], d.Facets = []string{[]string{"hive", "kafka"}[i%2]}, []string{"platform"}
		batch.Put = append(batch.Put, d)
	}
	if err := x.Write(ctx, batch); err != nil {
		t.Fatal(err)
	}
	v := x.acquire()
	defer v.release()
	segment := v.parts[0].segment
	search := func(e *indexer.Standing) {
		t.Helper()
		found, err := x.Search(ctx, &indexer.Query{Filter: e, Facets: []string{"platform"}, FacetSize: 5})
		if err != nil || found.Total != 100 || len(found.Facets) != 1 || found.Facets[0].Counts[0] != (indexer.Count{Value: "hive", Docs: 100}) {
			t.Fatalf("%+v, %v", found, err)
		}
	}
	hive := func() *indexer.Standing {
		return &indexer.Standing{Expr: indexer.In{Field: "platform", Values: []string{"hive"}}}
	}
	first := hive()
	search(first)
	kept, err := segment.standing(first)
	if err != nil || len(segment.kept.of) != 1 || len(kept.tallies) != 1 {
		t.Fatalf("%+v, %v", segment.kept.of, err)
	}
	search(first)
	if second, _ := segment.standing(first); second != kept {
		t.Error("the documents of a condition were found again")
	}
	var all []*indexer.Standing
	for range 2 * limits.Standings {
		search(first)
		all = append(all, hive())
		search(all[len(all)-1])
		size := 0
		for _, each := range segment.kept.of {
			size += each.size
		}
		if len(segment.kept.of) > limits.Standings || size > segment.room() {
			t.Fatalf("%d conditions with %d bytes are kept", len(segment.kept.of), size)
		}
	}
	if second, _ := segment.standing(first); second != kept {
		t.Error("the condition that was used all the time was forgotten")
	}
	if len(segment.kept.of) == 1 {
		t.Error("only one condition is kept")
	}
}
