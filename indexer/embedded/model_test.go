package embedded_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// model is a model of an index: it holds the expected documents and answers by looking at
// every one.
type model struct {
	*rand.Rand
	docs map[string]indexer.Document
	// standing are conditions that many queries share.
	standing []*indexer.Standing
}

func newModel(seed uint64) *model {
	m := &model{Rand: rand.New(rand.NewPCG(seed, 1)), docs: map[string]indexer.Document{}}
	for range 3 {
		m.standing = append(m.standing, &indexer.Standing{Expr: m.condition(2)})
	}
	m.standing = append(m.standing, &indexer.Standing{Expr: indexer.Not{Expr: indexer.In{Field: "tags", Values: modelWords[:2]}}})
	return m
}

// filter makes a random condition, often one of a caller who may see only a part of the documents.
func (m *model) filter(depth int) indexer.Expr {
	e := m.condition(depth)
	if m.IntN(3) == 0 {
		e = nil
	}
	if m.IntN(2) == 0 {
		e = indexer.And{e, m.standing[m.IntN(len(m.standing))]}
	}
	return e
}

var modelWords = strings.Fields("orders order users user daily Daily hourly eu us apac stg fct dim item items señor straße b12 ab12")

func (m *model) word() string { return modelWords[m.IntN(len(modelWords))] }

// document makes a document with the n-th URN and random content.
func (m *model) document(n int) indexer.Document {
	urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:p%d,t%d,PROD)", n%3, n)
	name := m.word() + "_" + m.word()
	d := indexer.Document{
		URN: urn, Type: []string{"dataset", "chart"}[n%2], Removed: m.IntN(6) == 0, Weight: []float64{1, 1, 1, 0.5}[m.IntN(4)],
		Values: map[string][]string{
			indexer.FieldURN: {urn}, indexer.FieldType: {[]string{"dataset", "chart"}[n%2]}, "name": {name},
			indexer.FieldName: {indexer.Normalize(name)},
		},
		Numbers: map[string]int64{}, Completions: map[string][]string{"name": {name}}, SortKeys: []string{indexer.FieldURN, "name"},
	}
	d.Values[indexer.FieldRemoved] = []string{fmt.Sprint(d.Removed)}
	for range m.IntN(4) {
		if tag := m.word(); !slices.Contains(d.Values["tags"], tag) {
			d.Values["tags"] = append(d.Values["tags"], tag)
		}
	}
	if m.IntN(20) == 0 {
		d.Values["rare"] = []string{fmt.Sprint("only ", n)}
	}
	if m.IntN(3) > 0 {
		rows := int64(m.IntN(50) - 25)
		d.Numbers["rows"], d.Values["rows"] = rows, []string{fmt.Sprint(rows)}
	}
	path := "/" + m.word() + "/" + m.word()
	d.Values[indexer.FieldAncestors] = append([]string{""}, indexer.Ancestors(path, "/")...)
	d.Facets = []string{indexer.FieldType, "tags"}
	d.Text[indexer.TextName] = []string{indexer.Normalize(name)}
	for class := indexer.TextMajor; class < indexer.TextClasses; class++ {
		for range m.IntN(3) {
			d.Text[class] = append(d.Text[class], strings.Join(indexer.IndexTokens(m.word()+" "+m.word()), " "))
		}
	}
	return d
}

// batch makes a batch of changes and applies it to the model.
func (m *model) batch(documents, most int) indexer.Batch {
	var b indexer.Batch
	seen := map[string]bool{}
	for range 1 + m.IntN(most) {
		d := m.document(m.IntN(documents))
		if seen[d.URN] {
			continue
		}
		seen[d.URN] = true
		old, known := m.docs[d.URN]
		switch {
		case m.IntN(5) == 0:
			b.Delete = append(b.Delete, d.URN)
			delete(m.docs, d.URN)
			continue
		case known && m.IntN(5) == 0: // the document again, unchanged
			d = old
		}
		b.Put = append(b.Put, d)
		m.docs[d.URN] = d
	}
	return b
}

// ordered returns the documents that satisfy the filter and have the words, in the order of
// their URNs.
func (m *model) ordered(filter indexer.Expr, text indexer.Text) []indexer.Document {
	found := []indexer.Document{}
	for urn := range m.docs {
		d := m.docs[urn]
		if indexer.Holds(filter, &d) && hasWords(&d, text) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b indexer.Document) int { return strings.Compare(a.URN, b.URN) })
	return found
}

// classOf returns the best class of text in which a document has a word, or TextClasses if
// no class has it.
func classOf(d *indexer.Document, word string, prefix bool, without indexer.ClassSet) indexer.TextClass {
	for class, texts := range d.Text {
		if without.Has(indexer.TextClass(class)) {
			continue
		}
		for _, text := range texts {
			for token := range strings.FieldsSeq(text) {
				if token == word || prefix && strings.HasPrefix(token, word) {
					return indexer.TextClass(class)
				}
			}
		}
	}
	return indexer.TextClasses
}

func hasWords(d *indexer.Document, text indexer.Text) bool {
	for i, word := range text.Tokens {
		if classOf(d, word, text.Prefix && i == len(text.Tokens)-1, text.Without) == indexer.TextClasses {
			return false
		}
	}
	return true
}

// score returns the score by which documents are ranked.
func score(d *indexer.Document, text indexer.Text) float64 {
	sum := 0
	seen := map[string]bool{}
	for i, word := range text.Tokens {
		prefix := text.Prefix && i == len(text.Tokens)-1
		if key := fmt.Sprint(word, prefix); !seen[key] {
			seen[key] = true
			sum += indexer.Weights[classOf(d, word, prefix, text.Without)]
		}
	}
	length := 8
	for _, name := range d.Text[indexer.TextName] {
		length = min(length, len(strings.Fields(name)))
	}
	total := d.Weight * (float64(sum) + float64(8-length)/9)
	if slices.Contains(d.Values[indexer.FieldName], text.Name) {
		total += 1e9
	}
	return total
}

func (m *model) condition(depth int) indexer.Expr {
	number := func() *int64 {
		if m.IntN(3) == 0 {
			return nil
		}
		n := int64(m.IntN(50) - 25)
		return &n
	}
	field := []string{"tags", "name", indexer.FieldURN, indexer.FieldType, indexer.FieldRemoved, "rare", "none"}[m.IntN(7)]
	switch m.IntN(5 + 3*min(depth, 1)) {
	case 0:
		values := []string{m.word(), "dataset", "true"}
		if m.IntN(4) == 0 {
			for range 100 {
				values = append(values, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:p%d,t%d,PROD)", m.IntN(3), m.IntN(450)))
			}
		}
		return indexer.In{Field: field, Values: values}
	case 1:
		word := m.word()
		return indexer.Match{Field: field, Kind: indexer.MatchKind(m.IntN(3)), Texts: []string{word[:1+m.IntN(len(word)-1)], "t1"}}
	case 2:
		return indexer.Exists{Field: []string{field, "rows"}[m.IntN(2)]}
	case 3:
		return indexer.Range{Field: "rows", From: number(), To: number()}
	case 4:
		return nil
	case 5:
		return indexer.Not{Expr: m.condition(depth - 1)}
	case 6:
		return indexer.And{m.condition(depth - 1), m.condition(depth - 1)}
	}
	return indexer.Or{m.condition(depth - 1), m.condition(depth - 1)}
}

// check compares the index with the model.
func (m *model) check(t *testing.T, x indexer.Index) {
	t.Helper()
	m.checkAll(t, x)
	for range 12 {
		m.checkQuery(t, x)
	}
	m.checkGroups(t, x)
	m.checkSuggest(t, x)
}

// checkAll compares every document with its values.
func (m *model) checkAll(t *testing.T, x indexer.Index) {
	t.Helper()
	all, err := x.Search(context.Background(), &indexer.Query{Size: len(m.docs) + 10})
	if err != nil {
		t.Fatal(err)
	}
	want := []indexer.Hit{}
	for _, d := range m.ordered(nil, indexer.Text{}) {
		hit := indexer.Hit{URN: d.URN, Type: d.Type, Values: map[string][]string{}}
		for name, values := range d.Values {
			if !strings.HasPrefix(name, "^") {
				hit.Values[name] = values
			}
		}
		want = append(want, hit)
	}
	if diff := gocmp.Diff(want, all.Hits); diff != "" || all.Total != len(want) {
		t.Fatalf("all documents, total %d (-model +index):\n%s", all.Total, diff)
	}
}

func (m *model) checkQuery(t *testing.T, x indexer.Index) {
	t.Helper()
	q := indexer.Query{Filter: m.filter(3), From: m.IntN(4) * m.IntN(30), Size: m.IntN(40), Facets: []string{"tags", indexer.FieldType}, FacetSize: 100}
	if m.IntN(2) == 0 {
		typed := m.word() + " " + m.word()
		typed = typed[:1+m.IntN(len(typed))]
		q.Text = indexer.Text{Tokens: indexer.Tokens(typed), Prefix: m.IntN(3) > 0, Name: indexer.Normalize(typed)}
		if m.IntN(3) == 0 {
			q.Text.Without = indexer.ClassSet(m.IntN(1 << indexer.TextClasses))
		}
	}
	if m.IntN(3) == 0 {
		q.Sort = []indexer.Sort{{Field: []string{"name", indexer.FieldURN, "tags"}[m.IntN(3)], Descending: m.IntN(2) == 0}}
		if m.IntN(2) == 0 {
			q.Sort = slices.Insert(q.Sort, 0, indexer.Sort{Field: "rows", Numeric: true, Descending: m.IntN(2) == 0})
		}
	}
	found := m.ordered(q.Filter, q.Text)
	slices.SortStableFunc(found, func(a, b indexer.Document) int { return m.compare(&a, &b, &q) })
	want := indexer.Result{Hits: []indexer.Hit{}, Facets: []indexer.Facet{}, Total: len(found)}
	for _, d := range found[min(q.From, len(found)):min(q.From+q.Size, len(found))] {
		want.Hits = append(want.Hits, indexer.Hit{URN: d.URN, Type: d.Type})
	}
	for _, field := range q.Facets {
		counts := map[string]int{}
		for i := range found {
			for _, value := range found[i].Values[field] {
				counts[value]++
			}
		}
		facet := indexer.Facet{Field: field}
		for value, n := range counts {
			facet.Counts = append(facet.Counts, indexer.Count{Value: value, Docs: n})
		}
		indexer.SortCounts(facet.Counts)
		if len(counts) > 0 {
			want.Facets = append(want.Facets, facet)
		}
	}
	q.Plain = true
	got, err := x.Search(context.Background(), &q)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(&want, got); diff != "" {
		t.Fatalf("%+v (-model +index):\n%s", q, diff)
	}
}

func (m *model) compare(a, b *indexer.Document, q *indexer.Query) int {
	if len(q.Sort) == 0 && len(q.Text.Tokens) > 0 {
		return cmp.Compare(score(b, q.Text), score(a, q.Text))
	}
	for _, key := range q.Sort {
		x, y := a.Values[key.Field], b.Values[key.Field]
		c := 0
		switch {
		case len(x) == 0 || len(y) == 0:
			if c = cmp.Compare(len(y), len(x)); len(x) > 0 == (len(y) > 0) {
				c = 0
			}
		case key.Numeric:
			c = cmp.Compare(a.Numbers[key.Field], b.Numbers[key.Field])
		default:
			c = cmp.Compare(slices.Min(x), slices.Min(y))
		}
		if key.Descending && len(x) > 0 && len(y) > 0 {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func (m *model) checkGroups(t *testing.T, x indexer.Index) {
	t.Helper()
	q := indexer.GroupQuery{Field: indexer.FieldAncestors, Filter: m.filter(1), Path: []string{"", "/" + m.word()}[m.IntN(2)]}
	counts := map[string]int{}
	for _, d := range m.ordered(q.Filter, indexer.Text{}) {
		for _, path := range d.Values[indexer.FieldAncestors] {
			if strings.HasPrefix(path, q.Path+"/") && strings.Count(path, "/") == strings.Count(q.Path, "/")+1 {
				counts[path]++
			}
		}
	}
	want := []indexer.Group{}
	for path, n := range counts {
		want = append(want, indexer.Group{Path: path, Docs: n})
	}
	slices.SortFunc(want, func(a, b indexer.Group) int { return strings.Compare(a.Path, b.Path) })
	got, err := x.Groups(context.Background(), &q)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("%+v (-model +index):\n%s", q, diff)
	}
}

// checkSuggest compares the suggestions for a text, in any order.
func (m *model) checkSuggest(t *testing.T, x indexer.Index) {
	t.Helper()
	typed := m.word()
	q := indexer.SuggestQuery{Tokens: indexer.Tokens(typed[:1+m.IntN(len(typed)-1)]), Fields: []string{"name"}, Filter: m.filter(1), Size: 10_000}
	want := []string{}
	for _, d := range m.ordered(q.Filter, indexer.Text{}) {
		if slices.ContainsFunc(indexer.IndexTokens(d.Values["name"][0]), func(token string) bool { return strings.HasPrefix(token, q.Tokens[0]) }) {
			want = append(want, d.URN)
		}
	}
	hits, err := x.Suggest(context.Background(), &q)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, hit := range hits {
		got = append(got, hit.URN)
	}
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("%+v (-model +index):\n%s", q, diff)
	}
}

// small opens an index that writes a file after every few documents.
func small(t testing.TB, dir string) *embedded.Index {
	t.Helper()
	x, err := embedded.Open(context.Background(), embedded.Options{Dir: dir, Memory: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// TestAgainstModel: through random writes, merges, saves, rebuilds and restarts, the index
// answers as the model does, which looks at every document.
func TestAgainstModel(t *testing.T) {
	seed := testseed.Of(t)
	m, dir, ctx := newModel(seed), t.TempDir(), context.Background()
	x := small(t, dir)
	for step := range testsize.Of(120, 1_500) {
		cursor := fmt.Sprint(step)
		switch m.IntN(12) {
		case 0:
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if x = small(t, dir); x.Damage() != "" {
				t.Fatal(x.Damage())
			}
		case 1:
			m.rebuild(t, x, cursor)
		default:
			b := m.batch(400, 60)
			b.Cursor = cursor
			if err := x.Write(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		m.check(t, x)
	}
}

// rebuild replaces the index by one with other documents.
func (m *model) rebuild(t *testing.T, x indexer.Index, cursor string) {
	t.Helper()
	ctx := context.Background()
	build, err := x.Rebuild(ctx)
	if err != nil {
		t.Fatal(err)
	}
	former := m.docs
	m.docs = map[string]indexer.Document{}
	for range 5 {
		if err := build.Write(ctx, m.batch(400, 200)); err != nil {
			t.Fatal(err)
		}
	}
	if m.IntN(4) == 0 {
		m.docs = former
		if err := build.Abandon(); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := build.Write(ctx, indexer.Batch{Cursor: cursor}); err != nil {
		t.Fatal(err)
	}
	if err := build.Swap(ctx); err != nil {
		t.Fatal(err)
	}
}
