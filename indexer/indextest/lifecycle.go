package indextest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
)

func testRebuild(t *testing.T, b Backend) {
	x, ctx := b.New(t), context.Background()
	fill(t, x, doc("old", map[string][]string{"tags": {"t"}}), doc("both", nil))
	build, err := x.Rebuild(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := build.Write(ctx, indexer.Batch{Put: []indexer.Document{doc("both", nil), doc("new", map[string][]string{"tags": {"n.e w"}})}, Cursor: "9"}); err != nil {
		t.Fatal(err)
	}
	fill(t, x, doc("meanwhile", nil))
	if got := all(t, x, indexer.Query{}); len(got) != 3 {
		t.Errorf("before the swap %v", got)
	}
	if cursor, err := build.Cursor(ctx); err != nil || cursor != "9" {
		t.Errorf("the build's cursor is %q, %v", cursor, err)
	}
	if err := build.Swap(ctx); err != nil {
		t.Fatal(err)
	}
	if err := build.Abandon(); err != nil {
		t.Error(err)
	}
	want := urnsOf([]indexer.Document{doc("both", nil), doc("new", nil)})
	if diff := gocmp.Diff(want, all(t, x, indexer.Query{})); diff != "" {
		t.Errorf("after the swap (-want +got):\n%s", diff)
	}
	if got := all(t, x, indexer.Query{Filter: indexer.Match{Field: "tags", Kind: indexer.Contains, Texts: []string{"e w"}}}); len(got) != 1 {
		t.Errorf("after the swap the tag is on %v", got)
	}
	x = b.Reopen(t, x)
	if cursor, err := x.Cursor(ctx); err != nil || cursor != "9" {
		t.Errorf("reopened, the cursor is %q, %v", cursor, err)
	}
	fill(t, x, doc("later", nil))
	if got := all(t, x, indexer.Query{}); len(got) != 3 {
		t.Errorf("reopened, there are %v", got)
	}
}

func testAbandon(t *testing.T, b Backend) {
	x, ctx := b.New(t), context.Background()
	fill(t, x, doc("kept", nil))
	for range 2 { // the second build must find no trace of the first
		build, err := x.Rebuild(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := build.Write(ctx, indexer.Batch{Put: []indexer.Document{doc("other", nil)}}); err != nil {
			t.Fatal(err)
		}
		if err := build.Abandon(); err != nil {
			t.Fatal(err)
		}
	}
	if got := all(t, x, indexer.Query{}); len(got) != 1 {
		t.Errorf("there are %v", got)
	}
}

// testConcurrent writes, searches and rebuilds at the same time. A search must see whole
// documents: the two values of each document always agree.
func testConcurrent(t *testing.T, b Backend) {
	x, ctx := b.New(t), context.Background()
	state := func(n int) indexer.Document {
		return doc("shared", map[string][]string{"platform": {fmt.Sprint(n)}, "tags": {fmt.Sprint(n)}})
	}
	fill(t, x, state(0))
	var group sync.WaitGroup
	done := make(chan struct{})
	for range 8 { // more goroutines than an engine has connections
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				r, err := x.Search(ctx, &indexer.Query{Size: 5, Facets: []string{"tags"}, FacetSize: 5, Filter: indexer.In{Field: indexer.FieldType, Values: []string{"dataset"}}})
				if err != nil {
					t.Error(err)
					return
				}
				for _, hit := range r.Hits {
					if hit.Values["platform"][0] != hit.Values["tags"][0] {
						t.Errorf("a half-written document: %v", hit.Values)
					}
				}
			}
		})
	}
	for n := range 20 {
		fill(t, x, state(n))
	}
	build, err := x.Rebuild(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := build.Write(ctx, indexer.Batch{Put: []indexer.Document{state(99)}}); err != nil {
		t.Fatal(err)
	}
	if err := build.Swap(ctx); err != nil {
		t.Fatal(err)
	}
	close(done)
	group.Wait()
	if r := search(t, x, indexer.Query{Size: 5}); r.Total != 1 || r.Hits[0].Values["tags"][0] != "99" {
		t.Errorf("at the end %+v", r)
	}
}

func testBadToken(t *testing.T, b Backend) {
	x := b.New(t)
	fill(t, x, doc("a", nil))
	for _, token := range []string{"%%%", "bm90IGEgdG9rZW4", "LTE"} {
		if _, err := x.Search(context.Background(), &indexer.Query{Size: 1, Scroll: true, After: token}); !errors.Is(err, indexer.ErrBadToken) {
			t.Errorf("token %q: %v", token, err)
		}
	}
}

func testClosed(t *testing.T, b Backend) {
	x := b.New(t)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Search(context.Background(), &indexer.Query{Size: 1}); !errors.Is(err, indexer.ErrClosed) {
		t.Errorf("search: %v", err)
	}
	if _, err := x.SearchMany(context.Background(), []*indexer.Query{{Size: 1}}); !errors.Is(err, indexer.ErrClosed) {
		t.Errorf("many searches: %v", err)
	}
	if err := x.Write(context.Background(), indexer.Batch{Put: []indexer.Document{doc("a", nil)}}); !errors.Is(err, indexer.ErrClosed) {
		t.Errorf("write: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
