package write

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/tasks"
)

// errReadOnly is the error of a read-only server for callers who want to change something.
var errReadOnly = &catalog.Error{Code: catalog.Forbidden, Message: "this server is read-only (--read-only); nothing was changed"}

// SetReadOnly sets whether callers may change something. A read-only server still writes its own
// data: the index, the positions of followers, feeds, deliveries and, as [OwnWork], the work of the
// writer in the background.
func (w *Writer) SetReadOnly(readOnly bool) {
	if w.readOnly.Swap(readOnly) != readOnly {
		w.readOnlySet.Signal()
	}
}

// ReadOnly reports whether callers may change nothing.
func (w *Writer) ReadOnly() bool { return w.readOnly.Load() }

// RequireWritable fails if the server is read-only and the context is not one of [OwnWork]. Each
// door calls it before its work, so that a request fails early; the writer checks again.
func (w *Writer) RequireWritable(ctx context.Context) error {
	if !IsOwnWork(ctx) && w.readOnly.Load() {
		return errReadOnly
	}
	return nil
}

// RequireWritableUnless is RequireWritable for a request that changes metadata, which a replica
// refuses too. A dry run is allowed.
func (w *Writer) RequireWritableUnless(ctx context.Context, dryRun bool) error {
	if dryRun {
		requestinfo.DeedOf(ctx).Tries()
		return nil
	}
	if w.replicaOf != "" {
		return catalog.Errorf(catalog.Forbidden, "this server is a replica of %s and only repeats its changes; write there", w.replicaOf)
	}
	return w.RequireWritable(ctx)
}

type ownWorkKey struct{}

// OwnWork marks work of the server itself, which a read-only server does not refuse.
func OwnWork(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownWorkKey{}, true)
}

// IsOwnWork reports whether a context is one of [OwnWork].
func IsOwnWork(ctx context.Context) bool {
	own, _ := ctx.Value(ownWorkKey{}).(bool)
	return own
}

// WhileWritable runs work whenever the server is not read-only, until the context ends. When the
// server becomes read-only, the context of the work ends; a write that has begun is still finished.
func (w *Writer) WhileWritable(ctx context.Context, work func(context.Context)) {
	for ctx.Err() == nil {
		set := w.readOnlySet.Wait() // before reading, so that no change is missed
		working, stop := context.WithCancel(OwnWork(ctx))
		running := tasks.New("catalog", w.logger)
		if !w.readOnly.Load() {
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
