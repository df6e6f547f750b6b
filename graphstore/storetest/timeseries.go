package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testTimeSeriesOfMany compares reading the time series of many entities at once with reading
// the time series of each entity.
func testTimeSeriesOfMany(t *testing.T, s graphstore.Store) {
	ctx := context.Background()
	urns := []string{urn(1), urn(2), urn(3)}
	for i, u := range urns[:2] {
		var values []graphstore.TimeSeriesValue
		for n := range 6 + i {
			values = append(values, graphstore.TimeSeriesValue{
				URN: u, Aspect: "profile", Key: fmt.Sprint("k", n), Timestamp: int64(n/2) * 10, Value: value(n),
				CreatedOn: 5, CreatedBy: actor, System: system("run"),
			})
		}
		write(t, s, []string{u}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(u)}, PutTimeSeries: values})
	}
	places := []graphstore.TimeSeriesPlace{{URN: urns[2]}, {URN: urns[1]}, {URN: urns[0]}, {URN: urns[1]}}
	places[3].After = &graphstore.TimeSeriesPosition{Timestamp: 20, Key: "k4"}
	for _, q := range []graphstore.ManyTimeSeries{
		{Aspect: "profile", Limit: 99},
		{Aspect: "profile", Limit: 3},
		{Aspect: "profile", Limit: 99, From: 10, To: 20},
		{Aspect: "profile", Limit: 99, To: 10},
		{Aspect: "nothing", Limit: 9},
		{Aspect: "profile"},
	} {
		q.Places = places
		got := must[[][]graphstore.TimeSeriesValue](t)(s.TimeSeriesOfMany(ctx, q))
		if len(got) != len(places) {
			t.Fatalf("%d pages for %d places", len(got), len(places))
		}
		for i, p := range places {
			want := must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(ctx, graphstore.TimeSeriesQuery{
				URN: p.URN, Aspect: q.Aspect, From: q.From, To: q.To, After: p.After, Limit: q.Limit,
			}))
			if len(want)+len(got[i]) > 0 {
				wantEqual(t, fmt.Sprintf("%+v of %+v", q, p), got[i], want)
			}
		}
	}
	if none := must[[][]graphstore.TimeSeriesValue](t)(s.TimeSeriesOfMany(ctx, graphstore.ManyTimeSeries{Aspect: "profile", Limit: 1})); len(none) != 0 {
		t.Errorf("of no entity: %v", none)
	}
}

// testBytes: in either order, a page ends with the value that reaches the bound in bytes, and
// the next page starts after that value. The size of a history is the sum of the sizes of all
// versions.
func testBytes(t *testing.T, s graphstore.Store) {
	ctx, u := context.Background(), urn(1)
	large := []byte(`{"text":"` + strings.Repeat("x", 1000) + `"}`)
	var values []graphstore.TimeSeriesValue
	for n := range 5 {
		put(t, s, u, "ownership", large)
		values = append(values, graphstore.TimeSeriesValue{
			URN: u, Aspect: "profile", Key: fmt.Sprint("k", n), Timestamp: int64(n), Value: large, CreatedOn: 5, CreatedBy: actor, System: system("run"),
		})
	}
	put(t, s, u, "status", value(1))
	write(t, s, []string{u}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(u)}, PutTimeSeries: values})
	for bytes, want := range map[int]int{0: 5, 1: 1, len(large): 1, len(large) + 1: 2, 2 * len(large): 2, 9 * len(large): 5} {
		versions := must[[]graphstore.Aspect](t)(s.AspectVersions(ctx, key(u, "ownership"), graphstore.Page{Count: 9, Bytes: bytes}))
		if len(versions) != want || versions[0].Version != graphstore.LatestVersion {
			t.Errorf("%d versions in %d bytes, want %d", len(versions), bytes, want)
		}
		for _, ascending := range []bool{false, true} {
			q := graphstore.TimeSeriesQuery{URN: u, Aspect: "profile", Limit: 9, Bytes: bytes, Ascending: ascending}
			page := must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(ctx, q))
			if len(page) != want {
				t.Fatalf("%d values in %d bytes, want %d", len(page), bytes, want)
			}
			last := page[len(page)-1]
			q.After, q.Bytes = &graphstore.TimeSeriesPosition{Timestamp: last.Timestamp, Key: last.Key}, 0
			if rest := must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(ctx, q)); len(rest) != 5-want {
				t.Errorf("%d values after %d", len(rest), want)
			}
		}
	}
	wantEqual(t, "sizes", must[map[string]int64](t)(s.HistoryBytes(ctx, []string{u, urn(9)})), map[string]int64{u: int64(5*len(large) + len(value(1)))})
	wantEqual(t, "of nobody", must[map[string]int64](t)(s.HistoryBytes(ctx, nil)), map[string]int64{})
}

// testTimeSeriesOfAll reads the time series of all entities in pages of several sizes. The
// pages together have each value within the bounds of time once, newest first.
func testTimeSeriesOfAll(t *testing.T, s graphstore.Store) {
	ctx := context.Background()
	type name struct{ urn, key string }
	times := map[name]int64{}
	for i, u := range []string{urn(1), urn(2), urn(3)} {
		var values []graphstore.TimeSeriesValue
		for n := range 5 + i {
			v := graphstore.TimeSeriesValue{
				URN: u, Aspect: "profile", Key: fmt.Sprint("a key ", n), Timestamp: int64(n/2) * 10, Value: value(n), CreatedOn: 5, CreatedBy: actor, System: system("run"),
			}
			values = append(values, v)
			times[name{u, v.Key}] = v.Timestamp
			v.Aspect = "usage"
			values = append(values, v)
		}
		write(t, s, []string{u}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(u)}, PutTimeSeries: values})
	}
	for _, c := range []struct{ from, to int64 }{{0, 0}, {10, 20}, {10, 10}, {0, 10}, {25, 0}, {50, 60}} {
		from, to := graphstore.TimeBounds(c.from, c.to)
		for _, limit := range []int{1, 2, 4, 99} {
			found, last := map[name]bool{}, int64(1000)
			for q := (graphstore.SeriesOfAll{Aspect: "profile", From: c.from, To: c.to, Limit: limit}); ; {
				page, next, err := s.TimeSeriesOfAll(ctx, q)
				if err != nil {
					t.Fatal(err)
				}
				if next != "" && len(page) != limit {
					t.Fatalf("%d values on a page of %d that is not the last", len(page), limit)
				}
				for _, v := range page {
					at := name{v.URN, v.Key}
					if found[at] || v.Timestamp > last || v.Timestamp != times[at] || v.Aspect != "profile" || v.Timestamp < from || v.Timestamp > to || v.System.RunID != "run" {
						t.Errorf("from %d to %d in pages of %d: %+v after %d", c.from, c.to, limit, v, last)
					}
					found[at], last = true, v.Timestamp
				}
				if q.After = next; next == "" {
					break
				}
			}
			for at, time := range times {
				if found[at] != (from <= time && time <= to) {
					t.Errorf("from %d to %d in pages of %d: %v at %d is found: %t", c.from, c.to, limit, at, time, found[at])
				}
			}
		}
	}
	for _, aspect := range []string{"nothing", "profile"} {
		if page, next, err := s.TimeSeriesOfAll(ctx, graphstore.SeriesOfAll{Aspect: aspect}); err != nil || len(page) != 0 || next != "" {
			t.Error(page, next, err)
		}
	}
	for _, after := range []string{"x", "1", "1 %zz", "x 1 2"} {
		if _, _, err := s.TimeSeriesOfAll(ctx, graphstore.SeriesOfAll{Aspect: "profile", Limit: 1, After: after}); !errors.Is(err, graphstore.ErrBadCursor) {
			t.Errorf("%q: %v", after, err)
		}
	}
}
