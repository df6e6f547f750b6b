package testservers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// TestPool: a server that another process uses is not taken but waited for, and the address of a server is the one
// that it writes when it answers.
func TestPool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(poolVariable, dir+string(filepath.ListSeparator))
	lock := flock.New(filepath.Join(dir, "lock"))
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if server, err := pooled(ctx); server.uri != "" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server in use: %q, %v", server.uri, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "address"), []byte("starting\nready bolt://127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if uri, err := addressIn(dir); uri != "bolt://127.0.0.1:1" || err != nil {
		t.Errorf("the address: %q, %v", uri, err)
	}
}

// TestNoPool: without a pool, no server is taken.
func TestNoPool(t *testing.T) {
	t.Setenv(poolVariable, "")
	if server, err := pooled(context.Background()); server.uri != "" || err != nil {
		t.Errorf("%q, %v", server.uri, err)
	}
}
