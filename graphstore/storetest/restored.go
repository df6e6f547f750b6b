package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testRestored replaces a store with an earlier copy of the store. Cursors from before the copy
// must remain valid. Cursors of changes that the copy never had must be refused, even when new
// changes have got the same numbers.
func testRestored(t *testing.T, b Backend) {
	ctx, s := context.Background(), b.New(t)
	for n := range 70 { // so many entities have changes in every shard of the log
		put(t, s, urn(n), "ownership", value(n))
	}
	before := must[string](t)(s.EndCursor(ctx))
	closeStore(t, s)
	restore := b.Keep(t)
	s = b.Reopen(t)
	lost := make([]string, 8)
	for n := range lost {
		put(t, s, urn(n), "ownership", value(100+n))
		lost[n] = must[string](t)(s.EndCursor(ctx))
	}
	closeStore(t, s)
	restore(t)

	s = b.Reopen(t)
	defer closeStore(t, s)
	refused := func(when string) {
		t.Helper()
		for n, cursor := range lost {
			if changes, _, err := s.Changes(ctx, cursor, 10); !errors.Is(err, graphstore.ErrLostCursor) || !errors.Is(err, graphstore.ErrBadCursor) {
				t.Errorf("%s, after lost change %d: %d changes, %v", when, n, len(changes), err)
			}
			if lag, err := s.Lag(ctx, cursor); !errors.Is(err, graphstore.ErrLostCursor) {
				t.Errorf("%s, the lag behind lost change %d is %d, %v", when, n, lag, err)
			}
		}
	}
	refused("before any write")
	for n := range 2 * len(lost) { // writes to the same entities use the same shards and numbers
		put(t, s, urn(n), "ownership", value(200+n))
		refused("with other changes")
	}
	if changes := readAll(t, s, before, 100); len(changes) != 2*len(lost) {
		t.Errorf("after the copy there are %d changes, want %d", len(changes), 2*len(lost))
	}
}

// testOtherLog takes a cursor to a log that never had it.
func testOtherLog(t *testing.T, b Backend) {
	ctx, s := context.Background(), b.New(t)
	cursors := []string{must[string](t)(s.EndCursor(ctx))}
	put(t, s, urn(1), "ownership", value(1))
	cursors = append(cursors, must[string](t)(s.EndCursor(ctx)))
	closeStore(t, s)
	s = b.New(t)
	defer closeStore(t, s)
	put(t, s, urn(1), "ownership", value(1))
	for n, cursor := range cursors {
		if _, _, err := s.Changes(ctx, cursor, 10); !errors.Is(err, graphstore.ErrLostCursor) {
			t.Errorf("a cursor after %d changes of another log: %v", n, err)
		}
	}
}

// testReached compares the positions of cursors with Covers and Missing.
func testReached(t *testing.T, s graphstore.Store) {
	cursors := []string{""}
	for n := range 6 {
		put(t, s, urn(n%4), "ownership", value(n))
		cursors = append(cursors, must[string](t)(s.EndCursor(context.Background())))
	}
	for i, at := range cursors {
		for j, target := range cursors {
			if got, err := s.Covers(at, target); err != nil || got != (i >= j) {
				t.Errorf("position %d has reached %d: %t, %v", i, j, got, err)
			}
			if got, err := s.Missing(at, target); err != nil || got != int64(max(j-i, 0)) {
				t.Errorf("at position %d, %d changes are missing up to %d: %v", i, got, j, err)
			}
		}
	}
	for _, pair := range [][2]string{{"not a cursor!", cursors[1]}, {cursors[1], "not a cursor!"}} {
		if _, err := s.Covers(pair[0], pair[1]); !errors.Is(err, graphstore.ErrBadCursor) {
			t.Errorf("%q: %v", pair, err)
		}
		if _, err := s.Missing(pair[0], pair[1]); !errors.Is(err, graphstore.ErrBadCursor) {
			t.Errorf("%q: %v", pair, err)
		}
	}
}
