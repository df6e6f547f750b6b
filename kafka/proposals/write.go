package proposals

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/requestinfo"
)

// internalTries is the number of tries of a write whose failure has no known reason.
const internalTries = 3

// write writes items in order. If it returns an error, some items could be neither written nor
// refused; these items and the items after them come again.
func (c *Consumer) write(ctx context.Context, m *marks, items []*item) error {
	var waiting []*item
	for _, it := range items {
		if !it.done {
			waiting = append(waiting, it)
		}
	}
	for len(waiting) > 0 {
		end := 1 // the items up to end have one kind
		for end < len(waiting) && waiting[end].kind() == waiting[0].kind() {
			end++
		}
		step := c.writeProposals
		switch waiting[0].kind() {
		case snapshotItem:
			step = c.writeSnapshots
		case eventItem:
			step = c.writeEvents
		}
		if err := retry(ctx, waiting[:end], func(ctx context.Context, items []*item) ([]*item, error) { return step(ctx, m, items) }); err != nil {
			return err
		}
		waiting = waiting[end:]
	}
	return nil
}

// retry repeats a step with the items that the step returns, until the step returns none or its
// patience has ended.
func retry(ctx context.Context, items []*item, step func(context.Context, []*item) ([]*item, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for backoff := firstBackoff; ; backoff = min(2*backoff, time.Second) {
		unwritten, err := step(ctx, items)
		if len(unwritten) == 0 {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%d proposals cannot be written yet: %w", len(unwritten), err)
		}
		items = unwritten
		pause(ctx, backoff)
	}
}

// transient reports whether a write may succeed later. A failure without a known reason counts
// as transient for the first few times.
func (it *item) transient(err error) bool {
	code := catalog.CodeOf(err)
	if code == catalog.Internal {
		it.tries++
		return it.tries < internalTries
	}
	return code.Transient()
}

// note records the result of a write, unless the write is to be tried again.
func (it *item) note(changed bool, err error) (unwritten bool) {
	switch {
	case err == nil:
		it.done, it.changed, it.refused = true, it.changed || changed, nil
	case it.transient(err):
		return true
	case !it.done: // an item that was written before, and is repeated for the order, is not refused
		it.done, it.refused = true, err
	}
	return false
}

// options are the options for a write of some items of a batch. The same transaction marks the
// items that it writes.
func (c *Consumer) options(m *marks, items []*item) catalog.WriteOptions {
	return catalog.WriteOptions{KeepUnknown: c.KeepUnknown, Alongside: func(written []int) []graphstore.Record {
		now := make(map[*item]bool, len(written))
		for _, at := range written {
			now[items[at]] = true
		}
		return m.records(now)
	}}
}

// writeProposals writes proposals and returns the ones to try again: proposals with a temporary failure, and
// later proposals of the same entities.
func (c *Consumer) writeProposals(ctx context.Context, m *marks, items []*item) (unwritten []*item, failure error) {
	proposals := make([]write.Proposal, len(items))
	for i, it := range items {
		proposals[i] = *it.proposal
	}
	results, err := c.Writer.IngestBatch(fromTopic(ctx), proposals, c.options(m, items))
	if results == nil {
		return items, err
	}
	behind := map[string]bool{}
	for i, it := range items {
		if it.note(results[i].Changed, results[i].Err) {
			failure = results[i].Err
			behind[it.proposal.EntityURN] = true
			unwritten = append(unwritten, it)
		} else if behind[it.proposal.EntityURN] {
			unwritten = append(unwritten, it)
		}
	}
	return unwritten, failure
}

// writeSnapshots writes snapshots together, or one by one if one of them is refused. It returns
// the snapshots to try again.
func (c *Consumer) writeSnapshots(ctx context.Context, m *marks, items []*item) (unwritten []*item, failure error) {
	snapshots := make([]write.Snapshot, len(items))
	for i, it := range items {
		snapshots[i] = *it.snapshot
	}
	results, err := c.Writer.IngestSnapshots(fromTopic(ctx), snapshots, c.options(m, items))
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
		if items[i].done { // the snapshot was written in a transaction before the failed one
			continue
		}
		if still, err := c.writeSnapshots(ctx, m, items[i:i+1]); len(still) > 0 {
			return items[i:], err
		}
	}
	return nil, nil
}

// eventsAtOnce is the number of events that are taken together. It leaves room in the queue of events for other callers.
const eventsAtOnce = 256

// writeEvents takes OpenLineage events, in groups and in order. It returns the events to try again. The result of
// events does not depend on their order, so an event that comes again after later events does not undo their changes.
// Events have no marks: an event that is taken again changes nothing.
func (c *Consumer) writeEvents(ctx context.Context, _ *marks, items []*item) (unwritten []*item, failure error) {
	for group := range slices.Chunk(items, eventsAtOnce) {
		events := make([]json.RawMessage, len(group))
		for i, it := range group {
			events[i] = it.event
		}
		for i, err := range c.Take(fromTopic(ctx), events, catalog.WriteOptions{KeepUnknown: c.KeepUnknown}) {
			if group[i].note(true, err) {
				unwritten, failure = append(unwritten, group[i]), err
			}
		}
	}
	return unwritten, failure
}

// fromTopic returns the context of a write whose caller is anybody who may write to the topic. With
// authentication, such a caller cannot write aspects that give access.
func fromTopic(ctx context.Context) context.Context {
	return requestinfo.WithCaller(ctx, requestinfo.Caller{Means: requestinfo.ByTopic})
}
