package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// trimAll trims the log, at most 128 changes a call, until no change is left to delete. trimAll
// returns the number of deleted changes.
func trimAll(t *testing.T, s graphstore.Store, trim graphstore.LogTrim) (deleted int64) {
	t.Helper()
	for {
		trim.Limit = 128
		n := must[int64](t)(s.TrimChanges(context.Background(), trim))
		if n == 0 {
			return deleted
		}
		deleted += n
	}
}

// testTrimChanges writes to so many entities that each shard has changes. Then it deletes the
// beginning of the log, under one condition after the other.
func testTrimChanges(t *testing.T, s graphstore.Store) {
	const entities, rounds = 100, 4
	ctx := context.Background()
	cursors := []string{""}
	for round := range rounds {
		urns, batch := make([]string, entities), graphstore.Batch{}
		for i := range entities {
			urns[i] = urn(i)
			batch.Nodes = append(batch.Nodes, node(urns[i]))
			batch.Changes = append(batch.Changes, graphstore.Change{
				Time: int64(round+1) * 1000, Actor: actor, Kind: graphstore.ChangeUpsert, URN: urns[i], EntityType: "dataset", Aspect: "ownership",
				TimeSeriesKey: fmt.Sprint(round), TimeSeriesTime: 1, Value: value(round),
			})
		}
		write(t, s, urns, batch)
		cursors = append(cursors, must[string](t)(s.EndCursor(ctx)))
	}
	left := func() int { return len(readAll(t, s, must[string](t)(s.OldestCursor(ctx)), 100)) }
	for _, c := range []struct {
		what string
		trim graphstore.LogTrim
	}{
		{"a follower at the beginning", graphstore.LogTrim{Cursors: []string{cursors[3], ""}}},
		{"nothing is old", graphstore.LogTrim{Before: 1000}},
		{"all are kept", graphstore.LogTrim{Keep: math.MaxInt32}},
	} {
		if n := trimAll(t, s, c.trim); n != 0 || left() != entities*rounds {
			t.Errorf("%s: %d deleted, %d left", c.what, n, left())
		}
	}
	trimAll(t, s, graphstore.LogTrim{Before: 3000, Cursors: []string{cursors[1]}})
	wantLost(t, s, "")
	for i, from := range cursors[1:] {
		if n := len(readAll(t, s, from, 100)); n != entities*(rounds-1-i) {
			t.Errorf("after round %d: %d changes", i+1, n)
		}
	}
	trimAll(t, s, graphstore.LogTrim{Before: 3000, Cursors: []string{cursors[2]}})
	wantLost(t, s, cursors[1])
	if n := len(readAll(t, s, cursors[2], 100)); n != 2*entities {
		t.Errorf("after the second round: %d changes", n)
	}
	trimAll(t, s, graphstore.LogTrim{})
	if n := left(); n != 0 {
		t.Errorf("%d changes follow the oldest one", n)
	}
	if lag := must[int64](t)(s.Lag(ctx, cursors[4])); lag != 0 {
		t.Errorf("at the end %d changes are missing", lag)
	}
	must[int64](t)(s.Lag(ctx, ""))
	put(t, s, urn(1), "ownership", value(9))
	if n := len(readAll(t, s, cursors[4], 100)); n != 1 {
		t.Errorf("after the end: %d changes", n)
	}
}

func wantLost(t *testing.T, s graphstore.Store, cursor string) {
	t.Helper()
	if _, _, err := s.Changes(context.Background(), cursor, 10); !errors.Is(err, graphstore.ErrLostCursor) {
		t.Errorf("changes after %q, which were deleted: %v", cursor, err)
	}
	if _, _, err := s.ChangesWithoutValues(context.Background(), cursor, 10); !errors.Is(err, graphstore.ErrLostCursor) {
		t.Errorf("changes without values after %q, which were deleted: %v", cursor, err)
	}
}
