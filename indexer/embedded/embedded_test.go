package embedded_test

import (
	"context"
	"errors"
	"testing"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/indexer/indextest"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

func open(t testing.TB, dir, fingerprint string) *embedded.Index {
	t.Helper()
	x, err := embedded.Open(context.Background(), embedded.Options{Dir: dir, Fingerprint: fingerprint})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func TestConformance(t *testing.T) {
	conformance(t, func(t testing.TB, dir string) *embedded.Index { return open(t, dir, "") })
}

// TestConformanceOfFiles runs the suite with next to no memory, so that documents are in
// many files that are merged all the time.
func TestConformanceOfFiles(t *testing.T) { conformance(t, small) }

func conformance(t *testing.T, open func(t testing.TB, dir string) *embedded.Index) {
	dirs := map[indexer.Index]string{}
	indextest.Run(t, indextest.Backend{
		Many: 10_200, Rounds: testsize.Of(100, 250),
		New: func(t testing.TB) indexer.Index {
			dir := t.TempDir()
			x := open(t, dir)
			dirs[x] = dir
			return x
		},
		Reopen: func(t testing.TB, x indexer.Index) indexer.Index {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			reopened := open(t, dirs[x])
			dirs[reopened] = dirs[x]
			return reopened
		},
	})
}

// TestLock: only one process at a time can open an index.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	x := open(t, dir, "")
	if _, err := embedded.Open(context.Background(), embedded.Options{Dir: dir}); !errors.Is(err, indexer.ErrUnavailable) {
		t.Errorf("a second one: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir, "")
}

// TestOtherFingerprint: an index that was written with another fingerprint is empty when it
// is opened.
func TestOtherFingerprint(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	x := open(t, dir, "one")
	if err := x.Write(ctx, indexer.Batch{Cursor: "5"}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ fingerprint, cursor string }{{"one", "5"}, {"two", ""}, {"one", ""}} {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x = open(t, dir, step.fingerprint)
		if cursor, err := x.Cursor(ctx); err != nil || cursor != step.cursor {
			t.Errorf("opened as %s: cursor %q, %v, want %q", step.fingerprint, cursor, err, step.cursor)
		}
	}
}
