package replica_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/graphstore"
)

// TestNodesAreRepeated: the nodes of a replica have the same properties as those of the source,
// however the log is divided into pages. Two aspects may set the same property: at the source
// the aspect that was written last sets it, and any aspect overrides the key.
func TestNodesAreRepeated(t *testing.T) {
	t.Parallel()
	const user = "urn:li:corpuser:eve"
	profile, edited := `{"active":true,"displayName":"profile"}`, `{"displayName":"edited"}`
	for _, c := range []struct {
		name   string
		writes [][3]string
	}{
		{"the key comes after what overrides it", [][3]string{{catalogtest.Table, "datasetProperties", `{"name":"a"}`}}},
		{"what comes first in the alphabet is written last", [][3]string{{user, "corpUserInfo", profile}, {user, "corpUserEditableInfo", edited}}},
		{"what comes first in the alphabet is written first", [][3]string{{user, "corpUserEditableInfo", edited}, {user, "corpUserInfo", profile}}},
		{"a property is given no longer", [][3]string{{user, "corpUserInfo", profile}, {user, "corpUserEditableInfo", edited}, {user, "corpUserEditableInfo", `{"title":"Dr."}`}}},
	} {
		for _, limit := range []int{1, 2, 500} {
			source, replica := catalogtest.NewHarness(t), replicaOn(t, catalogtest.NewHarness(t).Store.Store)
			cursor, wait := "", true
			for _, w := range c.writes {
				source.Say(w[0], w[1], w[2])
			}
			for wait {
				before := cursor
				source.Want("", replica.Replica.Step(context.Background(), source.Replica, &cursor, limit, 0, func() error { return nil }))
				wait = cursor != before
			}
			urns := []string{user, catalogtest.Table}
			if diff := cmp.Diff(nodes(source, urns), nodes(replica, urns)); diff != "" {
				t.Errorf("%s, pages of %d: nodes (-source +replica):\n%s", c.name, limit, diff)
			}
		}
	}
}

// TestPageEndsWithItsCaller: when a caller leaves while there are no changes, Page returns no
// error, and the caller's cursor.
func TestPageEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	h := catalogtest.NewHarness(t)
	h.Say(catalogtest.Table, "datasetProperties", `{"name":"a"}`)
	all, err := h.Replica.Page(context.Background(), "", 500, 0)
	h.Want("", err)
	ctx, leave := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, leave)
	page, err := h.Replica.Page(ctx, all.Next, 500, time.Hour)
	h.Want("", err)
	if page.Next != all.Next || len(page.Changes) != 0 {
		t.Errorf("%+v", page)
	}
}

// TestValueOfTheFirstMoment: a deleted value at the time 0 does not delete the values of the
// moments just before and after.
func TestValueOfTheFirstMoment(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	source, replica := catalogtest.NewHarness(t), replicaOn(t, catalogtest.NewHarness(t).Store.Store)
	cursor := ""
	repeat := func() {
		source.Want("", replica.Replica.Step(ctx, source.Replica, &cursor, 500, 0, func() error { return nil }))
	}
	for _, at := range []int{0, 1} {
		source.Say(catalogtest.Table, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":1}`, at))
	}
	repeat()
	source.Want("", source.DeleteValues(ctx, graphstore.TimeSeriesRange{URN: catalogtest.Table, Aspect: "datasetProfile", From: -1, To: -1}, catalogtest.Ada))
	source.Want("", source.Store.Update(ctx, []string{catalogtest.Table}, func(tx graphstore.Tx) error {
		one := graphstore.TimeSeriesRange{URN: catalogtest.Table, Aspect: "datasetProfile"}
		values, err := source.Store.TimeSeries(ctx, graphstore.TimeSeriesQuery{URN: one.URN, Aspect: one.Aspect, From: 1, To: 1, Limit: 9})
		return errors.Join(err, tx.Write(graphstore.Batch{DeleteTimeSeries: []graphstore.TimeSeriesRange{one}}), tx.Write(graphstore.Batch{PutTimeSeries: values}))
	}))
	source.Want("", source.DeleteValues(ctx, graphstore.TimeSeriesRange{URN: catalogtest.Table, Aspect: "datasetProfile", From: -1, To: -1}, catalogtest.Ada))
	repeat()
	if diff := cmp.Diff(source.Exported(), replica.Exported()); diff != "" {
		t.Errorf("exports (-source +replica):\n%s", diff)
	}
}
