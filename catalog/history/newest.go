package history

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// newestRecords remembers the newest records of the change log. Each reader adds the
// records that were written since the reader before it, so that the home page of a
// catalog that is being filled does not read the whole end of its log each time.
// Records that the log has deleted meanwhile are still remembered, until newer ones
// take their place.
type newestRecords struct {
	// lane lets one caller read at a time; the other callers then use its result.
	lane *graphstore.Lane
	// end is the cursor after the newest record of chunks.
	end string
	// chunks contain the records, newest first. A chunk never changes: readers share it.
	chunks [][]graphstore.Change
}

const (
	// recordsRead is the page in which the log is read.
	recordsRead = 1000
	// leastChunk is the size below which the newest chunk is joined with later records.
	leastChunk = 200
)

func newNewestRecords() *newestRecords { return &newestRecords{lane: graphstore.NewLane(1)} }

// read returns the newest records of the log, newest first: limits.MaxRecentRecords of them, or
// all if there are fewer.
func (n *newestRecords) read(ctx context.Context, store Store) (iter.Seq[*graphstore.Change], error) {
	chunks, err := n.refresh(ctx, store)
	return func(yield func(*graphstore.Change) bool) {
		left := limits.MaxRecentRecords
		for _, chunk := range chunks {
			for i := range chunk[:min(left, len(chunk))] {
				if !yield(&chunk[i]) {
					return
				}
			}
			left -= min(left, len(chunk))
		}
	}, err
}

// refresh adds the records since the reader before this one, and returns all.
func (n *newestRecords) refresh(ctx context.Context, store Store) ([][]graphstore.Change, error) {
	leave, err := n.lane.EnterSoon(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	end, err := store.EndCursor(ctx)
	if err != nil || end == n.end {
		return n.chunks, err
	}
	added, err := newestOf(ctx, store, graphstore.LogPart{After: n.end, UpTo: end})
	if errors.Is(err, graphstore.ErrLostCursor) { // another copy of the store was restored
		n.end, n.chunks = "", nil
		added, err = newestOf(ctx, store, graphstore.LogPart{UpTo: end})
	}
	if err != nil {
		return nil, err
	}
	n.end = end
	n.add(added)
	return n.chunks, nil
}

// newestOf reads up to limits.MaxRecentRecords records from the end of a part of the log.
func newestOf(ctx context.Context, store Store, part graphstore.LogPart) ([]graphstore.Change, error) {
	var records []graphstore.Change
	for len(records) < limits.MaxRecentRecords {
		page, rest, err := store.NewestChanges(ctx, part, min(recordsRead, limits.MaxRecentRecords-len(records)))
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		records, part.UpTo = append(records, page...), rest
	}
	return records, nil
}

// add puts records before the known ones and forgets chunks that are no longer needed.
func (n *newestRecords) add(records []graphstore.Change) {
	if len(records) == 0 {
		return
	}
	older := n.chunks
	if len(older) > 0 && len(older[0]) < leastChunk {
		records, older = slices.Concat(records, older[0]), older[1:]
	}
	chunks, total := [][]graphstore.Change{records}, len(records)
	for _, chunk := range older {
		if total >= limits.MaxRecentRecords {
			break
		}
		chunks, total = append(chunks, chunk), total+len(chunk)
	}
	n.chunks = chunks
}
