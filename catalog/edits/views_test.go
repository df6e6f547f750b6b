package edits_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/model"
)

// TestSearchThroughView: the types and the filter of a view restrict a search in addition to
// its own. A criterion of the view about a field that the searched types do not have is not
// refused: it matches no entity, unless it asks for entities without a value.
func TestSearchThroughView(t *testing.T) {
	s := catalogtest.NewShop(t)
	is := func(field, value string) catalog.Criterion {
		return catalog.Criterion{Field: field, Values: []string{value}, Condition: catalog.CondEqual}
	}
	not := func(c catalog.Criterion) catalog.Criterion { c.Negated = true; return c }
	either := func(criteria ...catalog.Criterion) catalog.Filter {
		var f catalog.Filter
		for _, c := range criteria {
			f.Or = append(f.Or, catalog.Conjunction{And: []catalog.Criterion{c}})
		}
		return f
	}
	all := func(criteria ...catalog.Criterion) catalog.Filter {
		return catalog.Filter{Or: []catalog.Conjunction{{And: criteria}}}
	}
	hive := is("platform", "urn:li:dataPlatform:hive")
	chart := "urn:li:chart:(looker,signups)"
	for _, one := range []struct {
		view   edits.ViewDefinition
		search []string
		want   []string
	}{
		{edits.ViewDefinition{}, []string{"dataset"}, []string{catalogtest.Address, catalogtest.Created, catalogtest.Deleted}},
		{edits.ViewDefinition{Filter: all(hive)}, []string{"dataset"}, []string{catalogtest.Created, catalogtest.Deleted}},
		{edits.ViewDefinition{EntityTypes: []string{"chart"}}, []string{"dataset"}, nil},
		{edits.ViewDefinition{EntityTypes: []string{"chart"}}, []string{"dataset", "chart"}, []string{chart}},
		{edits.ViewDefinition{EntityTypes: []string{"dataset"}, Filter: all(hive)}, []string{"dataset", "chart"}, []string{catalogtest.Created, catalogtest.Deleted}},
		{edits.ViewDefinition{Filter: all(is("title", "Sign-ups a day"))}, []string{"dataset", "chart"}, []string{chart}},
		{edits.ViewDefinition{Filter: all(is("title", "Sign-ups a day"))}, []string{"dataset"}, nil},
		{edits.ViewDefinition{Filter: all(hive, is("title", "x"))}, []string{"dataset"}, nil},
		{edits.ViewDefinition{Filter: all(hive, not(is("title", "x")))}, []string{"dataset"}, []string{catalogtest.Created, catalogtest.Deleted}},
		{edits.ViewDefinition{Filter: either(hive, is("title", "x"))}, []string{"dataset"}, []string{catalogtest.Created, catalogtest.Deleted}},
		{edits.ViewDefinition{Filter: all(catalog.Criterion{Field: "title", Condition: catalog.CondIsNull})}, []string{"dataset"}, []string{catalogtest.Address, catalogtest.Created, catalogtest.Deleted}},
		{edits.ViewDefinition{Filter: all(not(catalog.Criterion{Field: "title", Condition: catalog.CondIsNull}))}, []string{"dataset"}, nil},
		{edits.ViewDefinition{Filter: all(catalog.Criterion{Field: "title", Condition: catalog.CondExists})}, []string{"dataset"}, nil},
		{edits.ViewDefinition{Filter: all(not(catalog.Criterion{Field: "title", Condition: catalog.CondExists}))}, []string{"dataset"}, []string{catalogtest.Address, catalogtest.Created, catalogtest.Deleted}},
	} {
		view, err := s.Edits.CreateView(context.Background(), edits.NewView{Name: "v", Type: edits.GlobalView, Definition: one.view}, catalogtest.ByAda)
		if err != nil {
			t.Fatalf("%+v: %v", one.view, err)
		}
		s.Expect(search.Request{Types: one.search, Input: "*", View: view}, one.want...)
	}
	for _, d := range []edits.ViewDefinition{
		{Filter: all(is("nonsense", "x"))},
		{EntityTypes: []string{"dataset"}, Filter: all(is("title", "x"))},
		{EntityTypes: []string{"nonsense"}},
		{Filter: all(catalog.Criterion{Field: "platform", Values: []string{"x"}, Condition: "NEARLY"})},
	} {
		_, err := s.Edits.CreateView(context.Background(), edits.NewView{Name: "v", Type: edits.GlobalView, Definition: d}, catalogtest.ByAda)
		s.Want(catalog.Invalid, err)
	}
}

// TestDefaultViews: the default view of everybody and the default view of one user are stored
// for each dialect. If the view is deleted, there is no default view.
func TestDefaultViews(t *testing.T) {
	s, ctx := catalogtest.NewShop(t), context.Background()
	view := func(kind string) model.URN {
		urn, err := s.Edits.CreateView(ctx, edits.NewView{Name: "v", Type: kind}, catalogtest.ByAda)
		if err != nil {
			t.Fatal(err)
		}
		return urn
	}
	chosen := func(actor, want string) {
		t.Helper()
		if got, err := s.Edits.DefaultView(ctx, actor); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", actor, got, err, want)
		}
	}
	everybodys, mine := view(edits.GlobalView), view(edits.PersonalView)
	chosen(catalogtest.Ada, "")
	s.Want(catalog.Invalid, s.Edits.SetDefaultView(ctx, mine, catalogtest.ByAda))
	s.Want(catalog.Invalid, s.Edits.SetDefaultView(ctx, catalogtest.URN("urn:li:dataHubView:none"), catalogtest.ByAda))
	s.Want("", s.Edits.SetDefaultView(ctx, everybodys, catalogtest.ByAda))
	chosen(catalogtest.Ada, everybodys.String())
	chosen("", everybodys.String())
	chosen("urn:example:corpuser:ada", "")
	s.Want("", s.Edits.SetUserView(ctx, mine, catalog.WriteOptions{Actor: "urn:li:corpuser:stranger"}))
	s.Want("", s.Edits.SetAppearance(ctx, "showSimplifiedHomepage", true, catalog.WriteOptions{Actor: "urn:li:corpuser:stranger"}))
	if got := s.Value("urn:li:corpuser:stranger", "corpUserSettings", 0); got != `{"appearance":{"showSimplifiedHomepage":true},"views":{"defaultView":"`+mine.String()+`"}}` {
		t.Error(got)
	}
	s.Want(catalog.Invalid, s.Edits.SetUserView(ctx, mine, catalog.WriteOptions{Actor: "urn:li:corpGroup:g"}))
	s.Want("", s.Removal.DeleteEntity(ctx, everybodys, []string{"dataHubView"}, catalogtest.ByAda))
	chosen(catalogtest.Ada, "")
}
