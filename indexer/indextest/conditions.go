package indextest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// nasty are values that engines are known to confuse with other values or with syntax.
var nasty = []string{
	"Orders", "orders", "ORDERS", "órders", "o r d e r s", "orders ", " orders", "orders.", "`orders`", "or`ders", "'orders'",
	`"orders"`, `or\ders`, `\`, "orders && x:=1", "(orders", "orders)", "[orders]", "a:b", "a::b", "a:=b", "a,b", "a, b", "*", "ord*", "?", "%",
	"_", "-orders", "!orders", "||", "a\tb", "a\nb", "日本語", "日本", "ｏｒｄｅｒｓ", "straße", "STRASSE", "ß", "é", "e\u0301", "🙂", "🙂🙂", "key=value",
	"key=", "=value", "NULL", "null", "true", "0", "00", "0.0", "-1", "^orders", "orders$", "<b>orders</b>", "urn:li:tag:Orders", "urn:li:tag:orders",
	"--", "; drop table doc", "ab", "abc", "abcd", "bcd", "a", "\u0000x",
}

// testExact tries every pair of nasty values.
func testExact(t *testing.T, b Backend) {
	x := b.New(t)
	var docs []indexer.Document
	for i, value := range nasty {
		docs = append(docs, doc(fmt.Sprintf("n%d", i), map[string][]string{"platform": {value}, "tags": {value, "common"}}))
	}
	fill(t, x, docs...)
	for _, value := range nasty {
		check(t, x, docs, indexer.In{Field: "platform", Values: []string{value}})
		check(t, x, docs, indexer.Not{Expr: indexer.In{Field: "tags", Values: []string{value}}})
		for _, kind := range []indexer.MatchKind{indexer.Prefix, indexer.Suffix, indexer.Contains, indexer.Same} {
			check(t, x, docs, indexer.Match{Field: "platform", Kind: kind, Texts: []string{value}})
		}
	}
	check(t, x, docs, indexer.In{Field: "tags", Values: nasty})
	check(t, x, docs, indexer.Not{Expr: indexer.Match{Field: "tags", Kind: indexer.Contains, Texts: []string{"r", "é"}}})
	check(t, x, docs, indexer.Match{Field: "platform", Kind: indexer.Contains, Texts: []string{""}})
	check(t, x, docs, indexer.Match{Field: "absent", Kind: indexer.Prefix, Texts: []string{""}})
}

// check compares the documents that a condition finds with a scan of all documents.
func check(t testing.TB, x indexer.Index, docs []indexer.Document, e indexer.Expr) bool {
	t.Helper()
	var want []indexer.Document
	for i := range docs {
		if indexer.Holds(e, &docs[i]) {
			want = append(want, docs[i])
		}
	}
	if diff := cmp.Diff(urnsOf(want), all(t, x, indexer.Query{Filter: e})); diff != "" {
		t.Errorf("%T %+v (-scan +index):\n%s", e, e, diff)
		return false
	}
	return true
}

func testLongValues(t *testing.T, b Backend) {
	x := b.New(t)
	var docs []indexer.Document
	for _, size := range []int{99, 100, 101, 254, 255, 256, 500, 511, 512, 513, 4000} {
		for _, end := range []string{"x", "y", "X"} {
			value := strings.Repeat("é/a-", size/5+1)[:size-1]
			value = strings.ToValidUTF8(value, "-") + end
			docs = append(docs, doc(fmt.Sprintf("long%d%s", size, end), map[string][]string{"platform": {value}, "customProperties": {"text=" + value}}))
		}
	}
	fill(t, x, docs...)
	for i := range docs {
		value := docs[i].Values["platform"][0]
		check(t, x, docs, indexer.In{Field: "platform", Values: []string{value}})
		check(t, x, docs, indexer.In{Field: indexer.FieldURN, Values: []string{docs[i].URN}})
		check(t, x, docs, indexer.Match{Field: "platform", Kind: indexer.Suffix, Texts: []string{value[len(value)-20:]}})
		check(t, x, docs, indexer.Match{Field: "customProperties", Kind: indexer.Contains, Texts: []string{value}})
		check(t, x, docs, indexer.Match{Field: "platform", Kind: indexer.Prefix, Texts: []string{value[:len(value)-2]}})
	}
	r := search(t, x, indexer.Query{Facets: []string{"platform"}, FacetSize: 100})
	if len(r.Facets) != 1 || len(r.Facets[0].Counts) != len(docs) {
		t.Fatalf("the facet has %d values of %d", len(r.Facets[0].Counts), len(docs))
	}
	for _, c := range r.Facets[0].Counts {
		if !slices.ContainsFunc(docs, func(d indexer.Document) bool { return d.Values["platform"][0] == c.Value }) || c.Docs != 1 {
			t.Errorf("facet value of %d bytes, %d documents: no document has it", len(c.Value), c.Docs)
		}
	}
}

// generator makes random documents and conditions.
type generator struct {
	*rand.Rand
	words []string
}

// namedByURN are values that are URNs.
var namedByURN = []string{"urn:li:tag:a b", "urn:li:tag:c", "urn:li:tag:C"}

func newGenerator(t testing.TB) *generator {
	seed := testseed.Of(t)
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	for range 12 {
		g.words = append(g.words, g.word())
	}
	g.words = append(g.words, nasty[g.IntN(len(nasty))], nasty[g.IntN(len(nasty))])
	g.words = append(g.words, namedByURN...)
	return g
}

func (g *generator) word() string {
	letters := []rune("abAB_.é:1 ")
	word := make([]rune, 1+g.IntN(6))
	for i := range word {
		word[i] = letters[g.IntN(len(letters))]
	}
	return string(word)
}

func (g *generator) pick() string { return g.words[g.IntN(len(g.words))] }

func (g *generator) some() []string {
	var values []string
	for range g.IntN(4) {
		if value := g.pick(); !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

func (g *generator) document(i int) indexer.Document {
	values := map[string][]string{}
	for _, field := range []string{"platform", "tags", "owners", "customProperties"} {
		if some := g.some(); len(some) > 0 {
			values[field] = some
		}
	}
	d := indexer.Document{
		URN:  fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:x,%d %s,PROD)", i, g.pick()),
		Type: []string{"dataset", "chart", "dataJob"}[g.IntN(3)], Removed: g.IntN(5) == 0, Weight: 1,
		Values: values, Numbers: map[string]int64{},
	}
	for range g.IntN(3) {
		if value := amounts[g.IntN(len(amounts))]; !slices.Contains(values["structuredProperties.size"], value) {
			values["structuredProperties.size"] = append(values["structuredProperties.size"], value)
		}
	}
	for _, field := range []string{"rows", "lastModifiedAt"} {
		if g.IntN(3) > 0 {
			n := g.number()
			d.Numbers[field] = n
			d.Values[field] = []string{fmt.Sprint(n)}
		}
	}
	for class := indexer.TextBody; class < indexer.TextClasses; class++ {
		if g.IntN(3) == 0 {
			d.Text[class] = []string{strings.Join(indexer.IndexTokens(g.pick()), " ")}
		}
	}
	return finish(d, g.pick())
}

func (g *generator) number() int64 {
	return []int64{0, 1, -1, 5, 6, 1 << 40, -(1 << 40), 1_700_000_000_000, 1_700_000_000_001}[g.IntN(9)]
}

// amounts are values that are numbers or dates, and some that are neither.
var amounts = []string{"-1.5", "0", "0.25", "30", "9007199254740993", "1e3", "2026-11-22", "2026-02-30", "1999-12-31", "many", "NaN"}

func (g *generator) amount() float64 {
	return []float64{-1.5, -1, 0, 0.25, 30, 1000, 946_598_400_000, 1_795_305_600_000, 1e16}[g.IntN(9)]
}

var conditionFields = []string{"platform", "tags", "owners", "customProperties", "name", indexer.FieldURN, indexer.FieldType, indexer.FieldRemoved, "absent"}

func (g *generator) condition(depth int) indexer.Expr {
	field := conditionFields[g.IntN(len(conditionFields))]
	kinds := 11
	if depth == 0 {
		kinds = 6
	}
	switch g.IntN(kinds) {
	case 0:
		values := append(g.some(), g.pick())
		switch field {
		case indexer.FieldType:
			values = []string{"dataset", "chart"}[:1+g.IntN(2)]
		case indexer.FieldRemoved:
			values = []string{"true", "false", "maybe"}[g.IntN(3):]
		}
		return indexer.In{Field: field, Values: values}
	case 1:
		return indexer.Match{Field: field, Kind: indexer.MatchKind(g.IntN(3)), Texts: []string{g.part(), g.part()}[:1+g.IntN(2)], Except: g.except()}
	case 2:
		return indexer.Exists{Field: field}
	case 3:
		r := indexer.Range{Field: []string{"rows", "lastModifiedAt", "absent"}[g.IntN(3)]}
		if n := g.number(); g.IntN(2) == 0 {
			r.From = &n
		}
		if n := g.number(); g.IntN(2) == 0 {
			r.To = &n
		}
		return r
	case 4:
		b := indexer.Between{Field: []string{"structuredProperties.size", "platform", "absent"}[g.IntN(3)]}
		if n := g.amount(); g.IntN(2) == 0 {
			b.From = &n
		}
		if n := g.amount(); g.IntN(2) == 0 {
			b.To = &n
		}
		return b
	case 5:
		return g.wordsOf()
	case 6:
		return indexer.Not{Expr: g.condition(depth - 1)}
	case 7:
		parts := indexer.And{}
		for range g.IntN(4) {
			parts = append(parts, g.condition(depth-1))
		}
		return parts
	case 8:
		return &indexer.Standing{Expr: g.condition(depth - 1)}
	case 9: // as the rights of a caller name types and values
		both := indexer.And{
			indexer.In{Field: indexer.FieldType, Values: []string{"chart", "dataset", "dataJob", "absent"}[g.IntN(3):]},
			indexer.In{Field: field, Values: namedByURN[g.IntN(len(namedByURN)):]},
		}
		if g.IntN(2) == 0 {
			slices.Reverse(both)
		}
		return both
	}
	parts := indexer.Or{}
	for range g.IntN(4) {
		parts = append(parts, g.condition(depth-1))
	}
	return parts
}

// wordsOf makes a random condition on words.
func (g *generator) wordsOf() indexer.Expr {
	w := indexer.Words{Prefix: g.IntN(2) == 0}
	for len(w.Tokens) == 0 || g.IntN(4) == 0 {
		w.Tokens = append(w.Tokens, indexer.Tokens(g.part() + " a")[0])
	}
	switch g.IntN(3) {
	case 0:
		w.Fields = []string{"platform", "tags", indexer.FieldURN, "absent"}
		w.Phrase, w.Except = g.IntN(2) == 0, g.except()
	case 1: // InText: the text has the words of names
		w.Fields, w.InText, w.Phrase = []string{"name"}, true, g.IntN(2) == 0
	default:
		w.Without = indexer.ClassSet(g.IntN(8)) << indexer.TextLabels
	}
	return w
}

func (g *generator) except() []string {
	return [][]string{nil, {""}, {":tag:a"}, {":container:", "zz"}}[g.IntN(4)]
}

// part is a piece of a word.
func (g *generator) part() string {
	letters := []rune(g.pick())
	from := g.IntN(len(letters))
	return string(letters[from : from+1+g.IntN(len(letters)-from)])
}

// testTypesWithValues: a condition on types and values together, as the rights of a caller have it, finds the same documents as a scan,
// by itself and beside others.
func testTypesWithValues(t *testing.T, b Backend) {
	x, g := b.New(t), newGenerator(t)
	docs := make([]indexer.Document, 60)
	for i := range docs {
		docs[i] = g.document(i)
		docs[i].Values["tags"] = namedByURN[i%4%3 : i%4]
	}
	fill(t, x, docs...)
	for from := range namedByURN {
		values := indexer.In{Field: "tags", Values: namedByURN[from:]}
		for _, types := range [][]string{{"dataset"}, {"chart", "absent"}, {"dataset", "chart", "dataJob"}} {
			ofTypes := indexer.In{Field: indexer.FieldType, Values: types}
			other := indexer.Not{Expr: indexer.And{ofTypes, indexer.In{Field: "tags", Values: namedByURN[:1]}}}
			for _, both := range []indexer.And{{ofTypes, values}, {values, ofTypes}} {
				for _, e := range []indexer.Expr{both, indexer.Not{Expr: both}, indexer.Or{both, other}, indexer.And{indexer.Not{Expr: both}, other}} {
					if !check(t, x, docs, e) {
						return
					}
				}
			}
		}
	}
}

// testRandomConditions: any condition finds the same documents as a scan, also while
// documents change.
func testRandomConditions(t *testing.T, b Backend) {
	x, g := b.New(t), newGenerator(t)
	docs := make([]indexer.Document, 150)
	for i := range docs {
		docs[i] = g.document(i)
	}
	fill(t, x, docs...)
	for round := range b.Rounds {
		if round%20 == 19 { // some documents change and lose their old values
			for range 10 {
				i := g.IntN(len(docs))
				urn := docs[i].URN
				docs[i] = g.document(i)
				docs[i].URN = urn
				docs[i].Values[indexer.FieldURN] = []string{urn}
			}
			fill(t, x, docs...)
		}
		if !check(t, x, docs, g.condition(3)) {
			return
		}
	}
}
