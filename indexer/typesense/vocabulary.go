package typesense

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/headwater-io/headwater/indexer"
)

// The result of the server's own search for misspelt words depends on the order of the
// words, on their number, and on whether the last one is complete. So this file keeps the
// words of all documents, as they were when a search last needed them, and compares them as
// the embedded index does.

// maxVocabulary bounds the number of words in memory. Misspelt forms of further words are
// not corrected.
const maxVocabulary = 2_000_000

// clockMargin is how far the clocks of servers that write an index may differ, in seconds.
const clockMargin = 120

// vocabulary has the words of documents. It may have words that no document has any more.
type vocabulary struct {
	// reading is held by the search that reads words from the server.
	reading *semaphore.Weighted
	// collection is the collection that the words are from; newest is the time of the newest
	// word in epoch seconds.
	collection string
	newest     int64
	words      []string
}

func newVocabulary() vocabulary { return vocabulary{reading: semaphore.NewWeighted(1)} }

// read reads new words from the server and returns all words in order. The caller must not
// change them.
func (v *vocabulary) read(ctx context.Context, x *Index) ([]string, error) {
	if err := v.reading.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer v.reading.Release(1)
	now, err := x.target(ctx)
	if err != nil {
		return nil, err
	}
	if v.collection != now.values {
		v.collection, v.newest, v.words = now.values, 0, nil
	}
	var fresh []string
	newest := v.newest
	var fields []string
	for _, field := range wordFields(0) {
		fields = append(fields, hash("field", field))
	}
	err = x.export(ctx, fmt.Sprintf("f:=[%s] && t:>=%d", strings.Join(fields, ","), max(v.newest-clockMargin, 0)), func(r valueRecord) {
		newest = max(newest, r.Time)
		if _, known := slices.BinarySearch(v.words, r.Value); !known && len(v.words)+len(fresh) < maxVocabulary {
			fresh = append(fresh, r.Value)
		}
	})
	switch {
	case err != nil && ofQuery(err): // an earlier release made the collection, and it is being rebuilt
		return []string{}, nil
	case err != nil:
		return nil, err
	}
	if v.newest = newest; len(fresh) > 0 {
		words := slices.Concat(v.words, fresh)
		slices.Sort(words)
		v.words = slices.Compact(words)
	}
	return v.words, nil
}

// sortedWords is a sorted list of words.
type sortedWords []string

func (w sortedWords) Len() int        { return len(w) }
func (w sortedWords) At(i int) []byte { return []byte(w[i]) }

// After returns the first place, at or after i, whose word is not before the text.
func (w sortedWords) After(i int, text []byte) int {
	return i + sort.Search(len(w)-i, func(k int) bool { return w[i+k] >= string(text) })
}

var _ indexer.WordList = sortedWords{}
