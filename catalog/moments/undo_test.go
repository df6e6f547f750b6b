package moments_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/moments"
	"github.com/headwater-io/headwater/model"
)

// TestUndo: the part that a change made gets its former value, also if other parts of the aspect
// have changed since. A part that has changed again stays.
func TestUndo(t *testing.T) {
	h, ctx, u := catalogtest.NewHarness(t), context.Background(), catalogtest.URN(table)
	by := catalog.WriteOptions{Actor: "urn:li:corpuser:ada"}
	tag := func(name string) model.URN { return catalogtest.URN("urn:li:tag:" + name) }
	undo := func(want catalog.Code, requests ...moments.UndoRequest) {
		t.Helper()
		before := h.State()
		err := h.Moments.Undo(ctx, requests, by)
		if catalog.CodeOf(err) != want && (want != "" || err != nil) {
			t.Fatalf("%v, not %q", err, want)
		}
		if want != "" && h.State() != before {
			t.Error("a refused undo changes something")
		}
	}
	value := func(aspect, want string) {
		t.Helper()
		if got := h.Value(table, aspect, 0); !sameJSON(t, got, want) {
			t.Errorf("%s is %s, not %s", aspect, got, want)
		}
	}
	h.Say(table, "globalTags", tags("a"))
	h.Say(table, "globalTags", tags("a", "b"))
	h.Say(table, "globalTags", tags("a", "b", "c"))
	undo("", moments.UndoRequest{URN: u, Aspect: "globalTags", Made: 2, Label: tag("b")})
	value("globalTags", tags("a", "c"))

	// The undo of a whole aspect is refused if somebody else has changed the aspect since.
	undo(catalog.Precondition, moments.UndoRequest{URN: u, Aspect: "globalTags", Made: 3})
	// The part itself has changed again.
	undo(catalog.Precondition, moments.UndoRequest{URN: u, Aspect: "globalTags", Made: 2, Label: tag("b")})

	h.Say(table, "editableSchemaMetadata", edited("x", "one", "y", "two"))
	h.Say(table, "editableSchemaMetadata", edited("x", "three", "y", "two"))
	h.Say(table, "editableSchemaMetadata", edited("x", "three", "y", "four"))
	undo("", moments.UndoRequest{URN: u, Aspect: "editableSchemaMetadata", Made: 2, Column: "x"})
	value("editableSchemaMetadata", edited("x", "one", "y", "four"))

	// Two changes, of which one cannot be undone: none is.
	h.Say(table, "editableDatasetProperties", `{"description":"first"}`)
	h.Say(table, "editableDatasetProperties", `{"description":"second"}`)
	second := moments.UndoRequest{URN: u, Aspect: "editableDatasetProperties", Made: 2, Member: "description"}
	undo(catalog.Precondition, second, moments.UndoRequest{URN: u, Aspect: "globalTags", Made: 3})
	undo("", second)
	value("editableDatasetProperties", `{"description":"first"}`)

	undo(catalog.Invalid, moments.UndoRequest{URN: u, Aspect: "globalTags"})
	undo(catalog.Invalid, moments.UndoRequest{URN: u, Aspect: "chartInfo", Made: 1})
	undo(catalog.NotFound, moments.UndoRequest{URN: u, Aspect: "globalTags", Made: 99})
	undo(catalog.Invalid, make([]moments.UndoRequest, 1001)...)
}

// TestUndoOfTheFirst: an aspect that did not exist before is absent again, and can be made again.
func TestUndoOfTheFirst(t *testing.T) {
	onStores(t, func(t *testing.T, h *catalogtest.Harness) {
		ctx, u := context.Background(), catalogtest.URN(table)
		h.Say(table, "editableDatasetProperties", `{"description":"kept"}`)
		before := h.State()
		h.Say(table, "globalTags", tags("a"))
		r := moments.UndoRequest{URN: u, Aspect: "globalTags", Made: 1, Label: catalogtest.URN("urn:li:tag:a")}
		// In the second round, the version before the change is the version that the first round has undone,
		// and the aspect was absent in between.
		for r.Made = 1; r.Made <= 2; r.Made++ {
			if err := h.Moments.Undo(ctx, []moments.UndoRequest{r}, catalog.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			if found, err := h.Store.LatestAspects(ctx, []string{table}, []string{"globalTags"}); err != nil || len(found[table]) != 0 {
				t.Error(r.Made, found, err, before)
			}
			h.Say(table, "globalTags", tags("a"))
		}
	})
}
