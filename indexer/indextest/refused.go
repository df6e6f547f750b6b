package indextest

import (
	"context"
	"errors"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
)

// testRefused: if the engine refuses a document, the rest of its batch is written and the
// index keeps the document's former content. The engine takes the document once it can.
func testRefused(t *testing.T, b Backend) {
	if b.Refuse == nil {
		t.Skip("the engine cannot be made to refuse a document")
	}
	x, ctx := b.New(t), context.Background()
	fill(t, x, doc("gone", nil), doc("kept", map[string][]string{"tags": {"before"}}))
	fresh, kept := doc("fresh", nil), doc("kept", map[string][]string{"tags": {"after"}})
	allow := b.Refuse(t, x, fresh.URN, kept.URN)
	batch := indexer.Batch{
		Put:    []indexer.Document{doc("first", map[string][]string{"tags": {"shared"}}), fresh, doc("middle", nil), kept, doc("last", map[string][]string{"tags": {"shared"}})},
		Delete: []string{doc("gone", nil).URN}, Cursor: "5",
	}
	for range 2 { // a batch may be applied again
		err := x.Write(ctx, batch)
		var refused *indexer.RefusedError
		if !errors.As(err, &refused) {
			t.Fatalf("the write of what is refused: %v", err)
		}
		var urns []string
		for _, refusal := range refused.Refusals {
			urns = append(urns, refusal.URN)
			if refusal.Reason == "" {
				t.Errorf("%s is refused for no reason", refusal.URN)
			}
		}
		if diff := gocmp.Diff([]string{fresh.URN, kept.URN}, urns); diff != "" {
			t.Errorf("refused (-want +got):\n%s", diff)
		}
		if diff := gocmp.Diff(urnsOf([]indexer.Document{doc("first", nil), doc("kept", nil), doc("last", nil), doc("middle", nil)}), all(t, x, indexer.Query{})); diff != "" {
			t.Errorf("in the index (-want +got):\n%s", diff)
		}
	}
	tagged := func(tag string) int {
		t.Helper()
		return search(t, x, indexer.Query{Size: 9, Filter: indexer.In{Field: "tags", Values: []string{tag}}}).Total
	}
	if before, after, shared := tagged("before"), tagged("after"), tagged("shared"); before != 1 || after != 0 || shared != 2 {
		t.Errorf("%d documents as before, %d as refused, %d beside them; want 1, 0 and 2", before, after, shared)
	}
	if cursor, err := x.Cursor(ctx); err != nil || cursor != "5" {
		t.Errorf("the cursor is %q, %v", cursor, err)
	}
	allow()
	if err := x.Write(ctx, batch); err != nil {
		t.Fatal(err)
	}
	if before, after, total := tagged("before"), tagged("after"), len(all(t, x, indexer.Query{})); before != 0 || after != 1 || total != 5 {
		t.Errorf("taken at last: %d as before, %d as after, %d in all; want 0, 1 and 5", before, after, total)
	}
}
