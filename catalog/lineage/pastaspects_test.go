package lineage_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
)

// TestImpactOfLostVersion: if the SQL of the past moment is not kept any more, the present SQL
// is not used instead, and the view is possibly affected.
func TestImpactOfLostVersion(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	view := nthReader(1)
	h.Say(view, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.RawTable+`","type":"VIEW"}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["`+
		catalogtest.ColumnOf(catalogtest.RawTable, "a")+`"],"downstreamType":"FIELD","downstreams":["`+catalogtest.ColumnOf(view, "a")+`"]}]}`)
	sql := func(text string) {
		h.Say(view, "viewProperties", `{"materialized":false,"viewLanguage":"SQL","viewLogic":"`+text+`"}`)
	}
	sql("select a from raw where b > 1")
	stored, err := h.Store.LatestAspects(ctx, []string{view}, []string{"viewProperties"})
	if err != nil {
		t.Fatal(err)
	}
	request := lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "b")), AsOf: stored[view][0].CreatedOn}}
	for _, want := range []string{"", "its viewProperties of that moment is not kept any more"} {
		impact, err := h.Lineage.Impact(ctx, request)
		if err != nil || len(impact.Entities) != 1 {
			t.Fatal(err, impact)
		}
		switch e := impact.Entities[0]; {
		case want == "" && e.Because != lineage.BecauseSQL:
			t.Errorf("while it is kept: %s, %s", e.Because, e.Why)
		case want != "" && (e.Because != lineage.BecauseMayRead || !strings.Contains(e.Why, want)):
			t.Errorf("once it is lost: %s, %s", e.Because, e.Why)
		}
		for range 11 {
			sql("select a from raw where c > 1")
			sql("select a from raw where d > 1")
		}
	}
}
