package edits_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/moments"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// TestChangeMany: the refusal of one entity does not refuse the others, a dry run has the same
// outcome and writes nothing, and the new versions are enough to undo everything.
func TestChangeMany(t *testing.T) {
	h, ctx := newRevised(t), context.Background()
	none := strings.Replace(catalogtest.Table, "PROD", "DEV", 1)
	bulk := edits.Bulk{
		URNs:   catalogtest.URNs(catalogtest.Table, none, catalogtest.Table, idColumn, sales),
		Change: edits.Revision{Add: edits.Marks{Tags: catalogtest.URNs(tagB)}},
		DryRun: true,
	}
	before := h.State()
	for _, dry := range []bool{true, false} {
		bulk.DryRun = dry
		done, err := h.Edits.ChangeMany(ctx, &bulk, catalogtest.ByAda)
		if err != nil || len(done) != 4 {
			t.Fatal(done, err)
		}
		if !done[0].Changed || catalog.CodeOf(done[1].Refused) != catalog.Invalid || catalog.CodeOf(done[2].Refused) != catalog.Invalid || catalog.CodeOf(done[3].Refused) != catalog.Invalid {
			t.Errorf("%+v", done)
		}
		if dry != (h.State() == before) || dry != (len(done[0].Made) == 0) {
			t.Error("dry run:", dry, done[0].Made)
		}
		if dry {
			continue
		}
		made := done[0].Made[0]
		if made.Aspect != model.AspectGlobalTags {
			t.Fatal(made)
		}
		if err := h.Moments.Undo(ctx, []moments.UndoRequest{{URN: done[0].URN, Aspect: made.Aspect, Made: made.Number}}, catalogtest.ByAda); err != nil {
			t.Error(err)
		}
		if strings.Contains(h.State(), `"tag":"`+tagB) {
			t.Error("the tag is still there")
		}
	}
}

// TestChangeManyAfterUndo: a change of an aspect that an undo has taken away can be undone too.
func TestChangeManyAfterUndo(t *testing.T) {
	h, ctx := newRevised(t), context.Background()
	bulk := edits.Bulk{URNs: catalogtest.URNs(catalogtest.Table), Deprecation: &edits.Deprecation{Deprecated: true}}
	for number := int64(1); number <= 3; number++ {
		done, err := h.Edits.ChangeMany(ctx, &bulk, catalogtest.ByAda)
		if err != nil || len(done[0].Made) != 1 || done[0].Made[0].Number != number {
			t.Fatal(number, done, err)
		}
		if err := h.Moments.Undo(ctx, []moments.UndoRequest{{URN: done[0].URN, Aspect: model.AspectDeprecation, Made: number}}, catalogtest.ByAda); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(h.State(), `"deprecated":true`) {
			t.Error(number, "the deprecation is still there")
		}
	}
}

// TestChangeManyAgain: entities that are so already do not change.
func TestChangeManyAgain(t *testing.T) {
	h, ctx := newRevised(t), context.Background()
	bulk := edits.Bulk{URNs: catalogtest.URNs(catalogtest.Table), Deprecation: &edits.Deprecation{}}
	done, err := h.Edits.ChangeMany(ctx, &bulk, catalogtest.ByAda)
	if err != nil || done[0].Changed || done[0].Refused != nil {
		t.Error(done, err)
	}
}

func TestChangeManyRefuses(t *testing.T) {
	h := newRevised(t)
	for name, bulk := range map[string]edits.Bulk{
		"no entities":       {Change: edits.Revision{Add: edits.Marks{Tags: catalogtest.URNs(tagA)}}},
		"no change":         {URNs: catalogtest.URNs(catalogtest.Table)},
		"too many entities": {URNs: make([]model.URN, limits.MaxBulkEntities+1), Change: edits.Revision{Add: edits.Marks{Tags: catalogtest.URNs(tagA)}}},
	} {
		if _, err := h.Edits.ChangeMany(context.Background(), &bulk, catalogtest.ByAda); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChangeManyPermitted: entities that the caller may not change are refused, in a dry run too, and the other
// entities are changed.
func TestChangeManyPermitted(t *testing.T) {
	forbidden := catalog.Errorf(catalog.Forbidden, "not yours")
	h := catalogtest.NewProtectedHarness(t, func(ctx context.Context, wants []write.Want) []error {
		refusals := make([]error, len(wants))
		for i := range wants {
			if permission.Of(ctx) != nil && wants[i].URN.String() == catalogtest.Upstream {
				refusals[i] = forbidden
			}
		}
		return refusals
	})
	for _, urn := range []string{catalogtest.Table, catalogtest.Upstream} {
		h.Say(urn, model.AspectDatasetProperties, `{"name":"one"}`)
	}
	ctx := permission.With(context.Background(), permission.Everything{})
	bulk := edits.Bulk{URNs: catalogtest.URNs(catalogtest.Upstream, catalogtest.Table), Deprecation: &edits.Deprecation{Deprecated: true}}
	for _, dry := range []bool{true, false} {
		bulk.DryRun = dry
		done, err := h.Edits.ChangeMany(ctx, &bulk, catalogtest.ByAda)
		if err != nil || len(done) != 2 || done[0].Changed || !errors.Is(done[0].Refused, forbidden) || !done[1].Changed {
			t.Fatalf("dry run %v: %+v %v", dry, done, err)
		}
	}
	bulk.URNs = bulk.URNs[:1]
	if _, err := h.Edits.ChangeMany(ctx, &bulk, catalogtest.ByAda); !errors.Is(err, forbidden) {
		t.Error("nothing is permitted:", err)
	}
	made := moments.UndoRequest{URN: catalogtest.URN(catalogtest.Upstream), Aspect: model.AspectDeprecation, Made: 1}
	if err := h.Moments.Undo(ctx, []moments.UndoRequest{made}, catalogtest.ByAda); !errors.Is(err, forbidden) {
		t.Error("undo:", err)
	}
}
