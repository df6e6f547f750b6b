package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testTimeSeriesOfMany compares what is read of many entities at once with
// what is read of each.
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
