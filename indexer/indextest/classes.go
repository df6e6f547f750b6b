package indextest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
)

// testWithoutClasses: a query finds no document by words in classes of text that it leaves out, whether the words are typed in
// full, begun or misspelt, and by no value that names an entity if it leaves these out. The documents themselves are
// found by all else.
func testWithoutClasses(t *testing.T, b Backend) {
	x := b.New(t)
	label := "urn:li:tag:zebra"
	labelled := doc("orders", map[string][]string{"tags": {label, "urn:li:tag:giraffe"}, "note": {"a zebra", "␟urn:li:container:zebra"}})
	labelled.Text[indexer.TextLabels] = []string{"zebra", "giraffe"}
	labelled.Text[indexer.TextReferences] = []string{"zebracorn"}
	named := doc("zebra_counts", nil)
	secret := doc("refunds", map[string][]string{"note": {label}})
	secret.Text[indexer.TextPrivileged] = []string{"zebroid"}
	docs := []indexer.Document{labelled, named, secret}
	fill(t, x, docs...)
	labels := indexer.ClassSet(0).With(indexer.TextLabels)
	closed := labels.With(indexer.TextReferences).With(indexer.TextPrivileged)
	for _, c := range []struct {
		typed   string
		without indexer.ClassSet
		want    []string
	}{
		{"zebra", 0, []string{labelled.URN, named.URN}},
		{"zebra ", labels, []string{named.URN}},
		{"zebra", labels, []string{labelled.URN, named.URN}}, // the beginning of zebracorn
		{"zeb", closed, []string{named.URN}},
		{"zebracorn", labels, []string{labelled.URN}},
		{"zebracorn", closed, nil},
		{"zebarcorn", 0, []string{labelled.URN}},
		{"zebarcorn", closed, nil},
		{"giraffe orders", closed, nil},
		{"girafe", closed, nil},
		{"girafe", 0, []string{labelled.URN}},
		{"zebroid", 0, []string{secret.URN}},
		{"zebroid", closed, nil},
		{"orders", closed, []string{labelled.URN}},
		{"orders zebracorn", labels, []string{labelled.URN}},
		{"ordres", closed, []string{labelled.URN}},
	} {
		q := text(strings.TrimSpace(c.typed))
		q.Prefix = q.Prefix && !strings.HasSuffix(c.typed, " ")
		q.Without, q.Typos = c.without, true
		want := sortedURNs(c.want)
		if diff := gocmp.Diff(want, sortedURNs(all(t, x, indexer.Query{Text: q}))); diff != "" {
			t.Errorf("%q without the classes %b (-want +got):\n%s", c.typed, c.without, diff)
		}
	}
	for _, token := range []string{"zebra", "zebracorn", "giraffe", "zebroid", "order"} {
		for _, without := range []indexer.ClassSet{0, labels, closed} {
			for _, prefix := range []bool{false, true} {
				check(t, x, docs, indexer.Words{Tokens: []string{token}, Prefix: prefix, Without: without})
				check(t, x, docs, indexer.Not{Expr: indexer.Words{Tokens: []string{token}, Prefix: prefix, Without: without}})
			}
		}
	}
	for _, except := range [][]string{nil, {":container:"}, {":container:", ""}} {
		for _, field := range []string{"tags", "note", "name"} {
			for _, kind := range []indexer.MatchKind{indexer.Prefix, indexer.Suffix, indexer.Contains, indexer.Same} {
				for _, part := range []string{"", "urn:li:tag:z", "zebra", "a zebra", label, "ra"} {
					check(t, x, docs, indexer.Match{Field: field, Kind: kind, Texts: []string{part}, Except: except})
				}
			}
			check(t, x, docs, indexer.Words{Tokens: []string{"zebra"}, Fields: []string{field}, Except: except})
		}
	}
}

// testOrderWithoutClasses: misspelt words are corrected in the same way whatever words the closed classes have. So the order of the
// hits shows no word of these classes.
func testOrderWithoutClasses(t *testing.T, b Backend) {
	orders := func(hidden string) []string {
		x := b.New(t)
		docs := []indexer.Document{doc("zz_counters", nil), doc("daily", nil), doc("b_counters_of_all", nil)}
		docs[1].Text[indexer.TextBody] = []string{"counter"}
		docs[2].Text[indexer.TextReferences] = []string{hidden}
		fill(t, x, docs...)
		q := text("conuters")
		q.Typos, q.Without = true, indexer.ClassSet(0).With(indexer.TextLabels).With(indexer.TextReferences)
		r := search(t, x, indexer.Query{Text: q, Size: 10})
		return append(names(r.Hits), fmt.Sprint(r.Total))
	}
	if with, without := orders("contuers"), orders("else"); !slices.Equal(with, without) {
		t.Errorf("with a similar word in a closed class the hits are %q, without it %q", with, without)
	}
}
