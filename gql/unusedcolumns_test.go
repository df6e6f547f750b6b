package gql_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/sample"
)

// TestUnusedColumns: columns that nobody reads come page after page, with the basis of the claim.
func TestUnusedColumns(t *testing.T) {
	c := testcatalog.New(t)
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	h := gql.New(gql.Options{Catalog: c})
	const query = `query q($input: UnusedColumnsInput!) { unusedColumns(input: $input) { since datasets judged next partial columns {
		column { urn } dataset { name platformName } path nativeDataType verdict doubts readerCount readers { entity { name } why clauses } basis { usageDays usageQueries usageColumns queries } } } }`
	ask := func(input map[string]any) string { return ask(t, h, query, map[string]any{"input": input}) }
	const orders = "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)"
	answer := ask(map[string]any{"datasets": []string{orders}, "all": true})
	for _, want := range []string{`"datasets":1`, `"name":"orders"`, `"platformName":"Snowflake"`, `"verdict":"READ"`, `"path":"net_revenue"`, `"usageColumns":`, `"next":null`} {
		if !strings.Contains(answer, want) {
			t.Errorf("no %s in %s", want, answer)
		}
	}
	if answer = ask(map[string]any{"platforms": []string{"urn:li:dataPlatform:snowflake"}, "count": 1, "all": true}); strings.Contains(answer, `"next":null`) || !strings.Contains(answer, `"datasets":1,`) {
		t.Error(answer)
	}
	if answer = ask(map[string]any{"datasets": []string{"urn:li:tag:x"}}); !strings.Contains(answer, `{"errors":[{"message":"`) {
		t.Error(answer)
	}
	if answer = ask(map[string]any{"count": 5000}); !strings.Contains(answer, "1000") {
		t.Error(answer)
	}
}
