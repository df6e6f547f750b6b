package derived_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/derived"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// entry is an entry of fineGrainedLineages as a client states it: "down < up, up".
func entry(confidence float64, down string, ups ...string) string {
	return fmt.Sprintf(`{"upstreamType":"FIELD_SET","upstreams":%s,"downstreamType":"FIELD","downstreams":[%q],"confidenceScore":%v,"transformOperation":"SQL: x"}`,
		texts(ups), down, confidence)
}

func texts(list []string) string {
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// upstreams is an upstreamLineage with tables and entries.
func upstreams(tables []string, entries ...string) string {
	var ups []string
	for _, t := range tables {
		ups = append(ups, fmt.Sprintf(`{"dataset":%q,"type":"VIEW","auditStamp":%s}`, t, catalogtest.Stamp))
	}
	return `{"upstreams":[` + strings.Join(ups, ",") + `],"fineGrainedLineages":[` + strings.Join(entries, ",") + `]}`
}

// reached are the columns and tables from which an entity or a column derives, as a walk finds them.
func (h house) reached(urn string) []string {
	h.T.Helper()
	walk, err := h.Lineage.Walk(context.Background(), lineage.WalkQuery{URN: catalogtest.URN(urn), Direction: lineage.Upstream, MaxHops: 1})
	if err != nil {
		h.T.Fatal(err)
	}
	list := []string{}
	for _, r := range walk.Reached {
		short := name(r.URN)
		if strings.Contains(r.URN, "shop.views.") {
			short = "views." + short
		}
		list = append(list, short)
	}
	slices.Sort(list)
	return list
}

func (h house) wantReached(urn string, want ...string) {
	h.T.Helper()
	if diff := cmp.Diff(append([]string{}, want...), h.reached(urn)); diff != "" {
		h.T.Errorf("from %s: %s", name(urn), diff)
	}
}

// affected are the entities that the loss of a column affects for certain.
func (h house) affected(column string) []string {
	h.T.Helper()
	found, err := h.Lineage.Impact(context.Background(), lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(column), Direction: lineage.Downstream}, Only: lineage.EffectCertain})
	if err != nil {
		h.T.Fatal(err)
	}
	list := []string{}
	for i := range found.Entities {
		list = append(list, name(found.Entities[i].URN))
	}
	return list
}

// TestPrefersOwnReading: where DataHub's client reads SQL wrongly, its statement stands beside the reading of the server. If
// that reading is preferred, walks and impact take it instead, and nothing else that is stated is lost; otherwise, and again
// after the setting is switched back, they have the client's.
func TestPrefersOwnReading(t *testing.T) {
	type answers map[string][]string // by column, or "." for the view: the entities upstream
	v := table("v")
	orders, payments, ghost := table("orders"), table("payments"), catalogtest.Dataset("postgres", "shop.views.orders", "PROD")
	rows := catalogtest.Dataset("postgres", "shop.public./r", "PROD")
	viewOf := func(schema string) string { return catalogtest.Dataset("postgres", "shop."+schema+".v", "PROD") }
	for what, test := range map[string]struct {
		view, sql string
		// stated is the client's statement, and of are its answers and ours.
		stated       string
		client, ours answers
	}{
		"a correlated lateral": {
			v, "select o.id, x.total from orders o, lateral (select max(p.paid) as total from payments p where p.order_id = o.id) x",
			upstreams([]string{orders, payments}, entry(0.9, column(v, "id"), column(orders, "id")), entry(0.9, column(v, "total"), column(orders, "id"))),
			answers{"id": {"orders.id"}, "total": {"orders.id", "payments.paid"}, ".": {"orders", "payments"}},
			answers{"id": {"orders.id"}, "total": {"payments.paid"}, ".": {"orders", "payments"}},
		},
		"a view in another schema": {
			viewOf("views"), "select id, amount from orders",
			upstreams([]string{ghost}, entry(0.2, column(viewOf("views"), "id"), column(ghost, "id")), entry(0.2, column(viewOf("views"), "amount"), column(ghost, "amount"))),
			answers{"id": {"orders.id", "views.orders.id"}, ".": {"orders", "views.orders"}},
			answers{"id": {"orders.id"}, "amount": {"orders.amount"}, ".": {"orders"}},
		},
		"a row as JSON": {
			v, "select to_jsonb(o) as doc, o.id from orders o",
			upstreams([]string{orders}, entry(0.9, column(v, "id"), column(orders, "id"))),
			answers{"doc": {"orders.amount", "orders.id", "orders.state"}, "id": {"orders.id"}},
			answers{"doc": {"orders.amount", "orders.id", "orders.state"}, "id": {"orders.id"}},
		},
		"xmltable": {
			v, "select o.id, x.a from orders o, xmltable('/r' passing o.state columns a text path 'a') x",
			upstreams([]string{rows, orders}, entry(0.35, column(v, "id"), column(orders, "id")), entry(0.35, column(v, "a"), column(rows, "a"))),
			answers{"a": {"/r.a", "orders.state"}, ".": {"/r", "orders"}},
			answers{"a": {"orders.state"}, ".": {"orders"}},
		},
		"a join with column aliases": {
			v, "select j.x, j.y from (orders o join payments p on o.id = p.order_id) as j(x, y)",
			upstreams([]string{orders, payments}, entry(0.9, column(v, "x"), column(payments, "paid"))),
			answers{"x": {"orders.id", "payments.paid"}, "y": {"orders.amount"}},
			answers{"x": {"orders.id"}, "y": {"orders.amount"}},
		},
		"what a person drew and another source states stays": {
			v, "select id from orders",
			strings.Replace(upstreams([]string{orders, payments, ghost}, entry(0.9, column(v, "id"), column(payments, "paid"), column(ghost, "id")), entry(1, column(v, "id"), column(payments, "order_id"))),
				`"type":"VIEW"`, `"properties":{"source":"UI"},"type":"VIEW"`, 1),
			answers{"id": {"orders.id", "payments.order_id", "payments.paid", "views.orders.id"}, ".": {"orders", "payments", "views.orders"}},
			answers{"id": {"orders.id", "payments.order_id"}, ".": {"orders", "payments"}},
		},
	} {
		t.Run(what, func(t *testing.T) {
			onStores(t, func(h house) {
				h.Say(orders, model.AspectSchemaMetadata, schema("id", "amount", "state"))
				h.Say(payments, model.AspectSchemaMetadata, schema("order_id", "paid"))
				h.Say(test.view, model.AspectViewProperties, view(test.sql))
				h.Say(test.view, model.AspectUpstreamLineage, test.stated)
				check := func(want answers) {
					h.T.Helper()
					for of, ends := range want {
						urn := test.view
						if of != "." {
							urn = column(test.view, of)
						}
						h.wantReached(urn, ends...)
					}
				}
				h.run(derived.Mode{})
				check(test.client)
				if !strings.Contains(h.Value(test.view, model.AspectDerivedLineage, 0), `"differences"`) {
					h.T.Error("the two statements do not stand side by side")
				}
				before := h.Value(test.view, model.AspectUpstreamLineage, 0)
				h.run(derived.Mode{Prefer: true})
				check(test.ours)
				h.Say(test.view, model.AspectUpstreamLineage, strings.Replace(test.stated, "SQL: x", "SQL: y", 1)) // the client states it again
				h.run(derived.Mode{Prefer: true})
				check(test.ours)
				h.Say(test.view, model.AspectUpstreamLineage, test.stated)
				h.run(derived.Mode{})
				check(test.client)
				if after := h.Value(test.view, model.AspectUpstreamLineage, 0); after != before {
					h.T.Errorf("the client's statement became %s", after)
				}
				h.run(derived.Mode{Prefer: true})
				check(test.ours)
				h.run(derived.Mode{Remove: true})
				h.want(test.view)
			})
		})
	}
}

// TestImpactTakesPreferred: a view that a client's SQL parser states to read a column, and whose SQL does not read it, is
// affected by the loss of the column only while the client's statement holds.
func TestImpactTakesPreferred(t *testing.T) {
	onStores(t, func(h house) {
		orders, v, w := table("orders"), table("v"), table("w")
		h.Say(orders, model.AspectSchemaMetadata, schema("id", "amount", "state"))
		h.Say(v, model.AspectViewProperties, view("select id from orders"))
		h.Say(v, model.AspectSchemaMetadata, schema("id"))
		h.Say(v, model.AspectUpstreamLineage, upstreams([]string{orders}, entry(0.9, column(v, "id"), column(orders, "amount"))))
		h.Say(w, model.AspectViewProperties, view("select id from v"))
		h.Say(w, model.AspectUpstreamLineage, upstreams([]string{v}, entry(0.9, column(w, "id"), column(v, "id"))))
		ask := func(want ...string) {
			h.T.Helper()
			if diff := cmp.Diff(append([]string{}, want...), h.affected(column(orders, "amount"))); diff != "" {
				h.T.Error(diff)
			}
		}
		h.run(derived.Mode{})
		ask("v", "w")
		h.run(derived.Mode{Prefer: true})
		ask()
		if got := h.affected(column(orders, "id")); len(got) != 2 {
			h.T.Errorf("the loss of the column that is read affects %v", got)
		}
		h.run(derived.Mode{})
		ask("v", "w")
	})
}

// TestContradictsOnlyWhole: SQL that is not understood completely, or reads a table that the catalog does not have,
// contradicts nobody; neither does SQL that only spells columns and tables differently.
func TestContradictsOnlyWhole(t *testing.T) {
	h := house{catalogtest.NewHarness(t)}
	orders := table("orders")
	h.Say(orders, model.AspectSchemaMetadata, schema("id", "amount"))
	twin := catalogtest.Dataset("dbt", "shop.public.orders", "PROD")
	for sql, up := range map[string]string{
		"select o.id from orders o join unknown u on o.id = u.id": column(orders, "amount"),
		"select id, nothing from orders":                          column(orders, "amount"),
		"select ID from ORDERS":                                   column(orders, "Id"),
		"select id from orders":                                   column(twin, "[version=2.0].[type=int].id"),
	} {
		v := table("v")
		h.Say(v, model.AspectViewProperties, view(sql))
		h.Say(v, model.AspectUpstreamLineage, upstreams([]string{orders}, entry(0.9, column(v, "id"), up)))
		h.run(derived.Mode{Prefer: true})
		if got := h.Value(v, model.AspectDerivedLineage, 0); strings.Contains(got, "disputed") {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// TestDifferencesAreLimited: as many differences are kept as the limit says.
func TestDifferencesAreLimited(t *testing.T) {
	for _, n := range []int{limits.MaxLineageDifferences, limits.MaxLineageDifferences + 1} {
		h := house{catalogtest.NewHarness(t)}
		orders, v := table("orders"), table("v")
		h.Say(orders, model.AspectSchemaMetadata, schema("id", "amount"))
		var entries []string
		for i := range n {
			entries = append(entries, entry(0.9, column(v, fmt.Sprintf("c%d", i)), column(orders, "amount")))
		}
		h.Say(v, model.AspectViewProperties, view("select o.id as c0 from orders o"))
		h.Say(v, model.AspectUpstreamLineage, upstreams([]string{orders}, entries...))
		h.run(derived.Mode{Prefer: true})
		if got := strings.Count(h.Value(v, model.AspectDerivedLineage, 0), `"disputed"`); got != limits.MaxLineageDifferences {
			t.Errorf("%d of %d differences", got, n)
		}
		if last := h.reached(column(v, fmt.Sprintf("c%d", n-1))); (len(last) == 1) != (n > limits.MaxLineageDifferences) {
			t.Errorf("%d: the last column derives from %v", n, last)
		}
	}
}

// TestPreferredWithOtherWrites: a rollback, a deletion and an import keep the preferred reading.
func TestPreferredWithOtherWrites(t *testing.T) {
	onStores(t, func(h house) {
		orders, v := table("orders"), table("v")
		h.Say(orders, model.AspectSchemaMetadata, schema("id", "amount"))
		h.Say(v, model.AspectViewProperties, view("select id from orders"))
		wrong := upstreams([]string{orders}, entry(0.9, column(v, "id"), column(orders, "amount")))
		h.Say(v, model.AspectUpstreamLineage, wrong)
		h.run(derived.Mode{Prefer: true})
		h.wantReached(column(v, "id"), "orders.id")
		h.Run("second", v, model.AspectUpstreamLineage, upstreams([]string{orders}, entry(0.9, column(v, "id"), column(orders, "id"))))
		h.run(derived.Mode{Prefer: true})
		h.wantReached(column(v, "id"), "orders.id")
		h.Rollback("", removal.RollbackRequest{Origin: removal.Origin{RunID: "second"}})
		h.run(derived.Mode{Prefer: true})
		h.wantReached(column(v, "id"), "orders.id")
		h.Put("", "DELETE", v, model.AspectDerivedLineage, "")
		h.wantReached(column(v, "id"), "orders.amount")
		h.Say(v, model.AspectViewProperties, view("select o.id from orders o"))
		h.run(derived.Mode{Prefer: true})
		exported := h.Exported()
		if _, err := h.Removal.Delete(context.Background(), catalogtest.URN(v), false, catalog.WriteOptions{}); err != nil {
			h.T.Fatal(err)
		}
		h.Imported(transfer.ImportOptions{}, exported)
		h.wantReached(column(v, "id"), "orders.id")
	})
}
