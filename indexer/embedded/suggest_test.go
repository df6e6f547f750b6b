package embedded_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/indexer"
)

// TestSuggestFewAmongMany: the tags that begin with a text are suggested in the same order,
// whether the index has only tags or also thousands of datasets with such names.
func TestSuggestFewAmongMany(t *testing.T) {
	alone, among := small(t, t.TempDir()), small(t, t.TempDir())
	ctx := context.Background()
	document := func(kind, name string) indexer.Document {
		return indexer.Document{
			URN: "urn:li:" + kind + ":" + name, Type: kind, Weight: 1, Completions: map[string][]string{"name": {name}},
			Values: map[string][]string{"name": {name}, indexer.FieldType: {kind}},
		}
	}
	var tags, datasets []indexer.Document
	for _, name := range []string{"zz delta", "delta", "echo dawn", "one two three four five six seven eight nine dz", "other", "dz"} {
		tags = append(tags, document("tag", name))
	}
	for i := range 6000 {
		datasets = append(datasets, document("dataset", fmt.Sprintf("d%05d o%05d", i, i)))
	}
	for _, write := range []struct {
		to   indexer.Index
		docs []indexer.Document
	}{{alone, tags}, {among, datasets[:3000]}, {among, tags}, {among, datasets[3000:]}} {
		if err := write.to.Write(ctx, indexer.Batch{Put: write.docs}); err != nil {
			t.Fatal(err)
		}
	}
	suggested := func(x indexer.Index, kind string, size int, tokens ...string) []string {
		hits, err := x.Suggest(ctx, &indexer.SuggestQuery{
			Tokens: tokens, Fields: []string{"name"}, Filter: indexer.In{Field: indexer.FieldType, Values: []string{kind}}, Size: size,
		})
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, hit := range hits {
			names = append(names, hit.Values["name"][0])
		}
		return names
	}
	for _, tokens := range [][]string{{"d"}, {"o"}, {"x"}, {"echo", "d"}, {"delta"}, {"d", "o"}} {
		for _, size := range []int{1, 3, 10} {
			want, got := suggested(alone, "tag", size, tokens...), suggested(among, "tag", size, tokens...)
			if !slices.Equal(want, got) {
				t.Errorf("%v, %d at most: %v among datasets, %v alone", tokens, size, got, want)
			}
		}
	}
	if got, want := suggested(among, "tag", 10, "d"), []string{"delta", "dz", "echo dawn", "zz delta", "one two three four five six seven eight nine dz"}; !slices.Equal(got, want) {
		t.Errorf("tags with d: %q, want %q", got, want)
	}
	if got, want := suggested(among, "dataset", 2, "o"), []string{"d00000 o00000", "d00001 o00001"}; !slices.Equal(got, want) {
		t.Errorf("datasets with o: %q, want %q", got, want)
	}
}
