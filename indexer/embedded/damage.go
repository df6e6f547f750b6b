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

// guarded runs fn, which reads segments. A file that another program changed or shortened
// can make fn panic. After a panic, guarded compares the files with their hashes. If a file
// has changed, the error wraps [indexer.ErrDamaged]; otherwise it is the panic, which is a
// bug of this package.
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

// verify compares each file of the view with its hash.
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
