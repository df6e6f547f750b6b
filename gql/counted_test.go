package gql_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// sized notes the sizes of the pages that an index is asked for.
type sized struct {
	indexer.Index
	sizes []int
}

func (s *sized) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	if q.Size != limits.MaxLifecycleStages { // each search reads the stages that hide entities
		s.sizes = append(s.sizes, q.Size)
	}
	return s.Index.Search(ctx, q)
}

func (s *sized) SearchMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	for _, q := range queries {
		s.sizes = append(s.sizes, q.Size)
	}
	return s.Index.SearchMany(ctx, queries)
}

// TestCountedOnly: a search of which a query shows no hit reads no hit, and has the same total and count.
func TestCountedOnly(t *testing.T) {
	index := &sized{}
	c := testcatalog.WrappedBoth(t, func(s graphstore.Store) graphstore.Store { return s }, func(x indexer.Index) indexer.Index {
		index.Index = x
		return index
	})
	for n := range 3 {
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,counted%d,PROD)", n)
		writeAspect(t, c, urn, "datasetProperties", fmt.Sprintf(`{"name":"counted%d"}`, n))
		writeAspect(t, c, urn, "domains", `{"domains":["urn:li:domain:d"]}`)
	}
	writeAspect(t, c, "urn:li:domain:d", "domainProperties", `{"name":"D"}`)
	h := gql.New(gql.Options{Catalog: c})
	const within = `domain(urn: "urn:li:domain:d") { entities(input: {query: "*", count: 2}) `
	for _, one := range []struct {
		query, want string
		size        int
	}{
		{`{ searchAcrossEntities(input: {types: [DATASET], query: "*", count: 2}) { count total } }`, `{"data":{"searchAcrossEntities":{"count":2,"total":3}},"extensions":{}}`, 0},
		{`{ searchAcrossEntities(input: {types: [DATASET], query: "*", count: 2}) { total searchResults { __typename } } }`, `{"data":{"searchAcrossEntities":{"total":3,"searchResults":[{"__typename":"SearchResult"},{"__typename":"SearchResult"}]}},"extensions":{}}`, 2},
		{`{ search(input: {type: DATASET, query: "counted1"}) { total } }`, `{"data":{"search":{"total":1}},"extensions":{}}`, 0},
		{`{ searchDocuments(input: {query: "*", count: 2}) { total } }`, `{"data":{"searchDocuments":{"total":0}},"extensions":{}}`, 0},
		{`{ searchDocuments(input: {query: "*", count: 2}) { documents { urn } } }`, `{"data":{"searchDocuments":{"documents":[]}},"extensions":{}}`, 2},
		{"{ " + within + `{ count total } } }`, `{"data":{"domain":{"entities":{"count":2,"total":3}}},"extensions":{}}`, 0},
		{"{ " + within + `{ searchResults { __typename } } } }`, `{"data":{"domain":{"entities":{"searchResults":[{"__typename":"SearchResult"},{"__typename":"SearchResult"}]}}},"extensions":{}}`, 2},
	} {
		index.sizes = nil
		if answer := ask(t, h, one.query, nil); answer != one.want {
			t.Errorf("%s\ngot  %s\nwant %s", one.query, answer, one.want)
		}
		if !slices.Equal(index.sizes, []int{one.size}) {
			t.Errorf("%s reads pages of %v, want one of %d", one.query, index.sizes, one.size)
		}
	}
}
