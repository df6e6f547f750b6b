package embedded

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
)

// read runs fn on one state of the index.
func (x *Index) read(ctx context.Context, fn func(*reading) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	v := x.acquire()
	if v == nil {
		return indexer.ErrClosed
	}
	defer v.release()
	return v.guarded(func() error { return fn(&reading{ctx: ctx, view: v}) })
}

// guarded runs fn, which reads the segments of the current view.
func (c *core) guarded(fn func() error) error {
	v := c.acquire()
	if v == nil {
		return indexer.ErrClosed
	}
	defer v.release()
	return v.guarded(fn)
}

// guarded runs fn, which reads segments. Files that were changed or shortened by
// somebody else may lead anywhere, up to a panic. That is damage if a file is no longer
// as it was written, and a fault of ours if all are.
func (v *view) guarded(fn func() error) error {
	former := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(former)
	err := safely.Do(fn)
	var fault *safely.PanicError
	if errors.As(err, &fault) {
		if damage := v.verify(); damage != nil {
			return fmt.Errorf("%w: %w (%v)", indexer.ErrDamaged, damage, fault.Value)
		}
	}
	return err
}

// verify compares the files with their hashes.
func (v *view) verify() error {
	for i := range v.parts {
		if m := v.parts[i].mapped; m != nil {
			if err := verify(m.path, m.sum); err != nil {
				return err
			}
		}
	}
	return nil
}
