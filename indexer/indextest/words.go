package indextest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// testRepeatedWords: documents that contain words more than once, in one text and in
// several, are found by every word that they have, and by no word that they have lost,
// however often they are replaced.
func testRepeatedWords(t *testing.T, b Backend) {
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, 2))
	x := b.New(t)
	words := make([]string, 14)
	for i := range words {
		words[i] = fmt.Sprintf("w%c", 'a'+i)
	}
	text := func() string {
		var list []string
		for range random.IntN(7) {
			list = append(list, words[random.IntN(len(words))])
		}
		return strings.Join(list, " ")
	}
	docs := map[string]indexer.Document{}
	for range 40 {
		var batch indexer.Batch
		for n := range 1 + random.IntN(4) {
			d := doc(fmt.Sprintf("%d", n*3+random.IntN(3)), nil)
			urn := d.URN
			d = indexer.Document{URN: urn, Type: "dataset", Weight: 1, Values: map[string][]string{}, Completions: map[string][]string{}}
			d = finish(d, strings.ReplaceAll(text(), " ", "_"))
			d.URN = urn
			for class := range d.Text {
				d.Text[class] = append(d.Text[class], text(), text())
			}
			docs[urn] = d
			batch.Put = append(batch.Put, d)
		}
		if err := x.Write(context.Background(), batch); err != nil {
			t.Fatal(err)
		}
		for _, word := range words {
			checkWord(t, x, docs, word)
		}
		if t.Failed() {
			return
		}
	}
}

// checkWord compares the hits and the completions of one word with a scan.
func checkWord(t *testing.T, x indexer.Index, docs map[string]indexer.Document, word string) {
	t.Helper()
	q := indexer.Text{Tokens: []string{word}}
	want, completed := []string{}, []string{}
	for urn, d := range docs {
		if textHolds(q, &d) {
			want = append(want, urn)
		}
		if slices.ContainsFunc(d.Completions["name"], func(name string) bool { return slices.Contains(indexer.IndexTokens(name), word) }) {
			completed = append(completed, urn)
		}
	}
	slices.Sort(want)
	slices.Sort(completed)
	if diff := gocmp.Diff(want, sortedURNs(all(t, x, indexer.Query{Text: q}))); diff != "" {
		t.Errorf("%q (-scan +index):\n%s", word, diff)
	}
	hits, err := x.Suggest(context.Background(), &indexer.SuggestQuery{Tokens: []string{word}, Fields: []string{"name"}, Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, hit := range hits {
		got = append(got, hit.URN)
	}
	if diff := gocmp.Diff(completed, sortedURNs(got)); diff != "" {
		t.Errorf("completions of %q (-scan +index):\n%s", word, diff)
	}
}

func sortedURNs(urns []string) []string {
	urns = append([]string{}, urns...)
	slices.Sort(urns)
	return urns
}

// testTyping: every beginning of every word of a name finds the document, alone and after
// the words before it, in searches and in suggestions. This also holds for words with the
// same beginning and for plurals.
func testTyping(t *testing.T, b Backend) {
	x := b.New(t)
	names := []string{
		"zoo.symptom_search.symptom_country", "zoo.symptom_search.sym", "hr.salaries", "hr.salary", "geo.seriesofcountries", "ebfab24", "a1b2c34d",
		"addresses", "boxesAndClasses", "analytics_daily", "HTTPServerLog2024", "ordersorders.orders", "Größen", "日本語", "status_of_busses",
	}
	docs := make([]indexer.Document, len(names))
	for i, name := range names {
		docs[i] = doc(name, nil)
	}
	fill(t, x, docs...)
	for i, name := range names {
		for end := range name {
			if end == 0 || strings.ContainsRune("._", rune(name[end-1])) {
				continue
			}
			checkTyped(t, x, docs[i].URN, name[:end])
			if start := strings.LastIndexAny(name[:end], "._") + 1; start > 0 && start < end {
				checkTyped(t, x, docs[i].URN, name[start:end])
			}
		}
		checkTyped(t, x, docs[i].URN, name)
	}
}

func checkTyped(t *testing.T, x indexer.Index, urn, typed string) {
	t.Helper()
	q := text(typed)
	if len(q.Tokens) == 0 {
		return
	}
	if !slices.Contains(all(t, x, indexer.Query{Text: q}), urn) {
		t.Errorf("typing %q (tokens %q) does not find %s", typed, q.Tokens, urn)
	}
	hits, err := x.Suggest(context.Background(), &indexer.SuggestQuery{Tokens: q.Tokens, Fields: []string{"name"}, Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(hits, func(h indexer.Hit) bool { return h.URN == urn }) {
		t.Errorf("typing %q (tokens %q) does not suggest %s", typed, q.Tokens, urn)
	}
}

// testWords: conditions on words find the same documents as a scan, also negated, as alternatives,
// and after documents were replaced.
func testWords(t *testing.T, b Backend) {
	x := b.New(t)
	docs := []indexer.Document{
		worded("a", "orders_daily", "All orders of a day, daily", "order_id", "customer_id"),
		worded("b", "dailyOrders", "Refunds", "order_date"),
		worded("c", "refunds", "Daily numbers of orders", "zooId", "category"),
		worded("d", "größe", "日本語 categories", "ORDER"),
		worded("e", "x", "", "customer", "order_customer_id"),
	}
	fill(t, x, docs...)
	anywhere := func(tokens ...string) indexer.Words { return indexer.Words{Tokens: tokens} }
	begun := func(tokens ...string) indexer.Words { return indexer.Words{Tokens: tokens, Prefix: true} }
	in := func(w indexer.Words, fields ...string) indexer.Words { w.Fields, w.InText = fields, true; return w }
	phrase := func(w indexer.Words, fields ...string) indexer.Words { w = in(w, fields...); w.Phrase = true; return w }
	for _, c := range []struct {
		condition indexer.Expr
		want      string
	}{
		{anywhere("order"), "a b c d e"},
		{anywhere("order", "daily"), "a b c"},
		{anywhere("ord"), ""},
		{begun("ord"), "a b c d e"},
		{begun("daily", "ref"), "b c"},
		{begun("z"), "c"},
		{begun("q065e5"), "d"},
		{indexer.Or{anywhere("refund"), anywhere("zoo"), anywhere("x")}, "b c e"},
		{indexer.Not{Expr: anywhere("refund")}, "a d e"},
		{indexer.Not{Expr: indexer.And{anywhere("refund"), begun("zo")}}, "a b d e"},
		{indexer.And{indexer.Or{anywhere("refund"), anywhere("grosse")}, indexer.Not{Expr: anywhere("category")}}, "b"},
		{in(anywhere("order"), "columns"), "a b d e"},
		{in(anywhere("id"), "columns"), "a c e"},
		{in(anywhere("order", "id"), "columns"), "a e"},
		{in(begun("cust"), "columns"), "a e"},
		{in(begun("order", "da"), "columns"), "b"},
		{in(begun("order", "da"), "columns", "description"), "a b c"},
		{indexer.Not{Expr: in(begun("cat"), "description")}, "a b c e"},
		{phrase(anywhere("order", "daily"), "name", "description", "columns"), "a"},
		{phrase(anywhere("daily", "order"), "name", "description", "columns"), "b"},
		{phrase(anywhere("order", "id"), "columns"), "a"},
		{phrase(anywhere("customer", "id"), "columns"), "a e"},
		{phrase(begun("order", "cust"), "columns"), "e"},
		{phrase(anywhere("daily"), "description"), "a c"},
		{phrase(anywhere("orderdate"), "columns"), ""},
		{phrase(anywhere("zooid"), "columns"), "c"},
		{in(anywhere("nothing"), "columns", "absent"), ""},
	} {
		checkWords(t, x, docs, c.condition, c.want)
	}
	named := search(t, x, indexer.Query{
		Filter: indexer.Or{anywhere("refund"), anywhere("x")}, Size: 10,
		Text: indexer.Text{Also: []indexer.Word{{Token: "refund"}, {Token: "x"}}},
	})
	if got := names(named.Hits); len(got) != 3 || got[2] != "dailyOrders" {
		t.Errorf("%q come in this order, but the others have a word in the name", got)
	}
	docs[1] = worded("b", "cancelled", "", "order_id")
	fill(t, x, docs[1])
	checkWords(t, x, docs, anywhere("refund"), "c")
	checkWords(t, x, docs, begun("canc"), "b")
	checkWords(t, x, docs, phrase(anywhere("order", "id"), "columns"), "a b")
}

// worded makes a document with a description and columns. Its text has their words.
func worded(id, name, description string, columns ...string) indexer.Document {
	d := doc(id, map[string][]string{"columns": columns})
	d = finish(indexer.Document{URN: d.URN, Type: "dataset", Weight: 1, Values: map[string][]string{"columns": columns}}, name)
	if description != "" {
		d.Values["description"] = []string{description}
	}
	for _, text := range append(columns, description) {
		d.Text[indexer.TextBody] = append(d.Text[indexer.TextBody], strings.Join(indexer.IndexTokens(text), " "))
	}
	return d
}

// checkWords compares the documents that a condition finds with a scan and with the
// expected ids.
func checkWords(t *testing.T, x indexer.Index, docs []indexer.Document, e indexer.Expr, want string) {
	t.Helper()
	if !check(t, x, docs, e) {
		return
	}
	var ids []string
	for _, urn := range all(t, x, indexer.Query{Filter: e}) {
		ids = append(ids, strings.Split(urn, ",")[1])
	}
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("%+v finds %q, want %q", e, got, want)
	}
}
