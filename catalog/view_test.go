package catalog

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/model"
)

var byAda = WriteOptions{Actor: ada, AwaitIndex: true}

// TestSearchThroughView: a view's types and filter count beside those of a
// search, and what it says of fields that the searched types lack refuses
// nothing: it matches nothing, unless it asks for no value.
func TestSearchThroughView(t *testing.T) {
	s := newShop(t)
	is := func(field, value string) Criterion {
		return Criterion{Field: field, Values: []string{value}, Condition: equalTo}
	}
	not := func(c Criterion) Criterion { c.Negated = true; return c }
	either := func(criteria ...Criterion) Filter {
		var f Filter
		for _, c := range criteria {
			f.Or = append(f.Or, Conjunction{And: []Criterion{c}})
		}
		return f
	}
	all := func(criteria ...Criterion) Filter { return Filter{Or: []Conjunction{{And: criteria}}} }
	hive := is("platform", "urn:li:dataPlatform:hive")
	chart := "urn:li:chart:(looker,signups)"
	for _, one := range []struct {
		view   ViewDefinition
		search []string
		want   []string
	}{
		{ViewDefinition{}, []string{"dataset"}, []string{address, created, deleted}},
		{ViewDefinition{Filter: all(hive)}, []string{"dataset"}, []string{created, deleted}},
		{ViewDefinition{EntityTypes: []string{"chart"}}, []string{"dataset"}, nil},
		{ViewDefinition{EntityTypes: []string{"chart"}}, []string{"dataset", "chart"}, []string{chart}},
		{ViewDefinition{EntityTypes: []string{"dataset"}, Filter: all(hive)}, []string{"dataset", "chart"}, []string{created, deleted}},
		{ViewDefinition{Filter: all(is("title", "Sign-ups a day"))}, []string{"dataset", "chart"}, []string{chart}},
		{ViewDefinition{Filter: all(is("title", "Sign-ups a day"))}, []string{"dataset"}, nil},
		{ViewDefinition{Filter: all(hive, is("title", "x"))}, []string{"dataset"}, nil},
		{ViewDefinition{Filter: all(hive, not(is("title", "x")))}, []string{"dataset"}, []string{created, deleted}},
		{ViewDefinition{Filter: either(hive, is("title", "x"))}, []string{"dataset"}, []string{created, deleted}},
		{ViewDefinition{Filter: all(Criterion{Field: "title", Condition: isNull})}, []string{"dataset"}, []string{address, created, deleted}},
		{ViewDefinition{Filter: all(not(Criterion{Field: "title", Condition: isNull}))}, []string{"dataset"}, nil},
		{ViewDefinition{Filter: all(Criterion{Field: "title", Condition: exists})}, []string{"dataset"}, nil},
		{ViewDefinition{Filter: all(not(Criterion{Field: "title", Condition: exists}))}, []string{"dataset"}, []string{address, created, deleted}},
	} {
		view, err := s.CreateView(context.Background(), NewView{Name: "v", Type: GlobalView, Definition: one.view}, byAda)
		if err != nil {
			t.Fatalf("%+v: %v", one.view, err)
		}
		s.expect(SearchRequest{Types: one.search, Input: "*", View: view}, one.want...)
	}
	for _, d := range []ViewDefinition{
		{Filter: all(is("nonsense", "x"))},
		{EntityTypes: []string{"dataset"}, Filter: all(is("title", "x"))},
		{EntityTypes: []string{"nonsense"}},
		{Filter: all(Criterion{Field: "platform", Values: []string{"x"}, Condition: "NEARLY"})},
	} {
		_, err := s.CreateView(context.Background(), NewView{Name: "v", Type: GlobalView, Definition: d}, byAda)
		s.want(Invalid, err)
	}
}

// TestDefaultViews: what everybody and what one user looks through is kept for
// each vocabulary, and is nothing when the view is gone.
func TestDefaultViews(t *testing.T) {
	s, ctx := newShop(t), context.Background()
	view := func(kind string) string {
		urn, err := s.CreateView(ctx, NewView{Name: "v", Type: kind}, byAda)
		if err != nil {
			t.Fatal(err)
		}
		return urn
	}
	chosen := func(actor, want string) {
		t.Helper()
		if got, err := s.DefaultView(ctx, actor); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", actor, got, err, want)
		}
	}
	everybodys, mine := view(GlobalView), view(PersonalView)
	chosen(ada, "")
	s.want(Invalid, s.SetDefaultView(ctx, mine, byAda))
	s.want(Invalid, s.SetDefaultView(ctx, "urn:li:dataHubView:none", byAda))
	s.want("", s.SetDefaultView(ctx, everybodys, byAda))
	chosen(ada, everybodys)
	chosen("", everybodys)
	chosen("urn:example:corpuser:ada", "")
	s.want("", s.SetUserView(ctx, mine, WriteOptions{Actor: "urn:li:corpuser:stranger"}))
	s.want("", s.SetSimplifiedHomepage(ctx, true, WriteOptions{Actor: "urn:li:corpuser:stranger"}))
	if got := s.value("urn:li:corpuser:stranger", "corpUserSettings", 0); got != `{"appearance":{"showSimplifiedHomepage":true},"views":{"defaultView":"`+mine+`"}}` {
		t.Error(got)
	}
	s.want(Invalid, s.SetUserView(ctx, mine, WriteOptions{Actor: "urn:li:corpGroup:g"}))
	s.want("", s.DeleteEntity(ctx, everybodys, []string{"dataHubView"}, byAda))
	chosen(ada, "")
}

// TestSetDataProduct: assets move as a whole, out of every data product that
// holds them, or nothing changes.
func TestSetDataProduct(t *testing.T) {
	s, ctx := newShop(t), context.Background()
	products := []string{"urn:li:dataProduct:a", "urn:li:dataProduct:b", "urn:li:dataProduct:c"}
	for _, product := range products[:2] {
		s.say(product, "dataProductProperties", fmt.Sprintf(`{"name":"p","assets":[{"destinationUrn":%q},{"destinationUrn":%q}]}`, created, address))
	}
	s.say(products[2], "dataProductProperties", `{"name":"p"}`)
	holds := func(product string, want ...string) {
		t.Helper()
		if got := s.list(product, model.AspectDataProductProperties, productAssets, assetMember); !slices.Equal(got, want) {
			t.Errorf("%s holds %v, want %v", product, got, want)
		}
	}
	s.want("", s.SetDataProduct(ctx, products[2], []string{created, deleted, created}, byAda))
	holds(products[0], address)
	holds(products[1], address)
	holds(products[2], created, deleted)
	s.want("", s.SetDataProduct(ctx, products[0], []string{address}, byAda))
	holds(products[0], address)
	holds(products[1])
	many := make([]string, maxEdits+1)
	for i := range many {
		many[i] = deleted
	}
	s.want(Invalid, s.SetDataProduct(ctx, "", many, byAda))
	s.want(Invalid, s.SetDataProduct(ctx, products[0], []string{deleted, "urn:li:chart:(looker,none)"}, byAda))
	s.want(Invalid, s.SetDataProduct(ctx, products[0], []string{deleted, "urn:li:tag:Engineering"}, byAda))
	s.want(Invalid, s.SetDataProduct(ctx, "urn:li:tag:Engineering", []string{deleted}, byAda))
	holds(products[2], created, deleted)
	s.want("", s.SetDataProduct(ctx, "", []string{created, deleted, address}, byAda))
	for _, product := range products {
		holds(product)
	}
}
