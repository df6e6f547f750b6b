package intake

import (
	"iter"

	"github.com/headwater-io/headwater/internal/jsonlimit"
)

const (
	// valuesAtOnce is about how many bytes of values a batch checks and writes
	// together, and piecesAtOnce how many such pieces there are at a time.
	valuesAtOnce = 8 << 20
	piecesAtOnce = 3
)

// ValuesWeight is the memory in bytes of the values of a batch of proposals while they are
// written, some at a time.
func ValuesWeight(values iter.Seq[[]byte]) int64 {
	var largest, items, bytes int
	for value := range values {
		n, _ := jsonlimit.Check(value, jsonlimit.Limits{}) // the catalog refuses what is too large, item by item
		items, bytes = items+n, bytes+len(value)
		if bytes >= valuesAtOnce {
			largest, items, bytes = max(largest, items), 0, 0
		}
	}
	return piecesAtOnce * int64(max(largest, items)) * ValueCost
}

// TextWeight measures a text that was read completely. It returns the memory in bytes that
// decoding it takes, or an error if it is beyond the limits of its kind.
func TextWeight(text []byte, kind Kind) (int64, error) {
	var scanner jsonlimit.Scanner
	scanner.Reset(kind.Limits)
	err := scanner.Scan(text)
	return kind.weight(len(text), &scanner), err
}
