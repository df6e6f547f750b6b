package gql_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/sample"
)

// TestSQLLineage: a question about SQL names datasets, columns, owners and personal data.
func TestSQLLineage(t *testing.T) {
	c := testcatalog.New(t)
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	h := gql.New(gql.Options{Catalog: c})
	const query = `query q($input: SqlLineageInput!) { sqlLineage(input: $input) { dialect platform partial
		statements { kind runs reads columns { output how sources { table column } } columnsRead { column clause line } notUnderstood { line why } gone { table column certain why } }
		tables { name state dataset { name platformName } owners { owner { name } email } personal columns { name state personal labels { name } column { urn } } nearest { name } } } }`
	ask := func(input map[string]any) string { return ask(t, h, query, map[string]any{"input": input}) }
	answer := ask(map[string]any{"sql": "select sum(o.net_revenue) as total, c.email\nfrom orders o join customers c using (customer_id) group by c.email", "dialect": "snowflake", "database": "analytics", "schema": "marts"})
	for _, want := range []string{
		`"runs":"RUNS"`, `"output":"total","how":"aggregation","sources":[{"table":"analytics.marts.orders","column":"net_revenue"}]`,
		`{"column":"email","clause":"group","line":2}`, `"name":"email","state":"KNOWN","personal":true,"labels":[{"name":"PII"},{"name":"EmailAddress"}]`, `"platformName":"Snowflake"`, `"email":"`,
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("no %s in %s", want, answer)
		}
	}
	answer = ask(map[string]any{"sql": "select x.nothing from orders x, order_ x2", "platform": "snowflake", "database": "analytics", "schema": "marts"})
	for _, want := range []string{`"runs":"FAILS"`, `"column":"nothing","certain":true`, `"state":"UNKNOWN","dataset":null`, `"nearest":[{"name":"orders"}`} {
		if !strings.Contains(answer, want) {
			t.Errorf("no %s in %s", want, answer)
		}
	}
	if answer = ask(map[string]any{"sql": "selec 1", "dialect": "postgres"}); !strings.Contains(answer, `"runs":"UNKNOWN"`) || !strings.Contains(answer, `"notUnderstood":[{"line":1`) {
		t.Error(answer)
	}
	if answer = ask(map[string]any{"sql": "select 1", "dialect": "postgrs"}); !strings.Contains(answer, "did you mean postgres") {
		t.Error(answer)
	}
}
