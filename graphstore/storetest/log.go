package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

func testTimeSeries(t *testing.T, s graphstore.Store) {
	u := urn(1)
	var values []graphstore.TimeSeriesValue
	for n := 1; n <= 6; n++ {
		values = append(values, graphstore.TimeSeriesValue{
			URN: u, Aspect: "profile", Key: fmt.Sprintf("k%d", n), Timestamp: int64(n/2) * 10, Value: value(n),
			CreatedOn: 5, CreatedBy: actor, System: system("run"),
		})
	}
	write(t, s, []string{u}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(u)}, PutTimeSeries: values})
	replacement := values[0]
	replacement.Value = value(100)
	write(t, s, []string{u}, graphstore.Batch{PutTimeSeries: []graphstore.TimeSeriesValue{replacement}})
	list := func(q graphstore.TimeSeriesQuery) []string {
		q.URN, q.Aspect = u, "profile"
		var keys []string
		for _, v := range must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(context.Background(), q)) {
			keys = append(keys, v.Key)
		}
		return keys
	}
	wantEqual(t, "newest first", list(graphstore.TimeSeriesQuery{Limit: 9}), []string{"k6", "k4", "k5", "k2", "k3", "k1"})
	wantEqual(t, "oldest first", list(graphstore.TimeSeriesQuery{Limit: 9, Ascending: true}), []string{"k1", "k2", "k3", "k4", "k5", "k6"})
	wantEqual(t, "both bounds included", list(graphstore.TimeSeriesQuery{Limit: 9, From: 10, To: 20}), []string{"k4", "k5", "k2", "k3"})
	wantEqual(t, "limit", list(graphstore.TimeSeriesQuery{Limit: 2}), []string{"k6", "k4"})
	wantEqual(t, "page", list(graphstore.TimeSeriesQuery{Limit: 2, After: &graphstore.TimeSeriesPosition{Timestamp: 20, Key: "k4"}}), []string{"k5", "k2"})
	wantEqual(t, "page upwards", list(graphstore.TimeSeriesQuery{Limit: 2, Ascending: true, After: &graphstore.TimeSeriesPosition{Timestamp: 10, Key: "k2"}}), []string{"k3", "k4"})
	wantEqual(t, "no limit", list(graphstore.TimeSeriesQuery{}), []string{})
	first := must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(context.Background(), graphstore.TimeSeriesQuery{URN: u, Aspect: "profile", Limit: 1, Ascending: true}))
	wantEqual(t, "the value that replaced another", first, []graphstore.TimeSeriesValue{replacement})
	latest := must[map[string][]graphstore.TimeSeriesValue](t)(s.LatestTimeSeries(context.Background(), []string{u, urn(2)}, []string{"profile", "usage", "nothing"}))
	wantEqual(t, "the newest values", latest, map[string][]graphstore.TimeSeriesValue{u: {values[5]}})
	if none := must[map[string][]graphstore.TimeSeriesValue](t)(s.LatestTimeSeries(context.Background(), []string{u}, nil)); len(none) != 0 {
		t.Errorf("the newest of no aspect: %v", none)
	}
	if other := must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(context.Background(), graphstore.TimeSeriesQuery{URN: u, Aspect: "usage", Limit: 1})); len(other) != 0 {
		t.Errorf("another aspect: %v", other)
	}
}

func testDeleteTimeSeries(t *testing.T, s graphstore.Store) {
	u := urn(1)
	left := func() int {
		n := 0
		for _, aspect := range []string{"profile", "usage"} {
			n += len(must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(context.Background(), graphstore.TimeSeriesQuery{URN: u, Aspect: aspect, Limit: 99})))
		}
		return n
	}
	var values []graphstore.TimeSeriesValue
	for n := 1; n <= 4; n++ {
		for _, aspect := range []string{"profile", "usage"} {
			values = append(values, graphstore.TimeSeriesValue{
				URN: u, Aspect: aspect, Key: fmt.Sprint(n), Timestamp: int64(n), Value: value(n), System: system(fmt.Sprintf("run%d", n%2)),
			})
		}
	}
	write(t, s, []string{u}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(u)}, PutTimeSeries: values})
	for _, c := range []struct {
		r    graphstore.TimeSeriesRange
		left int
	}{
		{graphstore.TimeSeriesRange{URN: u, Aspect: "profile", From: 2, To: 2}, 7},
		{graphstore.TimeSeriesRange{URN: u, Aspect: "nothing"}, 7},
		{graphstore.TimeSeriesRange{URN: u, RunID: "run1"}, 3},
		{graphstore.TimeSeriesRange{URN: u, RunID: "unknown"}, 3},
		{graphstore.TimeSeriesRange{URN: u}, 0},
	} {
		write(t, s, []string{u}, graphstore.Batch{DeleteTimeSeries: []graphstore.TimeSeriesRange{c.r}})
		if got := left(); got != c.left {
			t.Errorf("after deleting %+v: %d values, want %d", c.r, got, c.left)
		}
	}
}

// readAll reads the change log from a cursor to the end, size changes a page.
func readAll(t testing.TB, s graphstore.Store, from string, size int) []graphstore.Change {
	t.Helper()
	var all []graphstore.Change
	for {
		page, next, err := s.Changes(context.Background(), from, size)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		if page[len(page)-1].Cursor != next {
			t.Fatalf("the last change's cursor is %q, the next one %q", page[len(page)-1].Cursor, next)
		}
		all, from = append(all, page...), next
	}
}

func testChanges(t *testing.T, s graphstore.Store) {
	a, b := urn(1), urn(2)
	put(t, s, a, "ownership", value(1))
	put(t, s, b, "ownership", value(2))
	middle := must[string](t)(s.EndCursor(context.Background()))
	put(t, s, a, "ownership", value(3))
	write(t, s, []string{a}, graphstore.Batch{
		PutTimeSeries: []graphstore.TimeSeriesValue{{URN: a, Aspect: "profile", Key: "k", Timestamp: 4, Value: value(4)}},
		Changes: []graphstore.Change{{
			Time: 1, Actor: actor, Kind: graphstore.ChangeUpsert, URN: a, EntityType: "dataset", Aspect: "profile", TimeSeriesTime: 4, TimeSeriesKey: "k",
		}},
	})
	if lag := must[int64](t)(s.Lag(context.Background(), middle)); lag != 2 {
		t.Errorf("lag is %d, want 2", lag)
	}
	for _, size := range []int{1, 2, 100} {
		all := readAll(t, s, "", size)
		if len(all) != 4 {
			t.Fatalf("in pages of %d: %d changes", size, len(all))
		}
		var ofA []graphstore.Change
		for _, c := range all {
			if c.URN == a {
				ofA = append(ofA, c)
			}
		}
		last := ofA[1]
		if last.Seq != 2 || last.PreviousSeq != 1 || string(last.Value) != string(value(3)) || string(last.Previous) != string(value(1)) ||
			last.Kind != graphstore.ChangeUpsert || last.Actor != actor || last.EntityType != "dataset" || last.Aspect != "ownership" || last.ValuesPruned {
			t.Errorf("change: %+v", last)
		}
		if last.System == nil || last.System.RunID != "run" || last.PreviousSystem == nil {
			t.Errorf("system metadata: %+v %+v", last.System, last.PreviousSystem)
		}
		if string(ofA[2].Value) != string(value(4)) {
			t.Errorf("time series change: %+v", ofA[2])
		}
	}
	expectWithoutValues(t, s)
	if rest := readAll(t, s, middle, 10); len(rest) != 2 {
		t.Errorf("after the middle: %d changes", len(rest))
	}
	if _, _, err := s.Changes(context.Background(), "not a cursor!", 10); !errors.Is(err, graphstore.ErrBadCursor) {
		t.Errorf("bad cursor: %v", err)
	}
}

// expectWithoutValues: reading the log without values gives the same changes, order and cursors
// as reading the log with values.
func expectWithoutValues(t *testing.T, s graphstore.Store) {
	t.Helper()
	for _, size := range []int{1, 3, 100} {
		at, end := "", ""
		for {
			with := must[[]graphstore.Change](t)(first(s.Changes(context.Background(), at, size)))
			without, next, err := s.ChangesWithoutValues(context.Background(), at, size)
			if err != nil {
				t.Fatal(err)
			}
			if len(with) > 0 {
				end = with[len(with)-1].Cursor
			}
			for i := range with {
				c := &with[i]
				c.Cursor, c.Value, c.Previous, c.System, c.PreviousSystem, c.ValuesPruned = "", nil, nil, nil, nil, false
			}
			if diff := cmp.Diff(with, without); diff != "" {
				t.Fatalf("without values, in pages of %d (-with +without):\n%s", size, diff)
			}
			if next != end {
				t.Fatalf("the cursor is %q, want %q", next, end)
			}
			if len(without) == 0 {
				break
			}
			at = next
		}
	}
	if changes, _, err := s.ChangesWithoutValues(context.Background(), "", 0); err != nil || len(changes) > 0 {
		t.Errorf("a limit of 0: %d changes, %v", len(changes), err)
	}
	if _, _, err := s.ChangesWithoutValues(context.Background(), "not a cursor!", 10); !errors.Is(err, graphstore.ErrBadCursor) {
		t.Errorf("bad cursor: %v", err)
	}
}

func testPrunedChanges(t *testing.T, s graphstore.Store) {
	u := urn(1)
	put(t, s, u, "ownership", value(1))
	put(t, s, u, "ownership", value(2))
	write(t, s, []string{u}, graphstore.Batch{DeleteVersions: []graphstore.VersionRange{{Key: key(u, "ownership"), FromSeq: 1, ToSeq: 1}}})
	before := system("old")
	write(t, s, []string{u}, graphstore.Batch{
		DeleteEntities: []string{u},
		Changes: []graphstore.Change{{
			Time: 1, Actor: actor, Kind: graphstore.ChangeDelete, URN: u, EntityType: "dataset", Aspect: "key", PreviousSeq: 1,
			Previous: value(7), PreviousSystem: &before,
		}},
	})
	all := readAll(t, s, "", 10)
	if len(all) != 3 {
		t.Fatalf("%d changes", len(all))
	}
	if !all[0].ValuesPruned || all[0].Value != nil || !all[1].ValuesPruned {
		t.Errorf("changes whose versions are gone: %+v", all[:2])
	}
	if all[2].ValuesPruned || string(all[2].Previous) != string(value(7)) || all[2].PreviousSystem == nil || all[2].PreviousSystem.RunID != "old" {
		t.Errorf("change with its own value: %+v", all[2])
	}
}

// testLargeChanges: a page of the log is also bounded in bytes, and the pages together have
// every change.
func testLargeChanges(t *testing.T, s graphstore.Store) {
	const entities, size = 6, limits.MaxChangePageBytes * 2 / 5
	large := json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
	for n := range entities {
		put(t, s, urn(n), "ownership", large)
	}
	page, next, err := s.Changes(context.Background(), "", 100)
	if err != nil || len(page) != 3 || page[2].Cursor != next {
		t.Errorf("a page has %d changes: %v", len(page), err)
	}
	if all := must[[]graphstore.Change](t)(first(s.ChangesWithoutValues(context.Background(), "", 100))); len(all) != entities {
		t.Errorf("without values a page has %d changes", len(all))
	}
	if one := must[[]graphstore.Change](t)(first(s.Changes(context.Background(), next, 1))); len(one) != 1 {
		t.Errorf("the limit counts too: %d", len(one))
	}
	seen := map[string]bool{}
	for _, c := range readAll(t, s, "", 100) {
		if string(c.Value) != string(large) {
			t.Errorf("%s: a value of %d bytes", c.URN, len(c.Value))
		}
		seen[c.URN] = true
	}
	if len(seen) != entities {
		t.Errorf("changes of %d entities", len(seen))
	}
	huge := json.RawMessage(`"` + strings.Repeat("x", 2*limits.MaxChangePageBytes) + `"`)
	end := must[string](t)(s.EndCursor(context.Background()))
	put(t, s, urn(1), "ownership", huge)
	put(t, s, urn(2), "ownership", huge)
	if all := readAll(t, s, end, 100); len(all) != 2 || len(all[0].Value) != len(huge) || len(all[0].Previous) != len(large) {
		t.Errorf("changes larger than a page: %d", len(all))
	}
}

func first(changes []graphstore.Change, _ string, err error) ([]graphstore.Change, error) {
	return changes, err
}

func testFollowers(t *testing.T, s graphstore.Store) {
	ctx := context.Background()
	if c := must[string](t)(s.LoadCursor(ctx, "index")); c != "" {
		t.Errorf("a new follower is at %q", c)
	}
	put(t, s, urn(1), "ownership", value(1))
	end := must[string](t)(s.EndCursor(ctx))
	if err := s.SaveCursor(ctx, "index", end); err != nil {
		t.Fatal(err)
	}
	if c := must[string](t)(s.LoadCursor(ctx, "index")); c != end {
		t.Errorf("the follower is at %q, want %q", c, end)
	}
	if c := must[string](t)(s.LoadCursor(ctx, "other")); c != "" {
		t.Errorf("another follower is at %q", c)
	}
	if err := s.SaveCursor(ctx, "index", "not a cursor!"); !errors.Is(err, graphstore.ErrBadCursor) {
		t.Errorf("bad cursor: %v", err)
	}
	for _, name := range []string{"index/b", "index/a", "indexer"} {
		if err := s.SaveCursor(ctx, name, end); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"index/b", "index/nobody"} {
		if err := s.DropCursor(ctx, name); err != nil {
			t.Errorf("%s cannot be forgotten: %v", name, err)
		}
	}
	left := must[[]graphstore.Follower](t)(s.Followers(ctx, "index/"))
	if len(left) != 1 || left[0].Name != "index/a" || left[0].Cursor != end || left[0].Saved == 0 {
		t.Errorf("followers %+v", left)
	}
	if all := must[[]graphstore.Follower](t)(s.Followers(ctx, "")); len(all) != 3 {
		t.Errorf("all followers: %+v", all)
	}
	if c := must[string](t)(s.LoadCursor(ctx, "index/b")); c != "" {
		t.Errorf("a follower that was forgotten is at %q", c)
	}
}

// loadLog starts goroutines that write versions and closes the returned channel when all of
// them have ended.
func loadLog(t *testing.T, s graphstore.Store) (done chan struct{}) {
	const writers, rounds, entities = 6, 25, 9
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for r := range rounds {
				urns := []string{urn((w + r) % entities), urn((w * r) % entities)}
				err := s.Update(context.Background(), urns, func(tx graphstore.Tx) error {
					for _, u := range urns[:1+(w+r)%2] {
						if _, err := putNext(tx, u, "ownership", value(r)); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	done = make(chan struct{})
	go func() { group.Wait(); close(done) }()
	return done
}

// testTailUnderLoad follows the log while other goroutines write. The follower must get every
// change, and the changes of each entity in the order of their versions.
func testTailUnderLoad(t *testing.T, s graphstore.Store) {
	done := loadLog(t, s)
	last := map[string]int64{}
	seen, cursor, finished := 0, "", false
	for {
		changes, next, err := s.Changes(context.Background(), cursor, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			if c.Seq != last[c.URN]+1 {
				t.Fatalf("%s: version %d follows %d", c.URN, c.Seq, last[c.URN])
			}
			last[c.URN] = c.Seq
			seen++
		}
		cursor = next
		if len(changes) > 0 {
			continue
		}
		if finished {
			break
		}
		select {
		case <-done:
			finished = true
		default:
		}
	}
	if want := len(readAll(t, s, "", 1000)); seen != want {
		t.Errorf("the tail saw %d changes of %d", seen, want)
	}
	total := int64(0)
	for _, n := range last {
		total += n
	}
	if int(total) != seen {
		t.Errorf("the versions add up to %d, the changes to %d", total, seen)
	}
}
