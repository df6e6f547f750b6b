package catalogtest

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
)

// faultyIndex is an index that can be told to fail.
type faultyIndex struct {
	indexer.Index
	Down atomic.Bool
	// Damaged: every read and write fails until a rebuild, which waits for hold.
	Damaged atomic.Bool
	Hold    sync.Mutex
	// HoldWrites is locked by every write meanwhile.
	HoldWrites sync.Mutex
	// Writes counts the documents that were written and deleted.
	Writes atomic.Int64
	// refused are the URNs of documents that are not taken.
	refused atomic.Pointer[[]string]
}

func (f *faultyIndex) Refuse(urns ...string) { f.refused.Store(&urns) }

func (f *faultyIndex) fault() error {
	switch {
	case f.Down.Load():
		return indexer.ErrUnavailable
	case f.Damaged.Load():
		return indexer.ErrDamaged
	}
	return nil
}

func (f *faultyIndex) Write(ctx context.Context, b indexer.Batch) error {
	f.HoldWrites.Lock()
	defer f.HoldWrites.Unlock()
	f.Writes.Add(int64(len(b.Put) + len(b.Delete)))
	if err := f.fault(); err != nil {
		return err
	}
	return f.write(ctx, f.Index, b)
}

// write leaves out the documents that the index is told to refuse.
func (f *faultyIndex) write(ctx context.Context, into indexer.Writer, b indexer.Batch) error {
	var refusals []indexer.Refusal
	if refused := f.refused.Load(); refused != nil {
		b.Put = slices.DeleteFunc(slices.Clone(b.Put), func(d indexer.Document) bool {
			if slices.Contains(*refused, d.URN) {
				refusals = append(refusals, indexer.Refusal{URN: d.URN, Reason: "it is too odd"})
				return true
			}
			return false
		})
	}
	if err := into.Write(ctx, b); err != nil || len(refusals) == 0 {
		return err
	}
	return &indexer.RefusedError{Refusals: refusals}
}

func (f *faultyIndex) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.Index.Search(ctx, q)
}

func (f *faultyIndex) SearchMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	if err := f.fault(); err != nil {
		return nil, err
	}
	return f.Index.SearchMany(ctx, queries)
}

// faultyBuild mends the damage of its index.
type faultyBuild struct {
	indexer.Build
	index *faultyIndex
}

func (f *faultyIndex) Rebuild(ctx context.Context) (indexer.Build, error) {
	build, err := f.Index.Rebuild(ctx)
	return faultyBuild{build, f}, err
}

func (b faultyBuild) Write(ctx context.Context, batch indexer.Batch) error {
	return b.index.write(ctx, b.Build, batch)
}

func (b faultyBuild) Swap(ctx context.Context) error {
	b.index.Hold.Lock()
	defer b.index.Hold.Unlock()
	defer b.index.Damaged.Store(false)
	return b.Build.Swap(ctx)
}

// Faulty is a store that can be told to fail.
type Faulty struct {
	graphstore.Store
	Fail error
	// FailCommit fails after the function has run, as a lost commit does.
	FailCommit error
	// FailWalk fails walks. CutWalk is returned as the reason why they were cut.
	FailWalk error
	CutWalk  graphstore.Cut
	// FailRead fails reads of runs and of the holdings of entities.
	FailRead error
	// Updates counts the transactions. The transaction with the number FailUpdateAt fails before
	// it begins, the transaction with the number FailCommitAt when it is committed. BeforeUpdate
	// is called with each number.
	Updates                    atomic.Int64
	FailUpdateAt, FailCommitAt int64
	BeforeUpdate               func(n int64)
}

func (f *Faulty) Runs(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	if f.FailRead != nil {
		return nil, 0, f.FailRead
	}
	return f.Store.Runs(ctx, q)
}

func (f *Faulty) Rows(ctx context.Context, q graphstore.RowQuery) ([]graphstore.Row, string, error) {
	if f.FailRead != nil {
		return nil, "", f.FailRead
	}
	return f.Store.Rows(ctx, q)
}

func (f *Faulty) Holdings(ctx context.Context, urns []string) (map[string]graphstore.Holdings, error) {
	if f.FailRead != nil {
		return nil, f.FailRead
	}
	return f.Store.Holdings(ctx, urns)
}

func (f *Faulty) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	if f.FailWalk != nil {
		return graphstore.Walk{}, f.FailWalk
	}
	walk, err := f.Store.Walk(ctx, q)
	if f.CutWalk != graphstore.NotCut {
		walk.Cut = f.CutWalk
	}
	return walk, err
}

func (f *Faulty) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	n := f.Updates.Add(1)
	if f.BeforeUpdate != nil {
		f.BeforeUpdate(n)
	}
	if f.Fail != nil {
		return f.Fail
	}
	if n == f.FailUpdateAt {
		return graphstore.ErrUnavailable
	}
	return f.Store.Update(ctx, urns, func(tx graphstore.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if n == f.FailCommitAt {
			return graphstore.ErrUnavailable
		}
		return f.FailCommit
	})
}
