package search_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/search"
)

// FuzzSearchInput: every input is answered or refused as invalid; none is an internal error.
func FuzzSearchInput(f *testing.F) {
	for _, input := range []string{"*", "tags:Engineering", `a\:b`, "urn:li:tag:x", "::::", `"`, "id:*", "(a OR b) -c", "日本", "`", "platform:hive*", `/q tag:(Engineering OR "a b*") -users`, `/q "x":1 name:*`, "/q removed:true !urn:li:tag:x"} {
		f.Add(input, "id", "CONTAIN", "x", false)
	}
	s := catalogtest.NewShop(f)
	f.Fuzz(func(t *testing.T, input, field, condition, value string, negated bool) {
		filter := &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: field, Condition: condition, Value: value, Negated: negated}}}}}
		for _, r := range []search.Request{{Types: []string{"dataset"}, Input: input, Count: 5}, {Types: []string{"dataset"}, Filter: filter, Count: 5}} {
			if _, err := s.Search.Search(context.Background(), r); err != nil && catalog.CodeOf(err) != catalog.Invalid {
				t.Errorf("%+v: %v", r, err)
			}
		}
		if _, err := s.Search.Autocomplete(context.Background(), search.AutocompleteRequest{Types: []string{"dataset"}, Query: input, Limit: 5}); err != nil {
			t.Errorf("autocomplete %q: %v", input, err)
		}
		if _, err := s.Search.Browse(context.Background(), search.BrowseRequest{EntityType: "dataset", Path: input, Limit: 5}); err != nil {
			t.Errorf("browse %q: %v", input, err)
		}
	})
}

// TestUnknownFieldWarns: in a context that collects warnings, a criterion on a field that no
// type has matches no entity, a negated one matches every entity, and both add a warning.
func TestUnknownFieldWarns(t *testing.T) {
	s := catalogtest.NewShop(t)
	everything := s.Find(search.Request{Types: []string{"dataset"}}).Total
	for name, c := range map[string]struct {
		criterion catalog.Criterion
		want      int
	}{
		"equal":     {catalog.Criterion{Field: "orign", Value: "PROD"}, 0},
		"exists":    {catalog.Criterion{Field: "orign", Condition: "EXISTS"}, 0},
		"negated":   {catalog.Criterion{Field: "orign", Value: "PROD", Negated: true}, everything},
		"is null":   {catalog.Criterion{Field: "orign", Condition: "IS_NULL"}, everything},
		"not null":  {catalog.Criterion{Field: "orign", Condition: "IS_NULL", Negated: true}, 0},
		"no value":  {catalog.Criterion{Field: "orign"}, 0},
		"one known": {catalog.Criterion{Field: "origin", Value: "PROD"}, everything - 1},
	} {
		ctx, warnings := search.WithWarnings(context.Background())
		found, err := s.Search.Search(ctx, search.Request{Types: []string{"dataset"}, Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{c.criterion}}}}})
		if err != nil || found.Total != c.want {
			t.Errorf("%s: %+v %v, want %d of %d", name, found, err, c.want, everything)
		}
		wanted := []string{`the field "orign" is not searchable for dataset (did you mean origin?); it matches nothing`}
		if c.criterion.Field == "origin" {
			wanted = nil
		}
		if diff := cmp.Diff(wanted, warnings.Texts()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
