package indextest

import (
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// testTypos: if the query permits typos and no document has its words unchanged, similar
// words match: with one change in words of four letters or more, with two in words of seven
// or more. Words with fewer changes win.
func testTypos(t *testing.T, b Backend) {
	x := b.New(t)
	names := []string{"orders", "customers", "customers_orders", "shipments", "map", "日本語", "squares"}
	docs := make([]indexer.Document, len(names))
	for i, name := range names {
		docs[i] = doc(name, nil)
	}
	fill(t, x, docs...)
	for typed, want := range map[string][]string{
		"oders":           {"customers_orders", "orders"}, // one letter missing
		"ordrrs":          {"customers_orders", "orders"}, // one letter wrong
		"orderrs":         {"customers_orders", "orders"}, // one letter too many
		"odrers":          {"customers_orders", "orders"}, // two letters swapped
		"cusomter":        {"customers", "customers_orders"},
		"csutomre":        {"customers", "customers_orders"}, // two pairs of letters swapped
		"cusomter oders":  {"customers_orders"},
		"cstmr":           {},                                // five letters, but more than one change
		"mpa":             {},                                // short words are not corrected
		"custmo":          {"customers", "customers_orders"}, // the beginning of a word, with one change
		"xcustom":         {"customers", "customers_orders"},
		"shipmets":        {"shipments"},
		"日木語":             {}, // words of other scripts are not corrected
		"sqares":          {"squares"},
		"custome2":        {}, // words with digits are not corrected
		"customers":       {"customers", "customers_orders"},
		"customers oders": {"customers_orders"},
	} {
		q := text(typed)
		q.Typos = true
		urns := []string{}
		for _, name := range want {
			urns = append(urns, doc(name, nil).URN)
		}
		if diff := gocmp.Diff(urns, sortedURNs(all(t, x, indexer.Query{Text: q}))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
		q.Typos = false
		if exact := sortedURNs(all(t, x, indexer.Query{Text: q})); len(exact) > 0 && gocmp.Diff(urns, exact) != "" {
			t.Errorf("%q as it is finds %q", typed, exact)
		}
	}
	fill(t, x, doc("ordinals", nil)) // a word that was not in the index at the last query
	q := text("ordnials")
	q.Typos = true
	if got := all(t, x, indexer.Query{Text: q}); !slices.Equal(got, []string{doc("ordinals", nil).URN}) {
		t.Errorf("a word written later is found as %q", got)
	}
}

// distance is the number of changes between two words. A change is a byte missing, too many
// or wrong, or two neighbouring bytes swapped.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for k := range rows[i] {
			switch {
			case i == 0 || k == 0:
				rows[i][k] = i + k
			case a[i-1] == b[k-1]:
				rows[i][k] = rows[i-1][k-1]
			default:
				rows[i][k] = 1 + min(rows[i-1][k-1], rows[i-1][k], rows[i][k-1])
			}
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				rows[i][k] = min(rows[i][k], rows[i-2][k-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// testTyposOfRandomWords compares the hits for a random word with the distances of all
// words.
func testTyposOfRandomWords(t *testing.T, b Backend) {
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, 5))
	word := func() string {
		letters := make([]byte, 3+random.IntN(7))
		for i := range letters {
			letters[i] = "abc"[random.IntN(3)]
		}
		return string(letters)
	}
	x, words := b.New(t), map[string]bool{}
	for range 5 {
		var docs []indexer.Document
		for range 80 {
			if w := word(); !words[w] {
				words[w] = true
				docs = append(docs, doc(w, nil))
			}
		}
		fill(t, x, docs...)
	}
	for range 100 {
		typed, prefix := word(), random.IntN(2) == 0
		within := func(w string, changes int) bool {
			if prefix {
				for end := range len(w) {
					if distance(typed, w[:end]) <= changes {
						return true
					}
				}
			}
			return distance(typed, w) <= changes
		}
		list := func(changes int) []string {
			urns := []string{}
			for w := range words {
				if within(w, changes) {
					urns = append(urns, doc(w, nil).URN)
				}
			}
			slices.Sort(urns)
			return urns
		}
		want := list(0)
		for c := 1; c <= indexer.ChangesIn(typed) && len(want) == 0; c++ {
			want = list(c)
		}
		if diff := gocmp.Diff(want, sortedURNs(all(t, x, indexer.Query{Text: indexer.Text{Tokens: []string{typed}, Prefix: prefix, Typos: true}}))); diff != "" {
			t.Fatalf("%s, a beginning: %t (-want +got):\n%s", typed, prefix, diff)
		}
	}
}
