package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testNewestChanges: reading the log from its end gives every change once. The changes of each
// entity come latest first, each with its run if the store still knows the run.
func testNewestChanges(t *testing.T, s graphstore.Store) {
	if changes, next, err := s.NewestChanges(context.Background(), graphstore.LogPart{}, 5); err != nil || next != "" || len(changes) != 0 {
		t.Errorf("of an empty log: %v %q %v", changes, next, err)
	}
	const entities, versions = 30, 3
	for v := range versions {
		for n := range entities {
			put(t, s, urn(n), "ownership", value(v))
		}
	}
	want := map[string][]int64{}
	for n := range entities {
		want[urn(n)] = []int64{3, 2, 1}
	}
	for _, size := range []int{1, 7, 40, 1000} {
		got := map[string][]int64{}
		before := ""
		for {
			page, next, err := s.NewestChanges(context.Background(), graphstore.LogPart{UpTo: before}, size)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) > size {
				t.Fatalf("%d changes in a page of %d", len(page), size)
			}
			if len(page) == 0 {
				break
			}
			for _, c := range page {
				got[c.URN] = append(got[c.URN], c.Seq)
				if c.Cursor != "" || c.Value != nil || c.System == nil || c.System.RunID != "run" || c.EntityType != "dataset" || c.Actor != actor || c.Kind != graphstore.ChangeUpsert {
					t.Fatalf("change: %+v", c)
				}
			}
			before = next
		}
		wantEqual(t, fmt.Sprintf("the log from its end, in pages of %d", size), got, want)
	}
	if changes, _, err := s.NewestChanges(context.Background(), graphstore.LogPart{}, 0); err != nil || len(changes) > 0 {
		t.Errorf("a limit of 0: %d changes, %v", len(changes), err)
	}
	for _, part := range []graphstore.LogPart{{UpTo: "not a cursor!"}, {After: "not a cursor!"}} {
		if _, _, err := s.NewestChanges(context.Background(), part, 10); !errors.Is(err, graphstore.ErrBadCursor) {
			t.Errorf("a made-up cursor: %v", err)
		}
	}
	expectPartOfLog(t, s)
	expectRunsOfChanges(t, s)
}

// expectPartOfLog: the part of the log between two end cursors has the changes that were written
// between the two calls of EndCursor, and no others.
func expectPartOfLog(t *testing.T, s graphstore.Store) {
	t.Helper()
	ctx := context.Background()
	after := must[string](t)(s.EndCursor(ctx))
	for n := range 5 {
		put(t, s, urn(n), "ownership", value(100))
	}
	upTo := must[string](t)(s.EndCursor(ctx))
	put(t, s, urn(0), "ownership", value(101))
	for _, part := range []graphstore.LogPart{{After: after, UpTo: upTo}, {After: after}, {After: upTo, UpTo: upTo}} {
		want := map[string]int{}
		if part.After == after {
			for n := range 5 {
				want[urn(n)] = 1
			}
		}
		if part.UpTo == "" {
			want[urn(0)]++
		}
		got := map[string]int{}
		for {
			page, rest, err := s.NewestChanges(ctx, part, 2)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			for _, c := range page {
				got[c.URN]++
			}
			part.UpTo = rest
		}
		wantEqual(t, "changes of a part of the log", got, want)
	}
}

// expectRunsOfChanges: a change has the run of the value that it wrote, or the run that the change
// itself states. It has no run if the value is gone.
func expectRunsOfChanges(t *testing.T, s graphstore.Store) {
	t.Helper()
	u := urn(99)
	put(t, s, u, "ownership", value(1))
	put(t, s, u, "ownership", value(2))
	deleted := system("deleting")
	write(t, s, []string{u}, graphstore.Batch{
		DeleteVersions: []graphstore.VersionRange{{Key: key(u, "ownership"), FromSeq: 2, ToSeq: 2}},
		PutTimeSeries:  []graphstore.TimeSeriesValue{{URN: u, Aspect: "profile", Key: "k", Timestamp: 4, Value: value(4), System: system("profiling")}},
		Changes: []graphstore.Change{
			{Time: 1, Actor: actor, Kind: graphstore.ChangeUpsert, URN: u, EntityType: "dataset", Aspect: "profile", TimeSeriesTime: 4, TimeSeriesKey: "k"},
			{Time: 1, Actor: actor, Kind: graphstore.ChangeDelete, URN: u, EntityType: "dataset", Aspect: "ownership", PreviousSeq: 2, System: &deleted},
		},
	})
	var got []string
	for before := ""; len(got) < 4; {
		page, next, err := s.NewestChanges(context.Background(), graphstore.LogPart{UpTo: before}, 100)
		if err != nil || len(page) == 0 {
			t.Fatalf("%d changes, %v", len(page), err)
		}
		for _, c := range page {
			if c.URN != u {
				continue
			}
			run := ""
			if c.System != nil {
				run = c.System.RunID
			}
			got = append(got, fmt.Sprintf("%s %s %d %s", c.Kind, c.Aspect, c.Seq, run))
		}
		before = next
	}
	if want := []string{"DELETE ownership 0 deleting", "UPSERT profile 0 profiling", "UPSERT ownership 2 ", "UPSERT ownership 1 run"}; !slices.Equal(got, want) {
		t.Errorf("changes with their runs: %q, want %q", got, want)
	}
}

// testValuesOfNobody: an entity that does not exist may have time-series values. The values
// alone must not put the entity into a list of the entities that exist.
func testValuesOfNobody(t *testing.T, s graphstore.Store) {
	u := urn(1)
	for at := range 3 {
		write(t, s, []string{u}, graphstore.Batch{
			Nodes: []graphstore.NodeUpdate{{URN: u, Type: "dataset"}},
			PutTimeSeries: []graphstore.TimeSeriesValue{
				{URN: u, Aspect: "notes", Key: "k", Timestamp: 7, Value: value(at), CreatedBy: actor}, {URN: u, Aspect: "notes", Key: fmt.Sprint(at), Timestamp: int64(at + 8), Value: value(at), CreatedBy: actor},
			},
		})
	}
	values := must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(context.Background(), graphstore.TimeSeriesQuery{URN: u, Aspect: "notes", Limit: 9}))
	if len(values) != 4 || values[3].Key != "k" || string(values[3].Value) != string(value(2)) {
		t.Errorf("values: %+v", values)
	}
	nodes := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{u}))
	if len(nodes) != 1 || nodes[0].Exists {
		t.Errorf("the entity: %+v", nodes)
	}
	if urns := must[[]string](t)(s.ScanEntities(context.Background(), "", 9)); len(urns) != 0 {
		t.Errorf("entities that exist: %v", urns)
	}
	if runs, total, err := s.Runs(context.Background(), graphstore.RunsQuery{IncludeRemoved: true, Page: graphstore.Page{Count: 9}}); err != nil || total != 0 {
		t.Errorf("runs: %v %v", runs, err)
	}
}
