package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/sample"
)

// TestComplete: texts continue to names of the sample catalog.
func TestComplete(t *testing.T) {
	c, ctx := testcatalog.New(t), context.Background()
	if _, err := sample.Load(ctx, c); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text  string
		part  search.Part
		types []string
		// want has the completions that must be offered, separated by blanks. With only, no other
		// completion may be offered.
		want string
		only bool
	}{
		{text: "marts.ord", want: "marts.orders", only: true},
		{text: "ord", want: "order_events order_lines orders"},
		{text: "snowf", want: "snowflake:"},
		{text: "", want: "snowflake: dataset: tag:"},
		{text: "snowflake:marts.ord", want: "snowflake:marts.orders", only: true},
		{text: "tag:P", want: "tag:PII", only: true},
		{text: "snow", types: []string{"dataPlatform"}, want: "snowflake", only: true},
		{text: "ada", types: []string{"corpuser"}, want: "ada.wren"},
		{text: "Ada", types: []string{"corpuser"}, want: "Ada_SPACE_Wren", only: true},
		{text: "marts.orders.net", part: search.EitherPart, want: "marts.orders.net_revenue", only: true},
		{text: "orders.net", part: search.EitherPart, want: "orders.net_revenue", only: true},
		{text: "snowflake:marts.orders.net", part: search.EitherPart, want: "snowflake:marts.orders.net_revenue", only: true},
		{text: "marts.orders.net", want: "", only: true},
		{text: "urn:", want: "urn:li:dataset: urn:li:tag:"},
		{text: "urn:li:tag:", want: "urn:li:tag:PII urn:li:tag:Certified"},
		{text: "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.ord", want: mart, only: true},
		{text: mart + ".net", part: search.EitherPart, want: mart + ".net_revenue", only: true},
		{text: "qqqq", want: "", only: true},
		{text: "urn:li:nonsense:", want: "", only: true},
		{text: "(.).", part: search.EitherPart, want: "", only: true},
		{text: "raw.employ", want: "", only: true}, // raw.employees is soft-deleted
	} {
		found, err := c.Search.Complete(ctx, search.CompletionRequest{Text: test.text, Part: test.part, Types: test.types})
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		offered := map[string]bool{}
		for _, f := range found {
			offered[f.Text] = true
			if !strings.HasPrefix(f.Text, test.text) || f.Things < 1 {
				t.Errorf("%q: %+v", test.text, f)
			}
		}
		want := strings.Fields(test.want)
		for _, text := range want {
			if !offered[strings.ReplaceAll(text, "_SPACE_", " ")] {
				t.Errorf("%q: %q is missing in %+v", test.text, text, found)
			}
		}
		if test.only && len(found) != len(want) {
			t.Errorf("%q: %+v, want only %q", test.text, found, want)
		}
	}
}
