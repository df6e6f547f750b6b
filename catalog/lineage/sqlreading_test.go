package lineage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql/parser"
	"github.com/headwater-io/headwater/sql/reads"
)

func shopTable(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public." + name + ",PROD)"
}

// sayTable states the columns of a table.
func sayTable(h *catalogtest.Harness, name string, columns ...string) {
	var fields []string
	for _, column := range columns {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}}`, column))
	}
	h.Say(shopTable(name), "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:postgres","version":0,"hash":"","fields":[`+
		strings.Join(fields, ",")+`],"platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}}}`)
}

// sayView states a view, and that its column "out" has the values of the column id of a table.
func sayView(t *testing.T, h *catalogtest.Harness, name, text string, upstreams ...string) {
	var up []string
	for _, table := range upstreams {
		up = append(up, fmt.Sprintf(`{"dataset":%q,"type":"VIEW"}`, shopTable(table)))
	}
	h.Say(shopTable(name), "upstreamLineage", `{"upstreams":[`+strings.Join(up, ",")+`],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["`+
		catalogtest.ColumnOf(shopTable(upstreams[0]), "id")+`"],"downstreamType":"FIELD","downstreams":["`+catalogtest.ColumnOf(shopTable(name), "out")+`"]}]}`)
	h.Say(shopTable(name), "viewProperties", `{"materialized":false,"viewLanguage":"SQL","viewLogic":`+catalogtest.MustJSON(t, text)+`}`)
}

// impactOfState returns the impact of the column state of orders, by the last part of the URN's name.
func impactOfState(t *testing.T, c *services.Services) map[string]lineage.ImpactedEntity {
	t.Helper()
	found, err := c.Lineage.Impact(context.Background(), lineage.ImpactRequest{
		Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(shopTable("orders"), "state"))}, Change: lineage.ChangeDrop,
	})
	if err != nil {
		t.Fatal(err)
	}
	affected := map[string]lineage.ImpactedEntity{}
	for _, e := range found.Entities {
		affected[last(e.URN)] = e
	}
	return affected
}

// TestImpactReadsSQL: the SQL of a view decides whether the loss of a column breaks it, and the reason
// names the clause and the line.
func TestImpactReadsSQL(t *testing.T) {
	for name, c := range map[string]struct {
		sql, effect, why string
		reads            []reads.Place
	}{
		"filter": {
			"select id as out\nfrom orders\nwhere state = 'paid'", lineage.EffectCertain, "reads state in WHERE (line 3)", []reads.Place{{Clause: "WHERE", Line: 3}},
		},
		"join and order": {
			"select o.id as out\nfrom orders o\njoin customers c on c.name = o.state\norder by o.state", lineage.EffectCertain, "reads state in JOIN (line 3), ORDER BY (line 4)",
			[]reads.Place{{Clause: "JOIN", Line: 3}, {Clause: "ORDER BY", Line: 4}},
		},
		"query inside": {
			"with s as (select id, state as x from public.orders)\nselect id as out from s\nwhere x = 'a'", lineage.EffectCertain, "reads state in SELECT (line 1)", []reads.Place{{Clause: "SELECT", Line: 1}},
		},
		"twice": {
			"select id as out from orders\nwhere state = 'a'\nor\nstate = 'b'", lineage.EffectCertain, "reads state in WHERE (lines 2, 4)", []reads.Place{{Clause: "WHERE", Line: 2}, {Clause: "WHERE", Line: 4}},
		},
		"another table's":             {"select o.id as out from orders o join customers c on c.id = o.customer where region = 'x' and c.name = 'state'", "", "", nil},
		"inner table has it":          {"select id as out from orders where exists (select 1 from customers where state = name and customers.id = orders.customer)", lineage.EffectCertain, "reads state in WHERE (line 1)", []reads.Place{{Clause: "WHERE", Line: 1}}},
		"the name of an output":       {"select id as out, amount as state from orders group by id, amount order by state", "", "", nil},
		"a derived table's":           {"select d.id as out from (select id, amount as state from orders) d where d.state > 1", "", "", nil},
		"all columns":                 {"select * from orders", lineage.EffectPossible, "its SQL reads all columns", nil},
		"all columns, one used":       {"select s.id as out from (select * from orders) s", "", "", nil},
		"a row as a whole":            {"select id as out, to_jsonb(orders) from orders", lineage.EffectPossible, "its SQL reads all columns", nil},
		"unknown table in the middle": {"select o.id as out from orders o where exists (select 1 from unknown_one where state = 1)", lineage.EffectCertain, "reads state in WHERE", nil},
		"not SQL":                     {"select id as out from orders where state = = 1", lineage.EffectCertain, "reads state in WHERE", nil},
		"template":                    {"select id as out from {{ ref('orders') }} where state = 1", lineage.EffectCertain, "reads state in WHERE", nil},
		"alias of columns":            {"select o.a as out\nfrom orders o(a, b, c, d)\nwhere d = 'x'", lineage.EffectCertain, "reads state in WHERE (line 3)", []reads.Place{{Clause: "WHERE", Line: 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := catalogtest.NewHarness(t)
			sayTable(h, "orders", "id", "customer", "amount", "state")
			sayTable(h, "customers", "id", "name", "region")
			sayView(t, h, "view", c.sql, "orders", "customers")
			got, affected := impactOfState(t, h.Services)["shop.public.view"]
			switch {
			case !affected && c.effect != "", affected && got.Effect != c.effect:
				t.Fatalf("the effect is %q, because %s; want %q", got.Effect, got.Why, c.effect)
			case !strings.HasSuffix(got.Why, c.why):
				t.Errorf("why: %s; want %s", got.Why, c.why)
			case fmt.Sprint(got.Reads) != fmt.Sprint(c.reads):
				t.Errorf("reads %v; want %v", got.Reads, c.reads)
			}
		})
	}
}

// TestImpactOfManyStatements: an impact parses limits.MaxImpactStatements statements that were not parsed
// before, and finds the column by its name in the others.
func TestImpactOfManyStatements(t *testing.T) {
	h := catalogtest.NewHarness(t)
	sayTable(h, "orders", "id", "customer", "amount", "state")
	const more = 3
	for i := range limits.MaxImpactStatements + more {
		sayView(t, h, fmt.Sprintf("v%d", i), fmt.Sprintf("select id as out from orders where state = '%d'", i), "orders")
	}
	for _, want := range []int{limits.MaxImpactStatements, limits.MaxImpactStatements + more} {
		parsed := 0
		affected := impactOfState(t, h.Services)
		for _, e := range affected {
			if e.Effect != lineage.EffectCertain || !strings.Contains(e.Why, "reads state in WHERE") {
				t.Fatalf("%s is %s: %s", e.URN, e.Effect, e.Why)
			}
			if len(e.Reads) > 0 {
				parsed++
			}
		}
		if parsed != want || len(affected) != limits.MaxImpactStatements+more {
			t.Errorf("%d of %d were parsed, want %d", parsed, len(affected), want)
		}
	}
}

// TestImpactWithoutParser: without a parser that runs, the words of the SQL answer.
func TestImpactWithoutParser(t *testing.T) {
	closed := parser.New(testsql.Cache())
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	h := catalogtest.NewHarness(t)
	sayTable(h, "orders", "id", "customer", "amount", "state")
	sayView(t, h, "view", "select id as out from orders where state = 'a'", "orders")
	for name, p := range map[string]*parser.Parser{"none": nil, "closed": closed} {
		got := impactOfState(t, services.New(services.Options{Store: h.Store, Now: testclock.Now, SQL: p}))["shop.public.view"]
		if got.Effect != lineage.EffectCertain || !strings.HasSuffix(got.Why, "reads state in WHERE") || got.Reads != nil {
			t.Errorf("%s: %s, %s, %v", name, got.Effect, got.Why, got.Reads)
		}
	}
}
