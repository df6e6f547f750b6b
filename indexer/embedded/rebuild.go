package embedded

import (
	"context"

	"github.com/headwater-io/headwater/indexer"
)

// build is an index under construction. Its files are in the same directory as the files of the
// serving index; the snapshot does not name them before Swap.
type build struct {
	index *Index
	core  *core
}

// Rebuild starts an empty index beside the serving one.
func (x *Index) Rebuild(context.Context) (indexer.Build, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, indexer.ErrClosed
	}
	return &build{index: x, core: newCore(&x.options, &x.number, saved{}, false)}, nil
}

func (b *build) Write(ctx context.Context, batch indexer.Batch) error {
	return b.core.guarded(func() error { return b.core.write(ctx, batch) })
}

func (b *build) Cursor(context.Context) (string, error) { return b.core.cursor() }

// Swap replaces the serving index with the new one. Searches do not wait for it.
func (b *build) Swap(context.Context) error {
	c, x := b.core, b.index
	c.halt()
	if err := c.guarded(c.save); err != nil { // this saves most documents, before writes must wait
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return indexer.ErrClosed
	}
	former := x.core.Load()
	former.halt()
	c.serving, c.unsaved = true, true
	if err := c.guarded(c.save); err != nil {
		c.serving = false
		former.start()
		return err
	}
	x.core.Store(c)
	b.core = nil
	c.start()
	return former.close(false)
}

// Abandon deletes the new index. After Swap it does nothing.
func (b *build) Abandon() error {
	if b.core == nil {
		return nil
	}
	c := b.core
	b.core = nil
	return c.close(false)
}
