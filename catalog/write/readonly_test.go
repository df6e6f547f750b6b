package write_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
)

// TestReadOnly: a read-only catalog refuses the writes of callers, even if a door forgot to ask, and permits
// the writes of the server itself.
func TestReadOnly(t *testing.T) {
	h := catalogtest.NewHarness(t)
	removed := catalogtest.Proposal("UPSERT", catalogtest.Table, "status", `{"removed":true}`)
	write := func(ctx context.Context) error {
		_, err := h.Ingest(ctx, removed, catalog.WriteOptions{})
		return err
	}
	h.SetReadOnly(true)
	before := h.State()
	if err := write(t.Context()); catalog.CodeOf(err) != catalog.Forbidden || h.State() != before {
		t.Errorf("a write of a caller: %v", err)
	}
	done := make(chan error, 1)
	if err := h.Background("work", func(ctx context.Context) { done <- write(ctx) }); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || h.State() == before {
		t.Errorf("work in the background: %v", err)
	}
	if err := h.RequireWritableUnless(t.Context(), true); err != nil {
		t.Errorf("a dry run: %v", err)
	}
	h.SetReadOnly(false)
	removed = catalogtest.Proposal("UPSERT", catalogtest.Table, "status", `{"removed":false}`)
	if err := write(t.Context()); err != nil {
		t.Errorf("the catalog may be changed again: %v", err)
	}
}

// TestWhileWritable: the work ends when the catalog becomes read-only, begins again when the
// catalog is writable again, and may write until the work's end.
func TestWhileWritable(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.SetReadOnly(true)
	began, ended := make(chan bool), make(chan error)
	ctx, stop := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		h.WhileWritable(ctx, func(ctx context.Context) {
			began <- h.ReadOnly()
			<-ctx.Done()
			_, err := h.Ingest(context.WithoutCancel(ctx), catalogtest.Proposal("UPSERT", catalogtest.Table, "status", `{"removed":true}`), catalog.WriteOptions{})
			ended <- err
		})
	}()
	for range 3 {
		h.SetReadOnly(false)
		if <-began {
			t.Error("work began in a read-only catalog")
		}
		h.SetReadOnly(true)
		if err := <-ended; err != nil {
			t.Errorf("work that had begun: %v", err)
		}
	}
	h.SetReadOnly(false)
	<-began
	stop()
	<-ended
	<-left
}
