package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

// TestSuggest: texts continue to names of the sample catalog.
func TestSuggest(t *testing.T) {
	c, ctx := testcatalog.New(t), context.Background()
	if _, err := sample.Load(ctx, c); err != nil {
		t.Fatal(err)
	}
	if err := c.Follower.Await(ctx); err != nil { // suggestions do not wait for the index
		t.Fatal(err)
	}
	for _, test := range []struct {
		text  string
		kinds []search.SuggestionKind
		// want has the suggestions that must be made, separated by blanks. With only, no other
		// suggestion may be made. With first, the first suggestion of want must come first.
		want        string
		only, first bool
	}{
		{text: "ord", want: "ENTITY:orders ENTITY:order_events COLUMN:order_id"},
		{text: "ORD", want: "ENTITY:orders COLUMN:order_id"},
		{text: "marts.ord", kinds: []search.SuggestionKind{search.SuggestEntity}, want: "ENTITY:orders", only: true},
		{text: "net_rev", want: "ENTITY:Net_revenue_by_month COLUMN:net_revenue TERM:NetRevenue"},
		{text: "orders.net", want: "COLUMN:net_revenue", only: true, first: true},
		{text: "marts.orders.NET", want: "COLUMN:net_revenue", only: true},
		{text: "orders.", kinds: []search.SuggestionKind{search.SuggestColumn}, want: "COLUMN:order_id COLUMN:total"},
		{text: "marts.orders.", kinds: []search.SuggestionKind{search.SuggestColumn}, want: "COLUMN:net_revenue COLUMN:order_id"},
		{text: "orders.n", kinds: []search.SuggestionKind{search.SuggestColumn}, want: "COLUMN:net_revenue", first: true},
		{text: "marts.", kinds: []search.SuggestionKind{search.SuggestColumn}, want: "", only: true}, // the name of a schema
		{text: "customers.net_revenue", want: "", only: true},
		{text: "Ada", want: "PERSON:Ada_Wren", first: true},
		{text: "wren", kinds: []search.SuggestionKind{search.SuggestPerson}, want: "PERSON:Ada_Wren", only: true},
		{text: "data pl", kinds: []search.SuggestionKind{search.SuggestPerson}, want: "PERSON:Data_Platform", only: true},
		{text: "PI", want: "TAG:PII"},
		{text: "net", kinds: []search.SuggestionKind{search.SuggestTerm}, want: "TERM:NetRevenue", only: true},
		{text: "Sal", want: "DOMAIN:Sales"},
		{text: "urn:li:tag:P", want: "TAG:PII", only: true},
		{text: "board", want: "ENTITY:Board_overview"},
		{text: "employees", kinds: []search.SuggestionKind{search.SuggestEntity}, want: "ENTITY:employees"},
		{text: "qqqq", want: "", only: true},
		{text: "  ", want: "", only: true},
		{text: "..", want: "", only: true},
	} {
		found, err := c.Search.Suggest(ctx, search.SuggestRequest{Text: test.text, Limit: 10, Kinds: test.kinds})
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		var got []string
		offered := map[string]bool{}
		for _, f := range found {
			name := string(f.Kind) + ":" + strings.ReplaceAll(f.Text, " ", "_")
			got, offered[name] = append(got, name), true
			if f.URN == "" || (f.Kind == search.SuggestColumn) != (f.Column != "") {
				t.Errorf("%q: %+v", test.text, f)
			}
		}
		want := strings.Fields(test.want)
		for _, name := range want {
			if !offered[name] {
				t.Errorf("%q: %s is not suggested, but %v", test.text, name, got)
			}
		}
		if test.only && len(offered) > len(want) || test.first && len(got) > 0 && got[0] != want[0] {
			t.Errorf("%q: %v, want %v", test.text, got, want)
		}
	}
	if _, err := c.Search.Suggest(ctx, search.SuggestRequest{Text: "x", Limit: limits.MaxSuggestions + 1}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("too many: %v", err)
	}
	if _, err := c.Search.Suggest(ctx, search.SuggestRequest{Text: "x", Limit: -1}); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), "from 0 to 50") {
		t.Errorf("fewer than none: %v", err)
	}
	if _, err := c.Search.Suggest(ctx, search.SuggestRequest{Text: strings.Repeat("x ", limits.MaxQueryWords+1), Limit: 5}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("too many words: %v", err)
	}
}

// TestSuggestColumnsWithTypes: columns are suggested by the steps of a path that are not types,
// and each kind gets a part of the limit.
func TestSuggestColumnsWithTypes(t *testing.T) {
	c, ctx := testcatalog.New(t), context.Background()
	fields := ""
	for _, path := range []string{"[version=2.0].[type=struct].[type=string].zip", "[version=2.0].[type=struct].[type=Address].home.[type=string].street", "zipper"} {
		fields += `{"fieldPath":"` + path + `","nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}},`
	}
	write := func(urn, aspect, value string) {
		t.Helper()
		u, err := model.ParseURN(urn)
		if err != nil {
			t.Fatal(err)
		}
		p := write.Proposal{EntityURN: urn, EntityType: u.EntityType(), ChangeType: write.Upsert, AspectName: aspect, Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"}}
		if _, err := c.Ingest(ctx, p, catalog.WriteOptions{AwaitIndex: true}); err != nil {
			t.Fatal(err)
		}
	}
	const of = "urn:li:dataset:(urn:li:dataPlatform:kafka,addresses,PROD)"
	write(of, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:kafka","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[`+strings.TrimSuffix(fields, ",")+`]}`)
	write("urn:li:tag:zip codes", "tagProperties", `{"name":"zip codes"}`)
	found, err := c.Search.Suggest(ctx, search.SuggestRequest{Text: "zip", Limit: 10})
	if err != nil || len(found) != 3 || found[0].Text != "zip" || found[1].Text != "zipper" || found[2].Kind != search.SuggestTag {
		t.Errorf("zip: %+v %v", found, err)
	}
	if found, err = c.Search.Suggest(ctx, search.SuggestRequest{Text: "str", Limit: 10}); err != nil || len(found) != 1 || found[0].Text != "home.street" {
		t.Errorf("the step of a path: %+v %v", found, err)
	}
	if found, err = c.Search.Suggest(ctx, search.SuggestRequest{Text: "zip", Limit: 2}); err != nil || len(found) != 2 || found[0].Kind != search.SuggestColumn || found[1].Kind != search.SuggestTag {
		t.Errorf("two at most: %+v %v", found, err)
	}
	for _, text := range []string{"z", "st", "home.st", "h.street"} { // these texts are too short to be looked for within paths
		if found, err = c.Search.Suggest(ctx, search.SuggestRequest{Text: text, Limit: 10, Kinds: []search.SuggestionKind{search.SuggestColumn}}); err != nil || len(found) != 0 {
			t.Errorf("%s: %+v %v", text, found, err)
		}
	}
	if found, err = c.Search.Suggest(ctx, search.SuggestRequest{Text: "zi", Limit: 10, Kinds: []search.SuggestionKind{search.SuggestColumn}}); err != nil || len(found) != 2 || found[0].Text != "zip" || found[1].Text != "zipper" {
		t.Errorf("two letters: %+v %v", found, err)
	}
	for _, text := range []string{"addresses.home.str", "home.str", "addresses.street"} {
		if found, err = c.Search.Suggest(ctx, search.SuggestRequest{Text: text, Limit: 10}); err != nil || len(found) != 1 || found[0].Text != "home.street" {
			t.Errorf("%s: %+v %v", text, found, err)
		}
	}
}
