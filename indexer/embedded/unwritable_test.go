package embedded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestUnwritableSnapshot: an index that cannot save its changes reports this until it can,
// and then saves all changes.
func TestUnwritableSnapshot(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	x, m := small(t, dir), newModel(7)
	if err := x.Ping(ctx); err != nil {
		t.Fatal(err)
	}
	inTheWay := filepath.Join(dir, "search", "snapshot.new")
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	n := 0
	testclock.Await(t, "the index says that it cannot be written", func() bool {
		ready := x.Ping(ctx)
		if ready == nil { // writes succeed until the memory is full, and do not wait for saving
			n++
			b := m.batch(500, 40)
			b.Cursor = strconv.Itoa(n)
			if err := x.Write(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		return errors.Is(ready, indexer.ErrUnwritable)
	})
	if _, err := x.Cursor(ctx); err != nil {
		t.Errorf("it does not answer: %v", err)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	testclock.Await(t, "the index can be written again", func() bool { return x.Ping(ctx) == nil })
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if cursor, err := small(t, dir).Cursor(ctx); err != nil || cursor != strconv.Itoa(n) {
		t.Errorf("saved up to %q of %d, %v", cursor, n, err)
	}
}
