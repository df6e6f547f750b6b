package lineage_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/model"
)

// stepsOf returns the URNs on a path.
func stepsOf(path []lineage.PathStep) []string {
	urns := make([]string, len(path))
	for i := range path {
		urns[i] = path[i].URN
	}
	return urns
}

// TestBetweenColumnAndEntity: a path from a column to an entity follows column lineage to a
// last column, and then leads to the entity that contains this column. If no such path exists,
// the path may lead over entities that state no columns.
func TestBetweenColumnAndEntity(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	column := catalogtest.ColumnOf
	raw, clean, total, sum := column(catalogtest.RawTable, "a"), column(catalogtest.CleanTable, "a"), column(catalogtest.MartTable, "total"), column(catalogtest.SalesChart, "sum")
	outer := "urn:li:dashboard:(looker,outer)"
	h.Say(outer, "dashboardInfo", `{"title":"Outer","description":"","charts":[],"dashboards":[{"destinationUrn":"`+catalogtest.SalesBoard+`"}],"lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}}`)
	h.Say(catalogtest.RawTable, "schemaMetadata", `{"schemaName":"raw","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[
		{"fieldPath":"a","nativeDataType":"n","type":{"type":{"com.linkedin.schema.NumberType":{}}}},{"fieldPath":"b","nativeDataType":"n","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}`)
	for name, c := range map[string]struct {
		column, entity string
		direction      string
		path           []string
		possible       bool
	}{
		"a table":              {raw, catalogtest.MartTable, lineage.Downstream, []string{raw, clean, total, catalogtest.MartTable}, false},
		"its own table":        {raw, catalogtest.RawTable, lineage.Downstream, []string{raw, catalogtest.RawTable}, false},
		"a chart":              {raw, catalogtest.SalesChart, lineage.Downstream, []string{raw, clean, total, sum, catalogtest.SalesChart}, false},
		"a dashboard":          {raw, catalogtest.SalesBoard, lineage.Downstream, []string{raw, clean, total, sum, catalogtest.SalesBoard}, false},
		"a dashboard of those": {raw, outer, lineage.Downstream, []string{raw, clean, total, sum, catalogtest.SalesBoard, outer}, false},
		"no columns stated":    {clean, catalogtest.SideTable, lineage.Downstream, []string{clean, catalogtest.SideTable}, true},
		"a table before it":    {total, catalogtest.RawTable, lineage.Upstream, []string{total, clean, raw, catalogtest.RawTable}, false},
		"not connected":        {column(catalogtest.MartTable, "other"), catalogtest.RawTable, "", nil, false},
		"another column":       {column(catalogtest.RawTable, "b"), catalogtest.MartTable, lineage.Downstream, []string{column(catalogtest.RawTable, "b"), catalogtest.CleanJob, catalogtest.CleanTable, catalogtest.MartTable}, true},
		"what fails with it":   {raw, catalogtest.SideTable, lineage.Downstream, []string{raw, catalogtest.CleanJob, catalogtest.CleanTable, catalogtest.SideTable}, false},
	} {
		r := lineage.BetweenRequest{From: catalogtest.URN(c.column), To: catalogtest.URN(c.entity), Most: 1}
		found, err := h.Lineage.Between(context.Background(), r)
		if err != nil || found.Direction != c.direction || found.Possible != c.possible || len(found.Paths) != min(1, len(c.path)) {
			t.Errorf("%s: %+v, %v", name, found, err)
			continue
		}
		r.From, r.To = r.To, r.From
		back, err := h.Lineage.Between(context.Background(), r)
		if err != nil || back.Possible != c.possible || len(back.Paths) != len(found.Paths) || back.Direction == found.Direction && back.Direction != "" {
			t.Errorf("%s, from the entity: %+v, %v", name, back, err)
			continue
		}
		for i, path := range found.Paths {
			if diff := cmp.Diff(c.path, stepsOf(path)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			reversed := slices.Clone(c.path)
			slices.Reverse(reversed)
			if diff := cmp.Diff(reversed, stepsOf(back.Paths[i])); diff != "" {
				t.Errorf("%s, from the entity (-want +got):\n%s", name, diff)
			}
			checkEdges(t, name, path)
			checkEdges(t, name+", from the entity", back.Paths[i])
		}
	}
}

// checkEdges checks that the edge of each step connects the step with the one before. Only the
// step between an entity and its column has no edge.
func checkEdges(t *testing.T, name string, path []lineage.PathStep) {
	t.Helper()
	asset := func(urn string) string {
		if u := catalogtest.URN(urn); u.EntityType() == model.EntitySchemaField {
			return u.Parts()[0]
		}
		return urn
	}
	for i := 1; i < len(path); i++ {
		before, after, e := asset(path[i-1].URN), asset(path[i].URN), path[i].Edge
		if e == nil {
			if before != after {
				t.Errorf("%s: no edge leads to %s", name, path[i].URN)
			}
			continue
		}
		up, down := asset(e.Upstream), asset(e.Downstream)
		if (up != before || down != after) && (up != after || down != before) {
			t.Errorf("%s: the edge from %s to %s leads to %s", name, e.Upstream, e.Downstream, path[i].URN)
		}
	}
}

// TestBetweenAgreesWithImpact: a column leads downstream to exactly the columns and entities
// that its loss affects.
func TestBetweenAgreesWithImpact(t *testing.T) {
	c, ctx := sampled(t), context.Background()
	for _, column := range []model.URN{field(t, "marts.orders", "net_revenue"), field(t, "marts.customers", "customer_id"), field(t, "staging.stg_refunds", "amount")} {
		impact, err := c.Lineage.Impact(ctx, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: column}, Removed: lineage.RemovedShow})
		if err != nil {
			t.Fatal(err)
		}
		affected := map[string]string{}
		for i := range impact.Entities {
			affected[impact.Entities[i].URN] = impact.Entities[i].Effect
		}
		all, err := c.Lineage.Of(ctx, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(column.Parts()[0]), Direction: lineage.Downstream}, Count: catalog.MaxPage, Removed: lineage.RemovedShow})
		if err != nil || len(all.Entities) < 5 || len(affected) < 5 {
			t.Fatalf("%d downstream, %d affected, %v", len(all.Entities), len(affected), err)
		}
		urns := slices.Collect(maps.Keys(affected)) // affected also has assertions and queries, which are no lineage
		for i := range all.Entities {
			urns = append(urns, all.Entities[i].URN)
		}
		for _, urn := range urns {
			found, err := c.Lineage.Between(ctx, lineage.BetweenRequest{From: column, To: catalogtest.URN(urn), Most: 2})
			if err != nil || (found.Direction == lineage.Downstream) != (affected[urn] != "") {
				t.Errorf("%s to %s, which is affected %q: %+v, %v", column, urn, affected[urn], found, err)
				continue
			}
			if found.Possible && affected[urn] != lineage.EffectPossible {
				t.Errorf("%s to %s is possible, and affected %s", column, urn, affected[urn])
			}
			for _, path := range found.Paths {
				if steps := stepsOf(path); steps[0] != column.String() || steps[len(steps)-1] != urn {
					t.Errorf("%s to %s by %v", column, urn, steps)
				}
				checkEdges(t, column.String()+" to "+urn, path)
			}
		}
	}
}
