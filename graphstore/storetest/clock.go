package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// machine is a settable machine clock: now returns the time that the test stored in at.
type machine struct{ at time.Time }

func (m *machine) now() time.Time { return m.at }

// noon is the time at which the machine clocks of these tests start.
var noon = time.UnixMilli(1_790_000_012_345)

// stampOf writes a version of the ownership of the entity u and returns the time in Unix
// milliseconds that the store stamped the version with.
func stampOf(t *testing.T, s graphstore.Store, u string, n int) int64 {
	t.Helper()
	put(t, s, u, "ownership", value(n))
	a, ok := version(t, s, u, "ownership", 0)
	if !ok {
		t.Fatalf("%s was not written", u)
	}
	return a.CreatedOn
}

// testClock sets the machine clock of a store backwards, far ahead and back again, and checks
// the times that the store stamps versions with.
func testClock(t *testing.T, b Backend) {
	m := &machine{noon}
	s := b.At(t, m.now)
	defer func() { closeStore(t, s) }()
	newest := func() int64 { return must[int64](t)(s.NewestTime(context.Background())) }
	wantEqual(t, "the newest time of an empty log", newest(), int64(0))
	wantEqual(t, "the first stamp", stampOf(t, s, urn(1), 1), noon.UnixMilli())

	m.at = noon.Add(-time.Minute)
	for n := range 2 {
		if got := stampOf(t, s, urn(n), 2+n); n == 1 && got != noon.UnixMilli() {
			t.Errorf("after a small step back an entity's time is %d, want %d", got, noon.UnixMilli())
		}
	}

	wrong := noon.AddDate(73, 0, 0)
	m.at = wrong
	addEdges(t, s, urn(1), statement(urn(1), "OwnedBy", urn(2), "ownership", "p", wrong.UnixMilli()))
	wantEqual(t, "the stamp while the clock is ahead", stampOf(t, s, urn(1), 5), wrong.UnixMilli())
	wantEqual(t, "the newest time while the clock is ahead", newest(), wrong.UnixMilli())

	for _, restart := range []bool{false, true} {
		m.at = noon.Add(time.Hour)
		if restart {
			m.at = wrong
			stampOf(t, s, urn(1), 6)
			closeStore(t, s)
			m.at = noon.Add(2 * time.Hour)
			s = b.ReopenAt(t, m.now)
			wantEqual(t, "the newest time after a restart", newest(), wrong.UnixMilli())
		}
		right := m.at.UnixMilli()
		for _, u := range []string{urn(1), urn(7)} {
			wantEqual(t, "the stamp of "+u+" when the clock is right again", stampOf(t, s, u, 8), right)
		}
		wantEqual(t, "the newest time when the clock is right again", newest(), right)
	}

	checkOrder(t, s, urn(1))

	// The edge got its start while the clock was 73 years ahead. Its end lies earlier, so the
	// store must move the start of the edge to the end.
	endEdge(t, s, statement(urn(1), "OwnedBy", urn(2), "ownership", "p", 0), noon.UnixMilli())
	history := must[map[string]graphstore.History](t)(s.History(context.Background(), []string{urn(1)}))
	if ended := history[urn(1)].Ended; len(ended) != 1 || ended[0].Since != noon.UnixMilli() || ended[0].Until != noon.UnixMilli() {
		t.Errorf("the edge that ended: %+v", ended)
	}
}

// checkOrder checks that the versions of an entity's ownership are numbered without a gap, that
// the change log has the entity's changes in the order of these numbers, and that no change has
// lost a value.
func checkOrder(t *testing.T, s graphstore.Store, of string) {
	t.Helper()
	versions := must[[]graphstore.Aspect](t)(s.AspectVersions(context.Background(), key(of, "ownership"), graphstore.Page{Count: 20}))
	for i := range versions {
		wantEqual(t, "number", versions[i].Seq, int64(len(versions)-i))
	}
	seq := int64(0)
	for _, c := range readAll(t, s, "", 2) {
		if c.URN != of {
			continue
		}
		if seq++; c.Seq != seq || c.ValuesPruned || c.Value == nil || (c.Previous == nil) != (seq == 1) {
			t.Errorf("change %d of the log: %+v", seq, c)
		}
	}
	wantEqual(t, "changes of the entity", seq, int64(len(versions)))
}

// testOutsideTimes imports data whose times lie 73 years in the future and checks that the
// imported times do not move the clock of the store.
func testOutsideTimes(t *testing.T, b Backend) {
	m := &machine{noon}
	s := b.At(t, m.now)
	defer closeStore(t, s)
	future, u := noon.AddDate(73, 0, 0).UnixMilli(), urn(1)
	imported := system("run")
	imported.LastObserved = future
	write(t, s, []string{u}, graphstore.Batch{
		Nodes:       []graphstore.NodeUpdate{node(u)},
		PutVersions: []graphstore.Aspect{{URN: u, Name: "ownership", Seq: 1, Value: value(1), CreatedOn: future, CreatedBy: actor, System: imported}},
		AddEdges:    []graphstore.EdgeStatement{statement(u, "OwnedBy", urn(2), "ownership", "p", future)},
		PutTimeSeries: []graphstore.TimeSeriesValue{
			{URN: u, Aspect: "profile", Key: "k", Timestamp: future, Value: value(1), CreatedOn: future, CreatedBy: actor, System: imported},
		},
	})
	m.at = noon.Add(time.Second)
	wantEqual(t, "the stamp after data of the future", stampOf(t, s, u, 2), m.at.UnixMilli())
	if all := readAll(t, s, "", 9); len(all) != 1 || all[0].ValuesPruned || string(all[0].Previous) != string(value(1)) {
		t.Errorf("the change that replaces data of the future: %+v", all)
	}
}
