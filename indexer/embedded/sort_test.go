package embedded_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/indexer"
)

// TestSortOfMany: the pages of a long sorted result, put together, are the whole result in
// order.
func TestSortOfMany(t *testing.T) {
	x, ctx := open(t, t.TempDir(), ""), context.Background()
	random := rand.New(rand.NewPCG(7, 8))
	type row struct {
		urn  string
		rank int64
	}
	var rows []row
	var b indexer.Batch
	for i := range 6000 {
		d := named(fmt.Sprintf("s%04d", i))
		rank := int64(random.IntN(500))
		d.Numbers = map[string]int64{"rank": rank}
		rows, b.Put = append(rows, row{d.URN, rank}), append(b.Put, d)
	}
	if err := x.Write(ctx, b); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.urn, b.urn)) })
	for _, page := range [][2]int{{0, 1}, {0, 20}, {7, 30}, {990, 40}, {2500, 600}, {5990, 50}, {6000, 5}} {
		found, err := x.Search(ctx, &indexer.Query{Sort: []indexer.Sort{{Field: "rank", Numeric: true, Descending: true}}, From: page[0], Size: page[1], Plain: true})
		if err != nil || found.Total != len(rows) {
			t.Fatalf("%+v, %v", found, err)
		}
		want := rows[min(page[0], len(rows)):min(page[0]+page[1], len(rows))]
		if !slices.EqualFunc(want, found.Hits, func(r row, h indexer.Hit) bool { return r.urn == h.URN }) {
			t.Errorf("from %d on: %+v, want %+v", page[0], found.Hits, want)
		}
	}
}

// TestNoFacets: a query with facets of size zero gets no facets.
func TestNoFacets(t *testing.T) {
	x, ctx := open(t, t.TempDir(), ""), context.Background()
	var b indexer.Batch
	for i := range 40 {
		b.Put = append(b.Put, named(fmt.Sprint("f", i)))
	}
	if err := x.Write(ctx, b); err != nil {
		t.Fatal(err)
	}
	if found, err := x.Search(ctx, &indexer.Query{Facets: []string{"name"}}); err != nil || len(found.Facets) != 0 || found.Total != 40 {
		t.Errorf("%+v, %v", found, err)
	}
}

// named makes a document with a name.
func named(name string) indexer.Document {
	d := indexer.Document{URN: "urn:li:tag:" + name, Type: "tag", Weight: 1, Values: map[string][]string{"name": {name}}}
	d.Text[indexer.TextName] = []string{indexer.Normalize(name)}
	return d
}
