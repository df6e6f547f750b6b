package embedded_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
)

// named makes a document with a name.
func named(name string) indexer.Document {
	d := indexer.Document{URN: "urn:li:tag:" + name, Type: "tag", Weight: 1, Values: map[string][]string{"name": {name}}}
	d.Text[indexer.TextName] = []string{indexer.Normalize(name)}
	return d
}

func urnsFound(t *testing.T, x indexer.Index, text indexer.Text) []string {
	t.Helper()
	found, err := x.Search(context.Background(), &indexer.Query{Text: text, Size: 1000, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	urns := []string{}
	for _, hit := range found.Hits {
		urns = append(urns, hit.URN)
	}
	slices.Sort(urns)
	if found.Total != len(urns) {
		t.Errorf("%+v: total %d of %d", text, found.Total, len(urns))
	}
	return urns
}

// TestTypos: misspelt words are forgiven if the query permits it and nothing has the
// words as they are: one change in words of four letters, two in words of seven, if there is
// nothing nearer.
func TestTypos(t *testing.T) {
	x, ctx := small(t, t.TempDir()), context.Background()
	for _, name := range []string{"orders", "customers", "customers_orders", "shipments", "map", "日本語", "squares"} {
		if err := x.Write(ctx, indexer.Batch{Put: []indexer.Document{named(name)}}); err != nil {
			t.Fatal(err)
		}
	}
	for typed, want := range map[string][]string{
		"oders":           {"customers_orders", "orders"}, // one is missing
		"ordrrs":          {"customers_orders", "orders"}, // one is wrong
		"orderrs":         {"customers_orders", "orders"},
		"cusomter":        {"customers", "customers_orders"}, // two
		"cusomter oders":  {"customers_orders"},
		"cstmr":           {},                                // five letters, more than one change
		"mpa":             {},                                // short words are taken as they are
		"custmo":          {"customers", "customers_orders"}, // a beginning, one change
		"shipmets":        {"shipments"},
		"日木語":             {}, // letters of other scripts are taken as they are
		"sqares":          {"squares"},
		"custome2":        {}, // another digit is another thing
		"customers":       {"customers", "customers_orders"},
		"customers oders": {"customers_orders"},
	} {
		text := indexer.Text{Tokens: indexer.Tokens(typed), Prefix: true, Name: indexer.Normalize(typed), Typos: true}
		urns := []string{}
		for _, name := range want {
			urns = append(urns, "urn:li:tag:"+name)
		}
		if diff := gocmp.Diff(urns, urnsFound(t, x, text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
		text.Typos = false
		exact := urnsFound(t, x, text)
		if len(exact) > 0 && gocmp.Diff(urns, exact) != "" {
			t.Errorf("%q as it is finds %q", typed, exact)
		}
	}
}

// distance is the number of changes of single bytes between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for k := range len(b) {
			change := before
			if a[i] != b[k] {
				change++
			}
			before = row[k+1]
			row[k+1] = min(change, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}

// TestTyposOfRandomWords compares with the distance to every word.
func TestTyposOfRandomWords(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 5))
	word := func() string {
		letters := make([]byte, 3+random.IntN(7))
		for i := range letters {
			letters[i] = "abc"[random.IntN(3)]
		}
		return string(letters)
	}
	x, ctx := small(t, t.TempDir()), context.Background()
	words := map[string]bool{}
	for range 5 {
		var b indexer.Batch
		for range 80 {
			if w := word(); !words[w] {
				words[w] = true
				b.Put = append(b.Put, named(w))
			}
		}
		if err := x.Write(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		typed, prefix := word(), random.IntN(2) == 0
		changes := 0
		if len(typed) >= 4 {
			changes++
		}
		if len(typed) >= 7 {
			changes++
		}
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
					urns = append(urns, "urn:li:tag:"+w)
				}
			}
			slices.Sort(urns)
			return urns
		}
		want := list(0)
		for c := 1; c <= changes && len(want) == 0; c++ {
			want = list(c)
		}
		if diff := gocmp.Diff(want, urnsFound(t, x, indexer.Text{Tokens: []string{typed}, Prefix: prefix, Typos: true})); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", fmt.Sprint(typed, prefix), diff)
		}
	}
}
