package catalog

import (
	"context"

	"github.com/headwater-io/headwater/internal/tasks"
)

// errReadOnly is the answer of a read-only catalog to whoever wants to change something.
var errReadOnly = &Error{Code: Forbidden, Message: "this server is read-only (--read-only); nothing was changed"}

// SetReadOnly sets whether callers may change something. What the server itself keeps goes
// on being written: the index, the positions of followers, feeds, deliveries and, as
// [OwnWork], what the catalog does in the background.
func (c *Catalog) SetReadOnly(readOnly bool) {
	if c.readOnly.Swap(readOnly) != readOnly {
		c.readOnlySet.Signal()
	}
}

// ReadOnly reports whether callers may change nothing.
func (c *Catalog) ReadOnly() bool { return c.readOnly.Load() }

// RequireWritable refuses what changes something while the catalog is read-only, unless it is
// [OwnWork].
// Each door calls it before it does anything; a write would be refused in any case.
func (c *Catalog) RequireWritable(ctx context.Context) error {
	if own, _ := ctx.Value(ownWorkKey{}).(bool); !own && c.readOnly.Load() {
		return errReadOnly
	}
	return nil
}

// RequireWritableUnless is RequireWritable for a request that changes what the catalog describes,
// which a replica refuses too. It allows a dry run, which changes nothing.
func (c *Catalog) RequireWritableUnless(ctx context.Context, dryRun bool) error {
	if dryRun {
		return nil
	}
	if c.replicaOf != "" {
		return Errorf(Forbidden, "this server is a replica of %s and only repeats its changes; write there", c.replicaOf)
	}
	return c.RequireWritable(ctx)
}

type ownWorkKey struct{}

// OwnWork marks work of the server itself, which a read-only catalog does not refuse.
func OwnWork(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownWorkKey{}, true)
}

// WhileWritable runs work whenever the catalog is not read-only, until the context ends. The
// context of work ends when the catalog becomes read-only. What work has begun to write by
// then is still written.
func (c *Catalog) WhileWritable(ctx context.Context, work func(context.Context)) {
	for ctx.Err() == nil {
		set := c.readOnlySet.Wait() // before reading, so that no change is missed
		working, stop := context.WithCancel(OwnWork(ctx))
		running := tasks.New("catalog", c.logger)
		if !c.readOnly.Load() {
			running.Go("work while not read-only", func() { work(working) })
		}
		select {
		case <-set:
		case <-ctx.Done():
		}
		stop()
		_ = running.Wait(context.Background())
	}
}
