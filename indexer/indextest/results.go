package indextest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
)

// plainFacet counts the values of a field in the documents that match.
func plainFacet(docs []indexer.Document, filter indexer.Expr, field string) indexer.Facet {
	numbers := map[string]int{}
	for i := range docs {
		if indexer.Holds(filter, &docs[i]) {
			for _, value := range docs[i].Values[field] {
				numbers[value]++
			}
		}
	}
	f := indexer.Facet{Field: field}
	for value, n := range numbers {
		f.Counts = append(f.Counts, indexer.Count{Value: value, Docs: n})
	}
	indexer.SortCounts(f.Counts)
	return f
}

func checkFacets(t testing.TB, x indexer.Index, docs []indexer.Document, filter indexer.Expr) {
	t.Helper()
	fields := []string{"platform", "tags", indexer.FieldType, "structuredProperties.size", "structuredProperties.none"}
	const size = 5
	want := []indexer.Facet{}
	for _, field := range fields {
		if f := plainFacet(docs, filter, field); len(f.Counts) > 0 {
			want = append(want, f)
		}
	}
	r := search(t, x, indexer.Query{Filter: filter, Facets: fields, FacetSize: size})
	if len(r.Facets) != len(want) {
		t.Errorf("%+v: facets %+v, want %+v", filter, r.Facets, want)
		return
	}
	for i, facet := range r.Facets {
		// Of equally frequent values, any may be the last.
		expected := want[i].Counts[:min(size, len(want[i].Counts))]
		same := facet.Field == want[i].Field && len(facet.Counts) == len(expected)
		for k, c := range facet.Counts {
			same = same && c.Docs == expected[k].Docs && slices.Contains(want[i].Counts, c)
		}
		if !same || !slices.IsSortedFunc(facet.Counts, func(a, b indexer.Count) int {
			return cmp.Or(cmp.Compare(b.Docs, a.Docs), cmp.Compare(a.Value, b.Value))
		}) {
			t.Errorf("%+v: facet %+v, want %+v", filter, facet, want[i])
		}
	}
}

func testFacets(t *testing.T, b Backend) {
	x, g := b.New(t), newGenerator(t)
	docs := make([]indexer.Document, 200)
	for i := range docs {
		docs[i] = g.document(i)
	}
	fill(t, x, docs...)
	for _, filter := range []indexer.Expr{
		nil,
		indexer.In{Field: indexer.FieldType, Values: []string{"chart"}},
		indexer.In{Field: indexer.FieldRemoved, Values: []string{"false"}},
		indexer.And{indexer.In{Field: indexer.FieldRemoved, Values: []string{"true"}}, indexer.In{Field: indexer.FieldType, Values: []string{"chart", "dataset", "unknown"}}},
		indexer.In{Field: "tags", Values: []string{g.pick()}},
		indexer.Not{Expr: indexer.In{Field: "platform", Values: []string{g.pick()}}},
		indexer.In{Field: indexer.FieldType, Values: []string{"unknown"}},
		indexer.Or{},
	} {
		checkFacets(t, x, docs, filter)
	}
}

func testFacetsFollowWrites(t *testing.T, b Backend) {
	x, g := b.New(t), newGenerator(t)
	docs := make([]indexer.Document, 60)
	for i := range docs {
		docs[i] = g.document(i)
	}
	fill(t, x, docs...)
	for range 5 {
		for range 8 {
			i := g.IntN(len(docs))
			urn := docs[i].URN
			docs[i] = g.document(i)
			docs[i].URN, docs[i].Values[indexer.FieldURN] = urn, []string{urn}
			fill(t, x, docs[i])
		}
		gone := g.IntN(len(docs))
		if err := x.Write(context.Background(), indexer.Batch{Delete: []string{docs[gone].URN}}); err != nil {
			t.Fatal(err)
		}
		docs = slices.Delete(docs, gone, gone+1)
		checkFacets(t, x, docs, nil)
		checkFacets(t, x, docs, indexer.In{Field: indexer.FieldRemoved, Values: []string{"false"}})
	}
}

// testText compares text queries with their definition: the document has every token as a
// word, or the last token as the beginning of a word.
func testText(t *testing.T, b Backend) {
	x := b.New(t)
	var docs []indexer.Document
	for i, words := range [][4]string{
		{"prod_db.fct_users_created", "", "who signed up", ""},
		{"prod_db.fct_users_deleted", "user_id created_at", "who left", ""},
		{"dimCustomerAddress", "street", "Where customers live", "customer address"},
		{"HTTPServerLog2024", "status", "one row a request, 2024 alone", ""},
		{"Größe", "Straße", "naïve café", ""},
		{"日本語テーブル", "", "東京 orders", ""},
		{"orders", "order_id", "categories and addresses", ""},
		{"заказы", "", "Таблица заказов", ""},
		{"a.b.c", "x y z", "-- !! ??", ""},
	} {
		d := doc(words[0], nil)
		for class, text := range words {
			if indexer.TextClass(class) != indexer.TextName && text != "" {
				d.Text[class] = []string{strings.Join(indexer.IndexTokens(text), " ")}
			}
		}
		d.Text[indexer.TextMinor] = append(d.Text[indexer.TextMinor], strings.Join(indexer.IndexTokens(words[0]), " "))
		d.Weight = 1 / float64(i+1)
		docs = append(docs, d)
	}
	fill(t, x, docs...)
	for _, query := range []string{
		"users", "user", "USERS created", "created users", "fct_users_created", "prod_db.fct_users_created", "prodDb", "fct us", "fct cre", "cre fct", "customer", "dim customer address",
		"dimCustomerAddress", "dimcustomeraddress", "customeraddress", "http", "httpserver", "log2024", "2024", "20", "grosse", "große", "GROSSE", "strasse", "Straße", "naive", "cafe", "café",
		"日本", "日", "京", "order", "orders", "category", "addresses", "address", "заказ", "Заказы", "a.b", "b", "x z", "nothing", "users nothing", "or", "status", "statu", "not:a:field", "sign*",
	} {
		q := text(query)
		var want []indexer.Document
		for i := range docs {
			if textHolds(q, &docs[i]) {
				want = append(want, docs[i])
			}
		}
		if diff := gocmp.Diff(urnsOf(want), all(t, x, indexer.Query{Text: q})); diff != "" {
			t.Errorf("%q, tokens %q (-scan +index):\n%s", query, q.Tokens, diff)
		}
	}
	filtered := indexer.Query{Text: text("created"), Filter: indexer.Match{Field: "name", Kind: indexer.Suffix, Texts: []string{"_created"}}}
	if got := all(t, x, filtered); len(got) != 1 {
		t.Errorf("text and filter together find %v", got)
	}
}

func textHolds(q indexer.Text, d *indexer.Document) bool {
	var words []string
	for _, texts := range d.Text {
		for _, text := range texts {
			words = append(words, strings.Fields(text)...)
		}
	}
	for i, token := range q.Tokens {
		last := q.Prefix && i == len(q.Tokens)-1
		if !slices.ContainsFunc(words, func(word string) bool { return word == token || last && strings.HasPrefix(word, token) }) {
			return false
		}
	}
	return true
}

// testFirstHits: obvious queries have the obvious first hit.
func testFirstHits(t *testing.T, b Backend) {
	x := b.New(t)
	var docs []indexer.Document
	add := func(name, body string) {
		d := doc(name, nil)
		if body != "" {
			d.Text[indexer.TextBody] = []string{indexer.Normalize(body)}
		}
		docs = append(docs, d)
	}
	for i := range 50 {
		add(fmt.Sprintf("archive.orders_archive_%d", i), "orders of a former year, orders and orders")
		add(fmt.Sprintf("misc.table_%d", i), "made from orders and customers")
	}
	add("orders", "")
	add("customers", "")
	add("fct_orders_daily", "")
	add("orders_daily_fct_copy_old", "fct orders daily fct orders daily")
	fill(t, x, docs...)
	for query, want := range map[string]string{
		"orders": "orders", "order": "orders", "customers": "customers", "fct_orders_daily": "fct_orders_daily", "FCT orders daily": "fct_orders_daily",
		"archive.orders_archive_7": "archive.orders_archive_7", "misc.table_33": "misc.table_33",
	} {
		r := search(t, x, indexer.Query{Text: text(query), Size: 3})
		if len(r.Hits) == 0 || names(r.Hits)[0] != want {
			t.Errorf("%q finds %q first, want %q", query, names(r.Hits), want)
		}
	}
}

func testPaging(t *testing.T, b Backend) {
	x := b.New(t)
	var docs []indexer.Document
	for i := range 57 {
		docs = append(docs, doc(fmt.Sprintf("page.t%02d", i), map[string][]string{"tags": {fmt.Sprint(i % 2)}}))
	}
	fill(t, x, docs...)
	for _, q := range []indexer.Query{{}, {Text: text("page")}, {Filter: indexer.In{Field: "tags", Values: []string{"1"}}}, {Sort: []indexer.Sort{{Field: "name", Descending: true}}}} {
		q.Size = 1000
		whole := search(t, x, q)
		for _, page := range [][2]int{{0, 10}, {10, 10}, {5, 7}, {13, 20}, {50, 10}, {56, 5}, {57, 5}, {1000, 5}, {0, 0}, {3, 1}} {
			q.From, q.Size = page[0], page[1]
			r := search(t, x, q)
			want := whole.Hits[min(page[0], len(whole.Hits)):min(page[0]+page[1], len(whole.Hits))]
			if diff := gocmp.Diff(names(want), names(r.Hits)); diff != "" || r.Total != whole.Total {
				t.Errorf("%+v: total %d of %d (-whole +page):\n%s", q, r.Total, whole.Total, diff)
			}
		}
	}
}

// testManyPages reads more pages than engines like to reach by position.
func testManyPages(t *testing.T, b Backend) {
	x := b.New(t)
	docs := make([]indexer.Document, b.Many)
	for i := range docs {
		docs[i] = doc(fmt.Sprintf("many.t%06d", i), map[string][]string{"platform": {fmt.Sprint(i % 10)}})
		docs[i].Numbers = map[string]int64{"rows": int64(i)}
	}
	fill(t, x, docs...)
	from := int64(100)
	for _, q := range []indexer.Query{{}, {Text: text("many")}, {Filter: indexer.Range{Field: "rows", From: &from}}, {Filter: indexer.In{Field: "platform", Values: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}}}} {
		seen := map[string]bool{}
		q.Size, q.Scroll = 1000, true
		for {
			r := search(t, x, q)
			for _, hit := range r.Hits {
				if seen[hit.URN] {
					t.Fatalf("%s twice", hit.URN)
				}
				seen[hit.URN] = true
			}
			if q.After = r.Next; q.After == "" {
				if len(seen) != r.Total {
					t.Errorf("scrolling found %d of %d", len(seen), r.Total)
				}
				break
			}
		}
		// The last page, selected by its position.
		r := search(t, x, indexer.Query{Text: q.Text, Filter: q.Filter, From: len(seen) - 15, Size: 30})
		if len(r.Hits) != 15 || r.Total != len(seen) {
			t.Errorf("the last page holds %d hits of %d", len(r.Hits), r.Total)
		}
	}
	r := search(t, x, indexer.Query{Size: 10_000})
	if want := min(10_000, b.Many); len(r.Hits) != want {
		t.Errorf("a page of 10000 holds %d, want %d", len(r.Hits), want)
	}
}

func testSort(t *testing.T, b Backend) {
	x := b.New(t)
	var docs []indexer.Document
	for i, name := range []string{"b", "a", "B", "é", "ab", "", "z"} {
		d := doc(fmt.Sprintf("sort%d", i), nil)
		if name == "" {
			delete(d.Values, "name")
			d.SortKeys = []string{indexer.FieldURN}
		} else {
			d.Values["name"] = []string{name}
			n := int64(100 - 30*i)
			d.Numbers = map[string]int64{"rows": n}
			d.Values["rows"] = []string{fmt.Sprint(n)}
		}
		docs = append(docs, d)
	}
	fill(t, x, docs...)
	for _, c := range []struct {
		sort indexer.Sort
		want []string
	}{
		{indexer.Sort{Field: "name"}, []string{"B", "a", "ab", "b", "z", "é", ""}},
		{indexer.Sort{Field: "name", Descending: true}, []string{"é", "z", "b", "ab", "a", "B", ""}},
		{indexer.Sort{Field: "rows", Numeric: true}, []string{"z", "ab", "é", "B", "a", "b", ""}},
		{indexer.Sort{Field: "rows", Numeric: true, Descending: true}, []string{"b", "a", "B", "é", "ab", "z", ""}},
		{indexer.Sort{Field: indexer.FieldURN, Descending: true}, []string{"z", "", "ab", "é", "B", "a", "b"}},
	} {
		r := search(t, x, indexer.Query{Sort: []indexer.Sort{c.sort}, Size: 10})
		if diff := gocmp.Diff(c.want, names(r.Hits)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.sort, diff)
		}
	}
}

func testSuggest(t *testing.T, b Backend) {
	x := b.New(t)
	var docs []indexer.Document
	for _, name := range []string{"fct_users_created", "fct_users_deleted", "dim_users", "usersFct", "shop.Orders", "Straßen"} {
		docs = append(docs, doc(name, map[string][]string{"platform": {name[:1]}}))
	}
	gone := doc("fct_users_removed", nil)
	gone.Removed, gone.Values[indexer.FieldRemoved] = true, []string{"true"}
	fill(t, x, append(docs, gone)...)
	active := indexer.In{Field: indexer.FieldRemoved, Values: []string{"false"}}
	for _, c := range []struct {
		query  string
		filter indexer.Expr
		want   []string
	}{
		{"fct_us", active, []string{"fct_users_created", "fct_users_deleted", "usersFct"}},
		{"users c", active, []string{"fct_users_created"}},
		{"us", nil, []string{"dim_users", "fct_users_created", "fct_users_deleted", "fct_users_removed", "usersFct"}},
		{"created fct", active, []string{"fct_users_created"}},
		{"ORD", active, []string{"shop.Orders"}},
		{"stras", active, []string{"Straßen"}},
		{"us", indexer.And{active, indexer.In{Field: "platform", Values: []string{"d"}}}, []string{"dim_users"}},
		{"nothing", active, []string{}},
	} {
		hits, err := x.Suggest(context.Background(), &indexer.SuggestQuery{Tokens: indexer.Tokens(c.query), Fields: []string{"name"}, Filter: c.filter, Size: 10})
		if err != nil {
			t.Fatal(err)
		}
		got := names(hits)
		slices.Sort(got)
		if diff := gocmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.query, diff)
		}
	}
	hits, err := x.Suggest(context.Background(), &indexer.SuggestQuery{Tokens: []string{"us"}, Fields: []string{"name"}, Size: 2})
	if err != nil || len(hits) != 2 {
		t.Errorf("two of many: %v, %v", names(hits), err)
	}
}

func testGroups(t *testing.T, b Backend) {
	x := b.New(t)
	var docs []indexer.Document
	for i, paths := range [][]string{
		{"/prod/hive/sales"}, {"/prod/hive/sales"}, {"/prod/hive"}, {"/prod/kafka", "/shared"}, {"/dev/hive/a b"}, {""}, {"/prod/hive/sales/eu"}, {"/prod/hive/sales2"}, {"/Prod/x"},
	} {
		d := doc(fmt.Sprintf("g%d", i), map[string][]string{indexer.FieldPaths: paths})
		if i == 1 {
			d.Removed, d.Values[indexer.FieldRemoved] = true, []string{"true"}
		}
		docs = append(docs, d)
	}
	docs[0].Values[indexer.FieldAncestorsV2] = []string{"␟a/b", "␟a/b␟c"}
	docs[2].Values[indexer.FieldAncestorsV2] = []string{"␟a/b"}
	docs[0].Values["owners"] = []string{"urn:li:corpuser:ada"}
	docs[0].Facets = append(docs[0].Facets, "owners")
	fill(t, x, docs...)
	active := indexer.In{Field: indexer.FieldRemoved, Values: []string{"false"}}
	named := indexer.And{active, indexer.In{Field: "name", Values: []string{"g0", "g4"}}}
	owned := indexer.And{active, indexer.In{Field: "owners", Values: []string{"urn:li:corpuser:ada"}}}
	for _, c := range []struct {
		query indexer.GroupQuery
		want  []indexer.Group
	}{
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Filter: owned}, []indexer.Group{{Path: "/prod", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/prod/hive", Filter: owned, Below: true}, []indexer.Group{{Path: "/prod/hive/sales", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Filter: active}, []indexer.Group{{Path: "/Prod", Docs: 1}, {Path: "/dev", Docs: 1}, {Path: "/prod", Docs: 5}, {Path: "/shared", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/prod"}, []indexer.Group{{Path: "/prod/hive", Docs: 5}, {Path: "/prod/kafka", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/prod/hive", Filter: active}, []indexer.Group{{Path: "/prod/hive/sales", Docs: 2}, {Path: "/prod/hive/sales2", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/prod/hive", Filter: named}, []indexer.Group{{Path: "/prod/hive/sales", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/dev/hive"}, []indexer.Group{{Path: "/dev/hive/a b", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/nowhere"}, []indexer.Group{}},
		{indexer.GroupQuery{Field: indexer.FieldAncestorsV2}, []indexer.Group{{Path: "␟a/b", Docs: 2}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestorsV2, Path: "␟a/b"}, []indexer.Group{{Path: "␟a/b␟c", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestorsV2, Below: true}, []indexer.Group{{Path: "␟a/b", Docs: 2, Below: true}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestorsV2, Path: "␟a/b", Below: true}, []indexer.Group{{Path: "␟a/b␟c", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/prod", Below: true}, []indexer.Group{{Path: "/prod/hive", Docs: 5, Below: true}, {Path: "/prod/kafka", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/prod/hive", Below: true}, []indexer.Group{{Path: "/prod/hive/sales", Docs: 3, Below: true}, {Path: "/prod/hive/sales2", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/prod/hive", Filter: named, Below: true}, []indexer.Group{{Path: "/prod/hive/sales", Docs: 1}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Filter: named, Below: true}, []indexer.Group{{Path: "/dev", Docs: 1, Below: true}, {Path: "/prod", Docs: 1, Below: true}}},
		{indexer.GroupQuery{Field: indexer.FieldAncestors, Path: "/nowhere", Below: true}, []indexer.Group{}},
	} {
		got, err := x.Groups(context.Background(), &c.query)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.query, diff)
		}
	}
}
