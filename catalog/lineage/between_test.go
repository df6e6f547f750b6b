package lineage_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

func sampled(t *testing.T) *services.Services {
	t.Helper()
	c := testcatalog.New(t)
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

// table and field return URNs of the sample's warehouse.
func table(t *testing.T, name string) model.URN {
	t.Helper()
	u, err := model.ParseURN("urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics." + name + ",PROD)")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func field(t *testing.T, of, path string) model.URN {
	t.Helper()
	u, err := model.ColumnURN(table(t, of), path)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestBetween: Between returns the direction in which From and To are connected, and each
// returned path leads from one of the two to the other.
func TestBetween(t *testing.T) {
	c, ctx := sampled(t), context.Background()
	orders, daily, summary := table(t, "marts.orders"), table(t, "marts.revenue_daily"), table(t, "marts.executive_summary")
	stock := table(t, "marts.stock_cover")
	for name, test := range map[string]struct {
		from, to  model.URN
		direction string
		path      []model.URN
	}{
		"downstream":       {orders, summary, lineage.Downstream, []model.URN{orders, daily, summary}},
		"upstream":         {summary, orders, lineage.Upstream, []model.URN{summary, daily, orders}},
		"not connected":    {stock, orders, "", nil},
		"the same":         {orders, orders, lineage.Downstream, []model.URN{orders}},
		"columns":          {field(t, "marts.orders", "net_revenue"), field(t, "marts.revenue_daily", "net_revenue"), lineage.Downstream, []model.URN{field(t, "marts.orders", "net_revenue"), field(t, "marts.revenue_daily", "net_revenue")}},
		"columns of other": {field(t, "marts.orders", "net_revenue"), field(t, "marts.revenue_daily", "gross_revenue"), "", nil},
	} {
		found, err := c.Lineage.Between(ctx, lineage.BetweenRequest{From: test.from, To: test.to, Most: 1})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var path []string
		for _, p := range found.Paths {
			for _, step := range p {
				path = append(path, step.URN)
			}
		}
		if diff := cmp.Diff(catalog.Texts(test.path), path); found.Direction != test.direction || len(test.path)+len(path) > 0 && diff != "" {
			t.Errorf("%s: %s %s", name, found.Direction, diff)
		}
	}
	unknown := table(t, "marts.unknown")
	for says, r := range map[string]lineage.BetweenRequest{
		"nothing is known": {From: orders, To: unknown, Most: 1},
		"has no column":    {From: field(t, "marts.orders", "nothing"), To: field(t, "marts.orders", "net_revenue"), Most: 1},
		"paths":            {From: orders, To: summary, Most: lineage.MaxPaths + 1},
		"0 to":             {From: field(t, "marts.orders", "net_revenue"), To: summary, Most: lineage.MaxPaths + 1},
		"marts.unknown":    {From: field(t, "marts.orders", "net_revenue"), To: unknown, Most: 1},
	} {
		if _, err := c.Lineage.Between(ctx, r); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// TestImpactOfChanges: a renamed column is lost like a dropped one. For a retyped column, only
// the direct readers are certain. The owners cover all affected entities.
func TestImpactOfChanges(t *testing.T) {
	c, ctx := sampled(t), context.Background()
	column := field(t, "marts.customers", "customer_id")
	impacts := map[string]*lineage.Impact{}
	for _, change := range []string{"", lineage.ChangeDrop, lineage.ChangeRename, lineage.ChangeRetype} {
		impact, err := c.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: column}, Change: change})
		if err != nil {
			t.Fatal(err)
		}
		impacts[change], impact.Basis.At = impact, 0
		listed := map[string]bool{}
		report, err := c.Lineage.ImpactPage(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: column}, Change: change}, 0, 10, lineage.ImpactParts{Owners: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range report.Owners {
			if group.Count != len(group.Certain)+len(group.Possible) {
				t.Errorf("%s: %s counts %d and lists %d and %d", change, group.URN, group.Count, len(group.Certain), len(group.Possible))
			}
			for _, urn := range slices.Concat(group.Certain, group.Possible) {
				listed[urn] = true
			}
		}
		if len(listed) != impact.Total {
			t.Errorf("%s: the owners list %d of %d", change, len(listed), impact.Total)
		}
	}
	for _, change := range []string{lineage.ChangeDrop, lineage.ChangeRename} {
		if diff := cmp.Diff(impacts[""], impacts[change]); diff != "" {
			t.Errorf("%s: %s", change, diff)
		}
	}
	retyped := impacts[lineage.ChangeRetype]
	if retyped.Total != impacts[""].Total || cmp.Equal(retyped.ByEffect, impacts[""].ByEffect) {
		t.Errorf("retype: %+v, drop: %+v", retyped.ByEffect, impacts[""].ByEffect)
	}
	for _, e := range retyped.Entities {
		reads := e.Because != lineage.BecauseMayRead && e.Because != lineage.BecauseNotStated
		if (e.Effect == lineage.EffectCertain) != (e.Degree == 1 && reads) {
			t.Errorf("retype: %s at %d is %s", e.URN, e.Degree, e.Effect)
		}
	}
	for says, r := range map[string]lineage.ImpactRequest{
		"drop, rename or retype": {Walk: lineage.WalkQuery{URN: column}, Change: "explode"},
		"is not a column":        {Walk: lineage.WalkQuery{URN: table(t, "marts.customers")}, Change: lineage.ChangeDrop},
	} {
		if _, err := c.Lineage.Impact(ctx, r); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
