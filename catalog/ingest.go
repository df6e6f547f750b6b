package catalog

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/internal/tasks"
)

// These bound one transaction of a batch: proposals and bytes of values.
const (
	maxTransactionItems = 1000
	maxTransactionBytes = 8 << 20
)

// WriteResult is what a write did.
type WriteResult struct {
	// URN is the entity's URN, normalised.
	URN string
	// Changed is false when the latest value was already the same, or there was
	// nothing to delete.
	Changed bool
	// Created is true when the aspect had no value before. It is false for values of time
	// series.
	Created bool
}

// BatchItem is the result of one proposal of a batch.
type BatchItem struct {
	WriteResult
	Err error
}

// Ingest applies one proposal. The write is durable when it returns.
func (c *Catalog) Ingest(ctx context.Context, p Proposal, o WriteOptions) (WriteResult, error) {
	c.nameProposals(ctx, p)
	ch, err := c.prepare(&p, o)
	if err != nil {
		return WriteResult{}, err
	}
	outcomes, err := c.applyEach(ctx, []*change{ch}, o)
	if err == nil {
		err = outcomes[0].err
	}
	if err != nil {
		return WriteResult{}, err
	}
	result := outcomes[0].result(ch)
	return result, c.SettleIf(ctx, result.Changed, o)
}

// applyEach applies changes in one transaction. One that cannot be applied has
// an error as its outcome and does not affect the others.
func (c *Catalog) applyEach(ctx context.Context, changes []*change, o WriteOptions) ([]outcome, error) {
	return c.update(ctx, changes, o, newWork(), func([]outcome) error { return nil })
}

// Settle ends a write: it calls the function that OnWrite registered, which waits
// for the search index if the write is to wait.
func (c *Catalog) Settle(ctx context.Context, o WriteOptions) error {
	switch {
	case c.afterWrite != nil:
		return c.afterWrite(ctx, o)
	case o.AwaitIndex:
		return ErrNoIndex
	}
	return nil
}

// SettleIf ends a write that perhaps changed nothing. The index may still lack the
// equal write before it, so that a write that is to wait does so in either case.
func (c *Catalog) SettleIf(ctx context.Context, changed bool, o WriteOptions) error {
	if changed || o.AwaitIndex {
		return c.Settle(ctx, o)
	}
	return nil
}

// OnWrite registers a function that is called after every write, when the store
// has it. The write is answered when the function returns. OnWrite is called at
// most once, before the catalog is used.
func (c *Catalog) OnWrite(after func(context.Context, WriteOptions) error) { c.afterWrite = after }

// Written is signalled after every write of this process.
func (c *Catalog) Written() *Broadcast { return &c.written }

// IngestTogether writes proposals in one transaction, all of them or none.
func (c *Catalog) IngestTogether(ctx context.Context, proposals []Proposal, o WriteOptions) error {
	changes := make([]*change, len(proposals))
	for i := range proposals {
		var err error
		if changes[i], err = c.prepare(&proposals[i], o); err != nil {
			return err
		}
	}
	return c.together(ctx, changes, o)
}

// together applies changes in one transaction, all of them or none.
func (c *Catalog) together(ctx context.Context, changes []*change, o WriteOptions) error {
	_, err := c.allOrNone(ctx, changes, o)
	return err
}

// allOrNone is together with what became of each change.
func (c *Catalog) allOrNone(ctx context.Context, changes []*change, o WriteOptions) ([]outcome, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	outcomes, err := c.updateWhole(ctx, changes, o, func(outcomes []outcome) error {
		for i := range outcomes {
			if outcomes[i].err != nil {
				return outcomes[i].err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outcomes, c.SettleIf(ctx, slices.ContainsFunc(outcomes, func(one outcome) bool { return one.changed }), o)
}

// updateWhole applies the changes of one request in one transaction, unless accept
// refuses their outcomes.
func (c *Catalog) updateWhole(ctx context.Context, changes []*change, o WriteOptions, accept func([]outcome) error) ([]outcome, error) {
	w := newWork()
	w.whole = true
	return c.update(ctx, changes, o, w, accept)
}

func (c *Catalog) update(ctx context.Context, changes []*change, o WriteOptions, w *work, accept func([]outcome) error) ([]outcome, error) {
	noteChanged(ctx, changes)
	var outcomes []outcome
	actor := o.ActorIn(changes[0].dialect)
	err := c.transact(ctx, urnsOf(changes), w, early(changes), func() (int, error) { return c.draftAll(ctx, changes, actor, w.whole) }, func(tx graphstore.Tx) error {
		var err error
		if outcomes, err = c.applyAll(tx, changes, actor, w); err != nil {
			return err
		}
		return accept(outcomes)
	})
	if err != nil {
		return nil, err
	}
	c.written.Signal()
	return outcomes, c.finishDeletions(ctx, w, o)
}

func urnsOf(changes []*change) []string {
	urns := make([]string, len(changes))
	for i, ch := range changes {
		urns[i] = ch.urn.String()
	}
	slices.Sort(urns)
	return slices.Compact(urns)
}

// IngestBatch applies many proposals in few transactions, in order. The items
// are independent: one that fails has the error in its result and does not
// affect the others. The error returned is of a context that ended before
// anything was tried, or of waiting for the search index.
func (c *Catalog) IngestBatch(ctx context.Context, proposals []Proposal, o WriteOptions) ([]BatchItem, error) {
	if err := ctx.Err(); err != nil {
		return nil, StoreFailure(err)
	}
	c.nameProposals(ctx, proposals...)
	items := make([]BatchItem, len(proposals))
	// The next chunk is validated while the one before is written.
	chunks := make(chan *chunk, 1)
	over := make(chan struct{}) // closed when nobody takes chunks any more
	producer := tasks.New("batch", c.logger)
	defer func() {
		close(over)
		_ = producer.Wait(context.Background())
	}()
	var broken error // set before chunks is closed
	producer.Go("preparing", func() {
		defer close(chunks)
		broken = safely.Do(func() error {
			for start := 0; start < len(proposals); {
				next := c.prepareChunk(proposals, items, start, o)
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
	for next := range chunks {
		c.writeChunk(ctx, next, items, o)
	}
	if broken != nil {
		return items, broken
	}
	return items, c.Settle(ctx, o)
}

// chunk is a part of a batch that is written together.
type chunk struct {
	changes []*change
	// at contains the positions of the changes in the batch.
	at  []int
	end int
}

// prepareChunk validates as many proposals from start on as one transaction may
// have. Invalid ones get their result.
func (c *Catalog) prepareChunk(proposals []Proposal, items []BatchItem, start int, o WriteOptions) *chunk {
	end, size := start, 0
	for end < len(proposals) && end-start < maxTransactionItems && size < maxTransactionBytes {
		if proposals[end].Aspect != nil {
			size += len(proposals[end].Aspect.Value)
		}
		end++
	}
	prepared := c.prepareAll(proposals, items, start, end, o)
	next := &chunk{end: end}
	for i, ch := range prepared {
		if ch != nil {
			next.changes, next.at = append(next.changes, ch), append(next.at, start+i)
		}
	}
	return next
}

// prepareAll validates the proposals from start up to end. Invalid ones get
// their result, and no change.
func (c *Catalog) prepareAll(proposals []Proposal, items []BatchItem, start, end int, o WriteOptions) []*change {
	prepared := make([]*change, end-start)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	const stride = 64
	for low := 0; low < len(prepared); low += stride {
		group.Go(func() error {
			for i := low; i < min(low+stride, len(prepared)); i++ {
				items[start+i].Err = safely.Do(func() error { // a panic is this item's error
					ch, err := c.prepare(&proposals[start+i], o)
					if err == nil {
						prepared[i], items[start+i].URN = ch, ch.urn.String()
					}
					return err
				})
			}
			return nil
		})
	}
	_ = group.Wait() // the functions report through items
	return prepared
}

// writeChunk writes a chunk in one transaction. If that fails and one item may
// be the cause, it writes the two halves separately.
func (c *Catalog) writeChunk(ctx context.Context, next *chunk, items []BatchItem, o WriteOptions) {
	if len(next.changes) == 0 {
		return
	}
	outcomes, err := c.applyEach(ctx, next.changes, o)
	if err != nil && len(next.changes) > 1 && (CodeOf(err) == Internal || errors.Is(err, graphstore.ErrAspectsFull)) {
		c.logger.WarnContext(ctx, "batch transaction failed, trying its halves", "items", len(next.changes), "error", errors.Unwrap(err))
		half := len(next.changes) / 2
		c.writeChunk(ctx, &chunk{changes: next.changes[:half], at: next.at[:half]}, items, o)
		c.writeChunk(ctx, &chunk{changes: next.changes[half:], at: next.at[half:]}, items, o)
		return
	}
	for i, at := range next.at {
		if err != nil {
			items[at].Err = err
			continue
		}
		items[at] = BatchItem{outcomes[i].result(next.changes[i]), outcomes[i].err}
	}
}
