package indextest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
)

// testSearchMany: many queries together get the answers that each gets alone. A query that
// cannot be answered does not affect the others.
func testSearchMany(t *testing.T, b Backend) {
	x, g, ctx := b.New(t), newGenerator(t), context.Background()
	docs := make([]indexer.Document, 600)
	for i := range docs {
		docs[i] = g.document(i)
		if i%9 == 0 {
			docs[i] = doc(fmt.Sprintf("orders.part%d", i), map[string][]string{"platform": {"hive"}, "tags": {strings.Repeat("long", 100) + fmt.Sprint(i%2)}})
		}
	}
	fill(t, x, docs...)
	facets := []string{"platform", "tags", indexer.FieldType}
	orders := text("orders par")
	misspelt := text("oders")
	misspelt.Typos = true
	queries := []*indexer.Query{
		{}, // only the number of hits is wanted
		{Size: 600, From: 3},
		{Size: 520, Scroll: true},
		{Size: 300, From: 299, Sort: []indexer.Sort{{Field: indexer.FieldURN, Descending: true}}},
		{Size: 7, Scroll: true, Sort: []indexer.Sort{{Field: "name"}}},
		{Size: 5, Text: orders, Facets: facets, FacetSize: 1000},
		{Size: 5, Text: text("orders part9"), Facets: facets, FacetSize: 1000, Plain: true},
		{Size: 5, Text: misspelt, Facets: facets, FacetSize: 1000},
		{Size: 5, Text: misspelt, Scroll: true},
		{Size: 5, Filter: indexer.Or{}},
	}
	first := search(t, x, indexer.Query{Size: 5, Scroll: true})
	queries = append(queries, &indexer.Query{Size: 9, Scroll: true, After: first.Next, Facets: facets, FacetSize: 1000})
	for len(queries) < 100 {
		queries = append(queries, &indexer.Query{Filter: g.condition(2), Size: g.IntN(12), From: g.IntN(3), Facets: facets, FacetSize: 1000})
	}
	checkMany(t, x, queries)

	bad := &indexer.Query{Size: 1, Scroll: true, After: "%%%"}
	answers := checkMany(t, x, []*indexer.Query{queries[5], bad, queries[1], bad})
	for _, i := range []int{1, 3} {
		if !errors.Is(answers[i].Err, indexer.ErrBadToken) || answers[i].Result != nil {
			t.Errorf("a bad token among others: %+v, %v", answers[i].Result, answers[i].Err)
		}
	}
	if answers := checkMany(t, x, nil); len(answers) != 0 {
		t.Errorf("nothing asked: %+v", answers)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if answers, err := x.SearchMany(cancelled, queries); err == nil || answers != nil {
		t.Errorf("cancelled: %d answers, %v", len(answers), err)
	}
}

// checkMany compares the answers to all queries together with the answer to each query
// alone.
func checkMany(t *testing.T, x indexer.Index, queries []*indexer.Query) []indexer.Answer {
	t.Helper()
	answers, err := x.SearchMany(context.Background(), queries)
	if err != nil || len(answers) != len(queries) {
		t.Fatalf("%d answers to %d queries: %v", len(answers), len(queries), err)
	}
	for i, q := range queries {
		alone, err := x.Search(context.Background(), q)
		if (err == nil) != (answers[i].Err == nil) {
			t.Errorf("%+v: %v, alone %v", q, answers[i].Err, err)
			continue
		}
		if diff := gocmp.Diff(alone, answers[i].Result); err == nil && diff != "" {
			t.Errorf("%+v (-alone +together):\n%s", q, diff)
		}
	}
	return answers
}
