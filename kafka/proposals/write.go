package proposals

import (
	"context"
	"fmt"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
)

// internalTries is how often a write is tried whose failure has no known reason.
const internalTries = 3

// write writes items in order. An error means that some could be neither written nor
// refused; these and what follows come again.
func (c *Consumer) write(ctx context.Context, m *marks, items []*item) error {
	var waiting []*item
	for _, it := range items {
		if !it.done {
			waiting = append(waiting, it)
		}
	}
	for len(waiting) > 0 {
		end := 1 // of the items of one kind
		for end < len(waiting) && (waiting[end].snapshot == nil) == (waiting[0].snapshot == nil) {
			end++
		}
		step := c.writeProposals
		if waiting[0].snapshot != nil {
			step = c.writeSnapshots
		}
		if err := retry(ctx, waiting[:end], func(ctx context.Context, items []*item) ([]*item, error) { return step(ctx, m, items) }); err != nil {
			return err
		}
		waiting = waiting[end:]
	}
	return nil
}

// retry repeats a step with the items that it returns, until there are none or its
// patience has ended.
func retry(ctx context.Context, items []*item, step func(context.Context, []*item) ([]*item, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for backoff := firstBackoff; ; backoff = min(2*backoff, time.Second) {
		again, err := step(ctx, items)
		if len(again) == 0 {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%d proposals cannot be written yet: %w", len(again), err)
		}
		items = again
		pause(ctx, backoff)
	}
}

// transient reports whether a write may succeed later. A failure that nobody knows is
// taken for one a few times.
func (it *item) transient(err error) bool {
	code := catalog.CodeOf(err)
	if code == catalog.Internal {
		it.tries++
		return it.tries < internalTries
	}
	return code.Transient()
}

// note records the end of a write, unless it is to be tried again.
func (it *item) note(changed bool, err error) (again bool) {
	switch {
	case err == nil:
		it.done, it.changed, it.refused = true, it.changed || changed, nil
	case it.transient(err):
		return true
	case !it.done: // what was written before and is repeated for the order is not refused
		it.done, it.refused = true, err
	}
	return false
}

// options are those of a write of some items of a batch, which marks what it has written.
func (c *Consumer) options(m *marks, items []*item) catalog.WriteOptions {
	return catalog.WriteOptions{KeepUnknown: c.KeepUnknown, Alongside: func(written []int) []graphstore.Record {
		now := make(map[*item]bool, len(written))
		for _, at := range written {
			now[items[at]] = true
		}
		return m.records(now)
	}}
}

// writeProposals returns what is to be tried again: what failed for a time, and what was
// written after it of the same entity.
func (c *Consumer) writeProposals(ctx context.Context, m *marks, items []*item) (again []*item, failure error) {
	proposals := make([]write.Proposal, len(items))
	for i, it := range items {
		proposals[i] = *it.proposal
	}
	results, err := c.Writer.IngestBatch(ctx, proposals, c.options(m, items))
	if results == nil {
		return items, err
	}
	behind := map[string]bool{}
	for i, it := range items {
		if it.note(results[i].Changed, results[i].Err) {
			failure = results[i].Err
			behind[it.proposal.EntityURN] = true
			again = append(again, it)
		} else if behind[it.proposal.EntityURN] {
			again = append(again, it)
		}
	}
	return again, failure
}

// writeSnapshots writes snapshots together, or each by itself if one of them is refused.
func (c *Consumer) writeSnapshots(ctx context.Context, m *marks, items []*item) (again []*item, failure error) {
	snapshots := make([]write.Snapshot, len(items))
	for i, it := range items {
		snapshots[i] = *it.snapshot
	}
	results, err := c.Writer.IngestSnapshots(ctx, snapshots, c.options(m, items))
	if err == nil {
		for i, it := range items {
			it.note(results[i].Changed, nil)
		}
		return nil, nil
	}
	if len(items) == 1 {
		if items[0].note(false, err) {
			return items, err
		}
		return nil, nil
	}
	if err := m.read(ctx); err != nil {
		return items, err
	}
	for i := range items {
		if items[i].done { // in a transaction before the one that failed
			continue
		}
		if still, err := c.writeSnapshots(ctx, m, items[i:i+1]); len(still) > 0 {
			return items[i:], err
		}
	}
	return nil, nil
}
