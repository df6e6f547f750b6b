// Package indextest is the conformance suite of search indexes. It tests the duties of
// every backend, regardless of its engine.
package indextest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/indexer"
)

// Backend makes indexes for the suite.
type Backend struct {
	// New returns an empty index that the test alone uses.
	New func(t testing.TB) indexer.Index
	// Reopen closes an index and opens it again with its data.
	Reopen func(t testing.TB, x indexer.Index) indexer.Index
	// Refuse makes the engine refuse documents of these URNs until allow is called. If
	// Refuse is nil, the suite leaves out the case of refused documents.
	Refuse func(t testing.TB, x indexer.Index, urns ...string) (allow func())
	// Many is the number of documents in the case with many documents.
	Many int
	// Rounds is the number of random conditions.
	Rounds int
}

// Run runs the suite.
func Run(t *testing.T, b Backend) {
	cases := []struct {
		name string
		run  func(*testing.T, Backend)
	}{
		{"Empty", testEmpty},
		{"PutReplaceDelete", testPutReplaceDelete},
		{"Cursor", testCursor},
		{"Exact", testExact},
		{"LongValues", testLongValues},
		{"TypesWithValues", testTypesWithValues},
		{"RandomConditions", testRandomConditions},
		{"Facets", testFacets},
		{"FacetsFollowWrites", testFacetsFollowWrites},
		{"Text", testText},
		{"RepeatedWords", testRepeatedWords},
		{"Typing", testTyping},
		{"Typos", testTypos},
		{"TyposOfRandomWords", testTyposOfRandomWords},
		{"Words", testWords},
		{"WithoutClasses", testWithoutClasses},
		{"OrderWithoutClasses", testOrderWithoutClasses},
		{"FirstHits", testFirstHits},
		{"Paging", testPaging},
		{"ManyPages", testManyPages},
		{"SearchMany", testSearchMany},
		{"Sort", testSort},
		{"Suggest", testSuggest},
		{"Groups", testGroups},
		{"Values", testValues},
		{"Refused", testRefused},
		{"Rebuild", testRebuild},
		{"Abandon", testAbandon},
		{"Concurrent", testConcurrent},
		{"BadToken", testBadToken},
		{"Closed", testClosed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, b) })
	}
}

// doc makes a document with a name, as the projection would.
func doc(name string, values map[string][]string) indexer.Document {
	urn := "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)"
	return finish(indexer.Document{URN: urn, Type: "dataset", Weight: 1, Values: values}, name)
}

// finish adds the fields that every document has.
func finish(d indexer.Document, name string) indexer.Document {
	if d.Values == nil {
		d.Values = map[string][]string{}
	}
	d.Values[indexer.FieldURN] = []string{d.URN}
	d.Values[indexer.FieldType] = []string{d.Type}
	d.Values[indexer.FieldRemoved] = []string{fmt.Sprint(d.Removed)}
	d.Values["name"] = []string{name}
	if n := indexer.Normalize(name); n != "" {
		d.Values[indexer.FieldName] = []string{n}
		d.Text[indexer.TextName] = []string{n}
	}
	if whole := indexer.IndexTokens(name)[len(indexer.Tokens(name)):]; len(whole) > 0 {
		d.Text[indexer.TextMinor] = append(d.Text[indexer.TextMinor], strings.Join(whole, " "))
	}
	d.Completions = map[string][]string{"name": {name}}
	d.SortKeys = []string{indexer.FieldURN, "name"}
	d.Facets = append(d.Facets, indexer.FieldType, "platform", "tags", "structuredProperties.size")
	d.Facets = slices.DeleteFunc(d.Facets, func(f string) bool { return len(d.Values[f]) == 0 })
	for _, path := range d.Values[indexer.FieldPaths] {
		for _, ancestor := range indexer.Ancestors(path, "/") {
			if !slices.Contains(d.Values[indexer.FieldAncestors], ancestor) {
				d.Values[indexer.FieldAncestors] = append(d.Values[indexer.FieldAncestors], ancestor)
			}
		}
	}
	return d
}

func fill(t testing.TB, x indexer.Index, docs ...indexer.Document) {
	t.Helper()
	for chunk := range slices.Chunk(docs, 1000) {
		if err := x.Write(context.Background(), indexer.Batch{Put: chunk}); err != nil {
			t.Fatal(err)
		}
	}
}

func search(t testing.TB, x indexer.Index, q indexer.Query) *indexer.Result {
	t.Helper()
	r, err := x.Search(context.Background(), &q)
	if err != nil {
		t.Fatalf("search %+v: %v", q, err)
	}
	return r
}

// all returns the URNs of all documents that a query finds, in order, and checks the total.
func all(t testing.TB, x indexer.Index, q indexer.Query) []string {
	t.Helper()
	q.Size, q.Scroll = 100, true
	urns := []string{}
	for {
		r := search(t, x, q)
		for _, hit := range r.Hits {
			urns = append(urns, hit.URN)
		}
		if r.Next == "" {
			slices.Sort(urns)
			if r.Total != len(urns) || len(slices.Compact(slices.Clone(urns))) != len(urns) {
				t.Errorf("total %d, but the pages hold %d, %d of them different", r.Total, len(urns), len(slices.Compact(slices.Clone(urns))))
			}
			return urns
		}
		q.After = r.Next
	}
}

func urnsOf(docs []indexer.Document) []string {
	urns := make([]string, len(docs))
	for i := range docs {
		urns[i] = docs[i].URN
	}
	slices.Sort(urns)
	return urns
}

func names(hits []indexer.Hit) []string {
	found := make([]string, len(hits))
	for i, hit := range hits {
		if len(hit.Values["name"]) > 0 {
			found[i] = hit.Values["name"][0]
		}
	}
	return found
}

// text makes a text query as the room search does.
func text(query string) indexer.Text {
	return indexer.Text{Tokens: indexer.Tokens(query), Prefix: true, Name: indexer.Normalize(query)}
}

func testEmpty(t *testing.T, b Backend) {
	x := b.New(t)
	for _, q := range []indexer.Query{
		{Size: 10},
		{Size: 10, Text: text("orders")},
		{Size: 10, Filter: indexer.In{Field: "nothing", Values: []string{"has it"}}, Facets: []string{"platform"}, FacetSize: 10},
		{Size: 10, Filter: indexer.Not{Expr: indexer.Exists{Field: "nothing"}}},
		{Size: 10, Sort: []indexer.Sort{{Field: "name"}}},
	} {
		if r := search(t, x, q); r.Total != 0 || len(r.Hits) != 0 || len(r.Facets) != 0 {
			t.Errorf("%+v finds %+v in an empty index", q, r)
		}
	}
	hits, err := x.Suggest(context.Background(), &indexer.SuggestQuery{Tokens: []string{"or"}, Fields: []string{"name"}, Size: 5})
	if err != nil || len(hits) != 0 {
		t.Errorf("suggests %v, %v", hits, err)
	}
	groups, err := x.Groups(context.Background(), &indexer.GroupQuery{Field: indexer.FieldAncestors})
	if err != nil || len(groups) != 0 {
		t.Errorf("groups %v, %v", groups, err)
	}
	if err := x.Ping(context.Background()); err != nil {
		t.Error(err)
	}
}

func testPutReplaceDelete(t *testing.T, b Backend) {
	x, ctx := b.New(t), context.Background()
	first := doc("shop.orders", map[string][]string{"platform": {"hive"}, "tags": {"a", "b"}})
	fill(t, x, first, doc("shop.items", map[string][]string{"platform": {"hive"}}))
	fill(t, x, first) // the same documents a second time
	if got := all(t, x, indexer.Query{}); len(got) != 2 {
		t.Fatalf("finds %v", got)
	}
	next := doc("shop.orders", map[string][]string{"platform": {"kafka"}, "tags": {"b", "c"}})
	next.Text[indexer.TextBody] = []string{"fresh"}
	fill(t, x, next)
	for value, want := range map[string]int{"a": 0, "b": 1, "c": 1} {
		if got := all(t, x, indexer.Query{Filter: indexer.In{Field: "tags", Values: []string{value}}}); len(got) != want {
			t.Errorf("tag %s is on %v", value, got)
		}
	}
	if r := search(t, x, indexer.Query{Size: 5, Text: text("fresh")}); len(r.Hits) != 1 || r.Hits[0].Values["platform"][0] != "kafka" || r.Hits[0].Type != "dataset" {
		t.Errorf("the new text finds %+v", r.Hits)
	}
	for range 2 { // in the second round the document is already deleted
		if err := x.Write(ctx, indexer.Batch{Delete: []string{next.URN, "urn:li:dataset:unknown"}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := all(t, x, indexer.Query{}); len(got) != 1 {
		t.Errorf("after the delete there are %v", got)
	}
	if r := search(t, x, indexer.Query{Size: 5, Text: text("fresh")}); r.Total != 0 {
		t.Errorf("the text of what was deleted finds %+v", r.Hits)
	}
}

func testCursor(t *testing.T, b Backend) {
	x, ctx := b.New(t), context.Background()
	expect := func(want string) {
		t.Helper()
		if got, err := x.Cursor(ctx); err != nil || got != want {
			t.Errorf("cursor %q, %v, want %q", got, err, want)
		}
	}
	expect("")
	if err := x.Write(ctx, indexer.Batch{Put: []indexer.Document{doc("a", nil)}, Cursor: "17"}); err != nil {
		t.Fatal(err)
	}
	fill(t, x, doc("b", nil)) // a batch without a cursor keeps the former cursor
	expect("17")
	if err := x.Write(ctx, indexer.Batch{Cursor: "a longer/one=="}); err != nil {
		t.Fatal(err)
	}
	x = b.Reopen(t, x)
	expect("a longer/one==")
	if got := all(t, x, indexer.Query{}); len(got) != 2 {
		t.Errorf("reopened, it holds %v", got)
	}
}
