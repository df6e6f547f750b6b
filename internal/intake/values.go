package intake

import (
	"iter"

	"github.com/headwater-io/headwater/internal/jsonlimit"
)

const (
	// valuesAtOnce is about how many bytes of values of a batch are checked and written
	// together. piecesAtOnce is how many such groups are in memory at the same time.
	valuesAtOnce = 8 << 20
	piecesAtOnce = 3
)

// ValuesWeight returns the memory in bytes for the values of a batch while they are
// written, some at a time.
func ValuesWeight(values iter.Seq[[]byte]) int64 {
	var largest, items, bytes int
	for value := range values {
		n, _ := jsonlimit.Check(value, jsonlimit.Limits{}) // without limits, because the catalog refuses single values that are too large
		items, bytes = items+n, bytes+len(value)
		if bytes >= valuesAtOnce {
			largest, items, bytes = max(largest, items), 0, 0
		}
	}
	return piecesAtOnce * int64(max(largest, items)) * ValueCost
}

// TextWeight returns the memory in bytes for decoding a complete text. It returns an error
// if the text exceeds the limits of its kind.
func TextWeight(text []byte, kind Kind) (int64, error) {
	var scanner jsonlimit.Scanner
	scanner.Reset(kind.Limits)
	err := scanner.Scan(text)
	return kind.weight(len(text), &scanner), err
}
