package write

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/broadcast"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
)

// These bound one transaction of a batch: proposals and bytes of values.
const (
	maxTransactionItems = 1000
	maxTransactionBytes = 8 << 20
)

// Result is the effect of one proposal.
type Result struct {
	// URN is the entity's URN, normalised.
	URN string
	// Changed is false if the latest value was equal, or if there was nothing to delete.
	Changed bool
	// Created is true if the aspect had no value before. It is false for values of time series.
	Created bool
}

// BatchItem is the result of one proposal of a batch.
type BatchItem struct {
	Result
	Err error
}

// Ingest applies one proposal. The write is durable when it returns.
func (w *Writer) Ingest(ctx context.Context, p Proposal, o catalog.WriteOptions) (Result, error) {
	w.nameProposals(ctx, p)
	ch, err := w.changeOf(&p, o)
	if err != nil {
		return Result{}, err
	}
	outcomes, err := w.applyEach(ctx, []*change{ch}, o)
	if err == nil {
		err = outcomes[0].err
	}
	if err != nil {
		return Result{}, err
	}
	result := outcomes[0].result(ch)
	return result, w.SettleIf(ctx, result.Changed, o)
}

// applyEach applies changes in one transaction. A change that cannot be applied has an error as its
// outcome and does not affect the others.
func (w *Writer) applyEach(ctx context.Context, changes []*change, o catalog.WriteOptions) ([]outcome, error) {
	noteChanged(ctx, changes)
	a := attemptOf(changes, o)
	a.drafting = early(changes)
	if err := w.write(ctx, a, o); err != nil {
		return nil, err
	}
	return a.outcomes, nil
}

// Settle ends a write: it calls the function that OnWrite registered. If the write is to wait for
// the search index, that function waits.
func (w *Writer) Settle(ctx context.Context, o catalog.WriteOptions) error {
	switch {
	case w.afterWrite != nil:
		return w.afterWrite(ctx, o)
	case o.AwaitIndex:
		return catalog.ErrNoIndex
	}
	return nil
}

// SettleIf ends a write that may have changed nothing. A write with AwaitIndex waits in any case,
// because the index may still lack an earlier, equal write.
func (w *Writer) SettleIf(ctx context.Context, changed bool, o catalog.WriteOptions) error {
	if changed || o.AwaitIndex {
		return w.Settle(ctx, o)
	}
	return nil
}

// OnWrite registers a function that is called after every committed write. The write is answered
// when the function returns. OnWrite is called at most once, before the writer is used.
func (w *Writer) OnWrite(after func(context.Context, catalog.WriteOptions) error) {
	w.afterWrite = after
}

// OnCommit registers a function that is called with the URNs that a write may have changed, after the
// write is committed and before it is answered. OnCommit is called at most once, before the writer is used.
func (w *Writer) OnCommit(after func(urns []string)) { w.afterCommit = after }

// Written is signalled after every write of this process.
func (w *Writer) Written() *broadcast.Broadcast { return &w.written }

// IngestTogether writes proposals in one transaction, all of them or none.
func (w *Writer) IngestTogether(ctx context.Context, proposals []Proposal, o catalog.WriteOptions) error {
	changes := make([]*change, len(proposals))
	for i := range proposals {
		var err error
		if changes[i], err = w.changeOf(&proposals[i], o); err != nil {
			return err
		}
	}
	return w.together(ctx, changes, o)
}

// together applies changes in one transaction, all of them or none.
func (w *Writer) together(ctx context.Context, changes []*change, o catalog.WriteOptions) error {
	_, err := w.allOrNone(ctx, changes, o)
	return err
}

// allOrNone is together with the outcome of each change.
func (w *Writer) allOrNone(ctx context.Context, changes []*change, o catalog.WriteOptions) ([]outcome, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	outcomes, err := w.updateWhole(ctx, changes, o)
	if err != nil {
		return nil, err
	}
	return outcomes, w.SettleIf(ctx, slices.ContainsFunc(outcomes, func(one outcome) bool { return one.changed }), o)
}

// updateWhole applies the changes of one request in one transaction. If a change is refused,
// updateWhole writes nothing and returns the error of the change; the outcome of the change has
// the error too.
func (w *Writer) updateWhole(ctx context.Context, changes []*change, o catalog.WriteOptions) ([]outcome, error) {
	noteChanged(ctx, changes)
	a := attemptOf(changes, o)
	a.whole, a.drafting = true, early(changes)
	err := w.write(ctx, a, o)
	return a.outcomes, err
}

// IngestBatch applies many proposals in few transactions, in order. The items are independent: an
// item that fails has the error in its result and does not affect the others. IngestBatch itself
// fails if the context has ended before the first transaction, or if the search index does not
// follow.
func (w *Writer) IngestBatch(ctx context.Context, proposals []Proposal, o catalog.WriteOptions) ([]BatchItem, error) {
	if err := ctx.Err(); err != nil {
		return nil, catalog.StoreFailure(err)
	}
	w.nameProposals(ctx, proposals...)
	items := make([]BatchItem, len(proposals))
	// One chunk is validated while the one before it is written.
	chunks := make(chan *chunk, 1)
	over := make(chan struct{}) // closed when no goroutine takes chunks any more
	producer := tasks.New("batch", w.logger)
	defer func() {
		close(over)
		_ = producer.Wait(context.Background())
	}()
	var broken error // set before chunks is closed
	producer.Go("preparing", func() {
		defer close(chunks)
		broken = safely.Do(func() error {
			for start := 0; start < len(proposals); {
				next := w.nextChunk(proposals, items, start, o)
				start = next.end
				select {
				case chunks <- next:
				case <-over:
					return nil
				}
			}
			return nil
		})
	})
	if o.Alongside == nil {
		for next := range chunks {
			w.writeChunk(ctx, next, items, o, func(int, error) {})
		}
	} else {
		w.writeInOrder(ctx, chunks, items, o)
	}
	if broken != nil {
		return items, broken
	}
	return items, w.Settle(ctx, o)
}

// chunk is a part of a batch that is written together.
type chunk struct {
	changes []*change
	// at contains the positions of the changes in the batch.
	at  []int
	end int
}

// nextChunk validates proposals from start on, as many as one transaction may write. An invalid
// proposal gets its result.
func (w *Writer) nextChunk(proposals []Proposal, items []BatchItem, start int, o catalog.WriteOptions) *chunk {
	end, size := start, 0
	for end < len(proposals) && end-start < maxTransactionItems && size < maxTransactionBytes {
		if proposals[end].Aspect != nil {
			size += len(proposals[end].Aspect.Value)
		}
		end++
	}
	changes := w.changesOf(proposals, items, start, end, o)
	next := &chunk{end: end}
	for i, ch := range changes {
		if ch != nil {
			next.changes, next.at = append(next.changes, ch), append(next.at, start+i)
		}
	}
	return next
}

// changesOf validates the proposals from start up to end. An invalid proposal gets its result, and
// nil as its change.
func (w *Writer) changesOf(proposals []Proposal, items []BatchItem, start, end int, o catalog.WriteOptions) []*change {
	changes := make([]*change, end-start)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	const stride = 64
	for low := 0; low < len(changes); low += stride {
		group.Go(func() error {
			for i := low; i < min(low+stride, len(changes)); i++ {
				items[start+i].Err = safely.Do(func() error { // a panic is this item's error
					ch, err := w.changeOf(&proposals[start+i], o)
					if err == nil {
						changes[i], items[start+i].URN = ch, ch.urn.String()
					}
					return err
				})
			}
			return nil
		})
	}
	_ = group.Wait() // the functions report through items
	return changes
}

// writeInOrder writes chunks together with the records of o.Alongside. After an item has failed
// with a transient error, the items of all later chunks fail with the same error.
func (w *Writer) writeInOrder(ctx context.Context, chunks <-chan *chunk, items []BatchItem, o catalog.WriteOptions) {
	var written []int // the positions of the items that earlier chunks have written
	var failure error
	alongside := o.Alongside
	for next := range chunks {
		if failure != nil {
			for _, at := range next.at {
				items[at].Err = failure
			}
			continue
		}
		o.Alongside = func(now []int) []graphstore.Record { return alongside(slices.Concat(written, now)) }
		w.writeChunk(ctx, next, items, o, func(at int, err error) {
			if err == nil {
				written = append(written, at)
			} else if catalog.CodeOf(err).Transient() {
				failure = err
			}
		})
	}
}

// writeChunk writes a chunk in one transaction. If that fails and a single item may be the cause,
// writeChunk writes the two halves separately. writeChunk calls note with the position and the
// error of each item as soon as both are known.
func (w *Writer) writeChunk(ctx context.Context, next *chunk, items []BatchItem, o catalog.WriteOptions, note func(at int, err error)) {
	if len(next.changes) == 0 {
		return
	}
	outcomes, err := w.applyEach(ctx, next.changes, next.positioned(o))
	if err != nil && len(next.changes) > 1 && (catalog.CodeOf(err) == catalog.Internal || errors.Is(err, graphstore.ErrAspectsFull)) {
		w.logger.WarnContext(ctx, "batch transaction failed, trying its halves", "items", len(next.changes), "error", errors.Unwrap(err))
		half := len(next.changes) / 2
		w.writeChunk(ctx, &chunk{changes: next.changes[:half], at: next.at[:half]}, items, o, note)
		w.writeChunk(ctx, &chunk{changes: next.changes[half:], at: next.at[half:]}, items, o, note)
		return
	}
	for i, at := range next.at {
		if err != nil {
			items[at].Err = err
		} else {
			items[at] = BatchItem{outcomes[i].result(next.changes[i]), outcomes[i].err}
		}
		note(at, items[at].Err)
	}
}

// positioned returns the options for the transaction of a chunk, whose changes are counted from 0,
// in place of the options for its batch.
func (c *chunk) positioned(o catalog.WriteOptions) catalog.WriteOptions {
	if alongside := o.Alongside; alongside != nil {
		o.Alongside = func(written []int) []graphstore.Record {
			at := make([]int, len(written))
			for i, n := range written {
				at[i] = c.at[n]
			}
			return alongside(at)
		}
	}
	return o
}
