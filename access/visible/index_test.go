package visible_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// TestIndex compares the answers for piet with the answers of an index over a catalog that has only the
// entities that piet may see.
func TestIndex(t *testing.T) {
	for _, name := range chosenSets(t) {
		t.Run(name, func(t *testing.T) {
			s := see(t, things(testseed.Rand(t, 0), 12), policySets[name])
			s.compareIndex(t, s.lesser(t))
		})
	}
}

func (s *seen) compareIndex(t *testing.T, lesser *catalogtest.SearchHarness) {
	t.Helper()
	byURN := []indexer.Sort{{Field: indexer.FieldURN}}
	facets := []string{"owners", "tags", "domains", "container", "platform", indexer.FieldType}
	filters := map[string]indexer.Expr{
		"everything": nil,
		"a tag":      indexer.In{Field: "tags", Values: []string{"urn:li:tag:t0", "urn:li:tag:t1"}},
		"an owner":   indexer.In{Field: "owners", Values: []string{"urn:li:corpuser:u1"}},
		"no owner":   indexer.Not{Expr: indexer.In{Field: "owners", Values: []string{"urn:li:corpuser:u1"}}},
		"a domain":   indexer.Or{indexer.In{Field: "domains", Values: []string{"urn:li:domain:d1"}}, indexer.In{Field: indexer.FieldType, Values: []string{"tag"}}},
		"datasets":   indexer.In{Field: indexer.FieldType, Values: []string{"dataset"}},
		"some tag":   indexer.In{Field: "hasTags", Values: []string{"true", "false"}},
		"untagged":   indexer.Or{indexer.In{Field: "hasTags", Values: []string{"false"}}, indexer.Not{Expr: indexer.Exists{Field: "hasTags"}}},
		"tagged too": indexer.And{indexer.Exists{Field: "tags"}, indexer.Match{Field: "hasTags", Kind: indexer.Prefix, Texts: []string{"tr"}}},
		"some owner": indexer.Match{Field: "hasOwners", Kind: indexer.Same, Texts: []string{"TRUE"}},
		"no place":   indexer.Not{Expr: indexer.Or{indexer.Exists{Field: "domains"}, indexer.Exists{Field: "hasContainer"}}},
		"a source":   indexer.Not{Expr: indexer.In{Field: "hasUpstreams", Values: []string{"true"}}},
	}
	for _, filter := range slices.Sorted(maps.Keys(filters)) {
		ask := func(ctx context.Context, x indexer.Index) string {
			q := indexer.Query{Filter: filters[filter], Sort: byURN, Size: 5, Facets: facets, FacetSize: 20}
			page, err := x.Search(ctx, &q)
			if err != nil {
				t.Fatal(err)
			}
			many, err := x.SearchMany(ctx, []*indexer.Query{{Filter: filters[filter], Sort: byURN, From: 2, Size: 50}, {Filter: filters[filter], Facets: facets, FacetSize: 1}})
			if err != nil {
				t.Fatal(err)
			}
			hits, err := x.Suggest(ctx, &indexer.SuggestQuery{Tokens: []string{"x"}, Fields: []string{"name"}, Names: []string{"name"}, Filter: filters[filter], Size: 50})
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]bool{}
			for _, hit := range hits {
				names[hit.URN] = true
			}
			groups, err := x.Groups(ctx, &indexer.GroupQuery{Field: indexer.FieldAncestorsV2, Filter: filters[filter]})
			if err != nil {
				t.Fatal(err)
			}
			return text([]any{values(page), values(many[0].Result), len(many[1].Result.Facets), many[1].Result.Total, names, groups})
		}
		if got, want := ask(s.ctx, s.index), ask(context.Background(), lesser.Index); got != want {
			differ(t, filter, got, want)
		}
	}
}

// values returns a result without the values that depend on the time and the number of writes.
func values(r *indexer.Result) any {
	for i := range r.Hits {
		kept := map[string][]string{}
		for _, field := range []string{"urn", "owners", "tags", "domains", "container", "upstreams"} {
			if v := r.Hits[i].Values[field]; len(v) > 0 {
				kept[field] = v
			}
		}
		r.Hits[i].Values = kept
	}
	for i := range r.Facets {
		indexer.SortCounts(r.Facets[i].Counts)
	}
	return []any{r.Hits, r.Total, r.Facets}
}
