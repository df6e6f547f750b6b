package search_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestTypedSearches: searches as people type have the expected first hits, with both kinds of
// index. A hit is written as the end of its URN, followed by a minus and the words that it lacks.
func TestTypedSearches(t *testing.T) {
	const (
		mart, dbt = "snowflake,analytics.marts.", "dbt,analytics.marts."
	)
	engines := openEngines(t)
	for _, c := range []struct {
		input string
		all   int
		first []string
	}{
		{"board dashboard", 1, []string{"(looker,board)"}},
		{"dashboard", 6, []string{"(looker,campaigns)", "(looker,delivery)", "(looker,board)", "(looker,close)", "(looker,sales)"}},
		{"dashboards", 6, []string{"(looker,campaigns)", "(looker,delivery)"}},
		{"executive dashboard", 0, []string{mart + "executive_summary,PROD) -dashboard", dbt + "executive_summary,PROD) -dashboard"}},
		{"tables", 105, []string{mart + "customers,PROD)", dbt + "customers,PROD)", mart + "orders,PROD)", dbt + "orders,PROD)"}},
		{"customers", 32, []string{mart + "customers,PROD)", dbt + "customers,PROD)", "postgres,shop.public.customers,PROD)", "snowflake,analytics.raw.customers,PROD)"}},
		{"customers table", 16, []string{mart + "customers,PROD)", dbt + "customers,PROD)"}},
		{"Customers Table", 16, []string{mart + "customers,PROD)"}},
		{"snowflake customers", 10, []string{mart + "customers,PROD)", "snowflake,analytics.raw.customers,PROD)"}},
		{"dbt customers", 4, []string{dbt + "customers,PROD)"}},
		{"dbt model", 26, []string{dbt + "customers,PROD)", dbt + "loyalty,PROD)", dbt + "orders,PROD)"}},
		{"dbt models", 26, []string{dbt + "customers,PROD)"}},
		{"dbt model orders", 4, []string{dbt + "orders,PROD)"}},
		{"orders", 39, []string{mart + "orders,PROD)", dbt + "orders,PROD)", "postgres,shop.public.orders,PROD)"}},
		{"orders chart", 2, []string{"(looker,orders_today)", "(looker,basket_value)"}},
		{"revenue", 18, []string{"dataProduct:revenue", mart + "revenue_daily,PROD)", dbt + "revenue_daily,PROD)"}},
		{"revenue dashboard", 0, []string{"dataProduct:revenue -dashboard"}},
		{"executive revenue by region", 0, []string{mart + "executive_summary,PROD) -region", "(looker,net_revenue) -region"}},
		{"revenue board report", 0, []string{"(looker,board) -revenue"}},
		{"loyalty", 3, []string{mart + "loyalty,PROD)", dbt + "loyalty,PROD)", "(looker,loyal)"}},
		{"loyalty mart", 2, []string{mart + "loyalty,PROD)", dbt + "loyalty,PROD)"}},
		{"finance", 31, []string{"domain:finance", "corpGroup:finance", "tag:Finance"}},
		{"finance domain", 1, []string{"domain:finance"}},
		{"domain finance", 1, []string{"domain:finance"}},
		{"ada", 1, []string{"corpuser:ada.wren"}},
		{"ada wren", 1, []string{"corpuser:ada.wren"}},
		{"user ada", 1, []string{"corpuser:ada.wren"}},
		{"ada user", 1, []string{"corpuser:ada.wren"}},
		{"pii tag", 1, []string{"tag:PII"}},
		{"tag pii", 1, []string{"tag:PII"}},
		{"pii", 5, []string{"tag:PII", mart + "customers,PROD)"}},
		{"net revenue term", 1, []string{"glossaryTerm:NetRevenue", "(looker,net_revenue) -term"}},
		{"net revenue", 6, []string{"glossaryTerm:NetRevenue", "(looker,net_revenue)"}},
		{"airflow pipeline", 30, []string{"(airflow,board_pack,prod),export)"}},
		{"kafka topic", 6, nil},
		{"web searches topic", 1, []string{"kafka,web.searches,PROD)"}},
		{"searches topic", 1, []string{"kafka,web.searches,PROD)"}},
		{"zzz dashboard", 0, []string{"(looker,campaigns) -zzz", "(looker,delivery) -zzz", "(looker,board) -zzz"}},
		{"zzz qqq", 0, []string{}},
		{"the", 54, nil},
		{"!!!", -1, []string{}},
		{"tags:PII", -1, nil},
		{`"board"`, -1, nil},
	} {
		var before []string
		for _, e := range engines {
			r, err := e.Search.Search(context.Background(), search.Request{Input: c.input, Count: 10, AsTyped: true})
			if err != nil {
				t.Errorf("%s, %q: %v", e.name, c.input, err)
				continue
			}
			all := -1
			if r.Typed != nil {
				all = r.Typed.All
			}
			if all != c.all {
				t.Errorf("%s, %q: %d entities have all words, want %d", e.name, c.input, all, c.all)
			}
			var hits []string
			for i := range r.Hits {
				hits = append(hits, strings.TrimSpace(r.Hits[i].URN+" "+minus(r.Hits[i].Missing)))
			}
			if c.first != nil && len(c.first) == 0 && len(hits) > 0 {
				t.Errorf("%s, %q finds %v, want nothing", e.name, c.input, hits)
			}
			for i, want := range c.first {
				if i >= len(hits) || !strings.HasSuffix(hits[i], want) {
					t.Errorf("%s, %q: hit %d should be %s in %v", e.name, c.input, i, want, hits)
				}
			}
			if all >= 0 && before != nil && !slices.Equal(before, hits) {
				t.Errorf("%q: the indexes differ: %v and %v", c.input, before, hits)
			}
			before = hits
		}
	}
	t.Run("columns", func(t *testing.T) { columnsAreFound(t, engines) })
}

func minus(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "-" + strings.Join(words, " -")
}

func columnsAreFound(t *testing.T, engines []engine) {
	for name, c := range map[string]struct {
		lineage.ColumnsRequest
		first string
		some  bool
	}{
		"personal data":     {lineage.ColumnsRequest{Personal: true, Count: 50}, "(urn:li:dataPlatform:postgres,shop.public.customers,PROD),email)", true},
		"words":             {lineage.ColumnsRequest{Words: "net_revenue", Count: 50}, ",net_revenue)", true},
		"the table's name":  {lineage.ColumnsRequest{Words: "raw customers email", Count: 50}, "analytics.raw.customers,PROD),email)", true},
		"nothing":           {lineage.ColumnsRequest{Words: "zzz", Count: 50}, "", false},
		"a type":            {lineage.ColumnsRequest{Words: "email", Types: []string{"varchar"}, Count: 50}, ",email)", true},
		"another type":      {lineage.ColumnsRequest{Words: "email", Types: []string{"blob"}, Count: 50}, "", false},
		"the page after it": {lineage.ColumnsRequest{Words: "email", Start: limits.MaxFoundColumns, Count: 50}, "", false},
	} {
		var before []string
		for _, e := range engines {
			found, err := e.Lineage.FindColumns(context.Background(), c.ColumnsRequest)
			if err != nil {
				t.Errorf("%s, %s: %v", e.name, name, err)
				continue
			}
			var urns []string
			for i := range found.Columns {
				urns = append(urns, found.Columns[i].URN)
			}
			if c.some != (len(urns) > 0) || c.some && !strings.HasSuffix(urns[0], c.first) {
				t.Errorf("%s, %s: %v, want %q first", e.name, name, urns, c.first)
			}
			if before != nil && !slices.Equal(before, urns) {
				t.Errorf("%s: the indexes differ: %v and %v", name, before, urns)
			}
			before = urns
		}
	}
	for says, r := range map[string]lineage.ColumnsRequest{"at most": {Count: limits.MaxFoundColumns + 1}, "begins at 0": {Start: -1}} {
		if _, err := engines[0].Lineage.FindColumns(context.Background(), r); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", r, err, says)
		}
	}
}
