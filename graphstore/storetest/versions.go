package storetest

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

func testVersions(t *testing.T, s graphstore.Store) {
	u := urn(1)
	wantNoVersion(t, s, u, "ownership", 0)
	for n := 1; n <= 4; n++ {
		put(t, s, u, "ownership", value(n))
	}
	wantVersion(t, s, u, "ownership", 0, 0, value(4))
	wantVersion(t, s, u, "ownership", 1, 1, value(1))
	wantVersion(t, s, u, "ownership", 3, 3, value(3))
	wantNoVersion(t, s, u, "ownership", 4)
	wantVersion(t, s, u, "ownership", -1, 3, value(3))
	wantVersion(t, s, u, "ownership", -3, 1, value(1))
	wantNoVersion(t, s, u, "ownership", -4)
	put(t, s, u, "status", value(9))
	wantVersion(t, s, u, "status", -1, 0, value(9))
	wantNoVersion(t, s, u, "status", -2)
	wantNoVersion(t, s, u, "unknown", 0)

	latest, _ := version(t, s, u, "ownership", 0)
	if latest.Seq != 4 || latest.CreatedBy != actor || latest.CreatedOn == 0 {
		t.Errorf("the latest version lost its stamps: %+v", latest)
	}
	wantEqual(t, "system metadata", latest.System, system("run"))
	update(t, s, []string{u}, func(tx graphstore.Tx) error {
		for asked, number := range map[int64]int64{0: 0, 2: 2, -1: 3} {
			if a, ok, err := tx.Version(key(u, "ownership"), asked); err != nil || !ok || a.Version != number {
				t.Errorf("in a transaction, version %d: %+v %t %v", asked, a, ok, err)
			}
		}
		return nil
	})
}

// testVersionNumbers reads versions by number in every way that a store offers. A store numbers
// stored versions from 1; callers number the latest version 0, whatever its stored number.
func testVersionNumbers(t *testing.T, s graphstore.Store) {
	for i, c := range []struct {
		name string
		// archived and latest are stored numbers. latest is 0 if the aspect has no latest version.
		archived []int64
		latest   int64
		// want maps each number that a caller may ask for to the stored number of the version that
		// the store must return. For other numbers the store must return no version.
		want map[int64]int64
	}{
		{name: "nothing"},
		{name: "latest alone", latest: 1, want: map[int64]int64{0: 1, -1: 1}},
		{name: "latest alone, others are gone", latest: 4, want: map[int64]int64{0: 4, -1: 4}},
		{name: "latest and archived", archived: []int64{1, 2}, latest: 3, want: map[int64]int64{0: 3, 1: 1, 2: 2, -1: 2, -2: 1}},
		{name: "archived alone", archived: []int64{1, 2}, want: map[int64]int64{1: 1, 2: 2, -1: 2, -2: 1}},
		{name: "oldest are gone", archived: []int64{3, 4}, latest: 5, want: map[int64]int64{0: 5, 3: 3, 4: 4, -1: 4, -2: 3}},
		{name: "one in the middle is gone", archived: []int64{1, 3}, latest: 4, want: map[int64]int64{0: 4, 1: 1, 3: 3, -1: 3, -3: 1}},
	} {
		k := key(urn(i), "ownership")
		version := func(seq int64) graphstore.Aspect {
			return graphstore.Aspect{URN: k.URN, Name: k.Name, Seq: seq, Value: value(int(seq)), CreatedOn: 1, CreatedBy: actor, System: system("run")}
		}
		var batch graphstore.Batch
		var numbers []int64 // the versions as callers number them, newest first
		for _, seq := range c.archived {
			batch.PutArchived = append(batch.PutArchived, version(seq))
			numbers = append(numbers, seq)
		}
		slices.Reverse(numbers)
		if c.latest != 0 {
			batch.PutVersions = append(batch.PutVersions, version(c.latest))
			numbers = append([]int64{0}, numbers...)
		}
		if !batch.Empty() {
			batch.Nodes = []graphstore.NodeUpdate{{URN: k.URN, Type: "dataset", Exists: true}}
			write(t, s, []string{k.URN}, batch)
		}
		check := func(how string, number int64, a graphstore.Aspect, ok bool, err error) {
			seq, exists := c.want[number]
			outside := seq
			if seq == c.latest {
				outside = 0
			}
			if err != nil || ok != exists || ok && (a.Seq != seq || a.Version != outside || string(a.Value) != string(value(int(seq)))) {
				t.Errorf("%s: %s %d: %+v %t %v", c.name, how, number, a, ok, err)
			}
		}
		asked := []int64{math.MinInt64, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, math.MaxInt64}
		for _, number := range asked {
			a, ok, err := s.AspectVersion(context.Background(), k, number)
			check("version", number, a, ok, err)
		}
		update(t, s, []string{k.URN}, func(tx graphstore.Tx) error {
			for _, number := range asked {
				a, ok, err := tx.Version(k, number)
				check("in a transaction, version", number, a, ok, err)
			}
			return nil
		})
		listed := []int64{}
		for _, a := range must[[]graphstore.Aspect](t)(s.AspectVersions(context.Background(), k, graphstore.Page{Count: 10})) {
			listed = append(listed, a.Version)
		}
		wantEqual(t, c.name+": list", listed, append([]int64{}, numbers...))
		for _, a := range must[map[string]graphstore.History](t)(s.History(context.Background(), []string{k.URN}))[k.URN].Versions {
			check("history", a.Version, a, true, nil)
		}
	}
}

// testWhatWasBefore: a version states the run and the creation stamp of the version before it.
// Every way of reading the version returns this statement, also after the version was archived
// and restored.
func testWhatWasBefore(t *testing.T, s graphstore.Store) {
	u, k := urn(1), key(urn(1), "ownership")
	made := &graphstore.Stamp{Time: 5, Actor: "urn:li:corpuser:maker"}
	one := func(seq int64, before *graphstore.Stamp, run string) graphstore.Aspect {
		system := system("run")
		system.LastRunID, system.AspectCreated = run, before
		return graphstore.Aspect{URN: u, Name: k.Name, Seq: seq, Value: value(int(seq)), CreatedOn: 1, CreatedBy: actor, System: system}
	}
	versions := []graphstore.Aspect{one(1, nil, ""), one(2, made, "first"), one(3, made, "second")}
	for i, a := range versions {
		write(t, s, []string{u}, graphstore.Batch{
			PutVersions: []graphstore.Aspect{a}, Nodes: []graphstore.NodeUpdate{node(u)},
			Changes: []graphstore.Change{{Time: int64(10 + i), Actor: actor, Kind: graphstore.ChangeUpsert, URN: u, EntityType: "dataset", Aspect: k.Name, Seq: a.Seq}},
		})
	}
	check := func(how string, latest int) {
		t.Helper()
		for i := range latest {
			want := versions[i].System
			got, _ := version(t, s, u, k.Name, map[bool]int64{true: 0, false: int64(i + 1)}[i == latest-1])
			wantEqual(t, how, got.System, want)
		}
		update(t, s, []string{u}, func(tx graphstore.Tx) error {
			states, err := tx.Aspects([]graphstore.AspectKey{k})
			if err == nil {
				wantEqual(t, how+", in a transaction", states[0].Latest.System, versions[latest-1].System)
			}
			return err
		})
		both := must[map[string][]graphstore.Aspect](t)(s.LatestAspects(context.Background(), []string{u, urn(2)}, nil))
		wantEqual(t, how+", among others", both[u][0].System, versions[latest-1].System)
		for _, a := range must[map[string]graphstore.History](t)(s.History(context.Background(), []string{u}))[u].Versions {
			wantEqual(t, how+", in the history", a.System, versions[a.Seq-1].System)
		}
	}
	check("written", 3)
	changes, _, err := s.Changes(context.Background(), "", 10)
	if err != nil || len(changes) != len(versions) {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	for i := range changes {
		wantEqual(t, "in the change log", *changes[i].System, versions[i].System)
	}
	write(t, s, []string{u}, graphstore.Batch{
		DeleteVersions: []graphstore.VersionRange{{Key: k, FromSeq: 3, ToSeq: 3}},
		Restore:        []graphstore.VersionKey{{Key: k, Seq: 2}},
	})
	check("restored", 2)
}

func testObserve(t *testing.T, s graphstore.Store) {
	u := urn(1)
	put(t, s, u, "ownership", value(1))
	before, _ := version(t, s, u, "ownership", 0)
	write(t, s, []string{u}, graphstore.Batch{Observe: []graphstore.Observation{{Key: key(u, "ownership"), LastObserved: 99}}})
	after, _ := version(t, s, u, "ownership", 0)
	before.System.LastObserved = 99
	wantEqual(t, "observed version", after, before)
}

func testArchiveAndRestore(t *testing.T, s graphstore.Store) {
	u := urn(1)
	put(t, s, u, "ownership", value(1))
	put(t, s, u, "ownership", value(2))
	write(t, s, []string{u}, graphstore.Batch{Archive: []graphstore.AspectKey{key(u, "ownership")}})
	wantNoVersion(t, s, u, "ownership", 0)
	wantVersion(t, s, u, "ownership", 2, 2, value(2))
	update(t, s, []string{u}, func(tx graphstore.Tx) error {
		states, err := tx.Aspects([]graphstore.AspectKey{key(u, "ownership")})
		if err == nil && (states[0].Latest != nil || states[0].NextSeq != 3) {
			t.Errorf("state after archiving: %+v", states[0])
		}
		return err
	})
	write(t, s, []string{u}, graphstore.Batch{
		DeleteVersions: []graphstore.VersionRange{{Key: key(u, "ownership"), FromSeq: 2, ToSeq: 2}},
		Restore:        []graphstore.VersionKey{{Key: key(u, "ownership"), Seq: 1}},
	})
	wantVersion(t, s, u, "ownership", 0, 0, value(1))
	wantNoVersion(t, s, u, "ownership", 1)
	put(t, s, u, "ownership", value(3))
	wantVersion(t, s, u, "ownership", 1, 1, value(1))
	wantVersion(t, s, u, "ownership", 0, 0, value(3))
}

func testDeleteVersions(t *testing.T, s graphstore.Store) {
	u := urn(1)
	for n := 1; n <= 5; n++ {
		put(t, s, u, "ownership", value(n))
	}
	write(t, s, []string{u}, graphstore.Batch{DeleteVersions: []graphstore.VersionRange{{Key: key(u, "ownership"), FromSeq: 1, ToSeq: 2}}})
	wantNoVersion(t, s, u, "ownership", 2)
	wantVersion(t, s, u, "ownership", 3, 3, value(3))
	wantVersion(t, s, u, "ownership", 0, 0, value(5))
	write(t, s, []string{u}, graphstore.Batch{DeleteVersions: []graphstore.VersionRange{{Key: key(u, "ownership"), FromSeq: 5, ToSeq: 5}}})
	wantNoVersion(t, s, u, "ownership", 0)
}

func testLatestAspects(t *testing.T, s graphstore.Store) {
	for n := 1; n <= 3; n++ {
		put(t, s, urn(n), "ownership", value(n))
		put(t, s, urn(n), "status", value(10+n))
	}
	put(t, s, urn(1), "ownership", value(100))
	found := must[map[string][]graphstore.Aspect](t)(s.LatestAspects(context.Background(), []string{urn(1), urn(2), urn(9)}, []string{"ownership", "nothing"}))
	if len(found) != 2 || len(found[urn(1)]) != 1 || string(found[urn(1)][0].Value) != string(value(100)) || found[urn(1)][0].Version != 0 {
		t.Errorf("named aspects: %v", found)
	}
	all := must[map[string][]graphstore.Aspect](t)(s.LatestAspects(context.Background(), []string{urn(3)}, nil))
	if len(all[urn(3)]) != 2 {
		t.Errorf("all aspects: %v", all)
	}
	none := must[map[string][]graphstore.Aspect](t)(s.LatestAspects(context.Background(), nil, nil))
	if len(none) != 0 {
		t.Errorf("no urns: %v", none)
	}
	update(t, s, []string{urn(3)}, func(tx graphstore.Tx) error {
		latest, err := tx.Latest([]string{urn(3), urn(8)})
		if len(latest) != 1 || len(latest[urn(3)]) != 2 {
			t.Errorf("latest in a transaction: %v", latest)
		}
		return err
	})
}

func testAspectVersions(t *testing.T, s graphstore.Store) {
	u := urn(1)
	for n := 1; n <= 5; n++ {
		put(t, s, u, "ownership", value(n))
	}
	list := func(start, count int) []int64 {
		var numbers []int64
		for _, a := range must[[]graphstore.Aspect](t)(s.AspectVersions(context.Background(), key(u, "ownership"), graphstore.Page{Start: start, Count: count})) {
			numbers = append(numbers, a.Version)
		}
		return numbers
	}
	wantEqual(t, "all versions", list(0, 10), []int64{0, 4, 3, 2, 1})
	wantEqual(t, "a page", list(1, 2), []int64{4, 3})
	wantEqual(t, "behind the end", list(9, 2), []int64{})
}

func testNodes(t *testing.T, s graphstore.Store) {
	u := urn(1)
	yes, no := true, false
	set := func(n graphstore.NodeUpdate) {
		write(t, s, []string{u}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{n}})
	}
	set(graphstore.NodeUpdate{URN: u, Type: "dataset", Exists: true, Properties: map[string]any{"name": "a", "rank": int64(3), "deprecated": false}})
	set(graphstore.NodeUpdate{URN: u, Type: "dataset", Exists: true, Removed: &yes, Properties: map[string]any{"name": "b", "deprecated": nil}})
	get := func() graphstore.Entity {
		found := must[[]graphstore.Entity](t)(s.Entities(context.Background(), []string{urn(7), u}))
		if len(found) != 1 {
			t.Fatalf("entities: %v", found)
		}
		return found[0]
	}
	e := get()
	if e.URN != u || e.Type != "dataset" || !e.Exists || !e.Removed || e.Properties["name"] != "b" || len(e.Properties) != 2 {
		t.Errorf("node: %+v", e)
	}
	set(graphstore.NodeUpdate{URN: u, Type: "dataset", Exists: true})
	if e = get(); !e.Removed || e.Properties["name"] != "b" {
		t.Errorf("an update that names nothing changed the node: %+v", e)
	}
	set(graphstore.NodeUpdate{URN: u, Type: "dataset", Exists: true, Removed: &no})
	if e = get(); e.Removed {
		t.Errorf("still removed: %+v", e)
	}
}

func testListEntities(t *testing.T, s graphstore.Store) {
	for _, n := range []int{5, 3, 1, 4, 2} {
		put(t, s, urn(n), "ownership", value(n))
	}
	upper := "urn:li:dataset:(urn:li:dataPlatform:test,TABLE,PROD)"
	put(t, s, upper, "ownership", value(0))
	write(t, s, []string{urn(1)}, graphstore.Batch{AddEdges: []graphstore.EdgeStatement{statement(urn(1), "DownstreamOf", urn(77), "upstreamLineage", "p", 1)}})
	urns, total, err := s.ListEntities(context.Background(), "dataset", graphstore.Page{Start: 0, Count: 3})
	if err != nil || total != 6 {
		t.Errorf("total %d, %v", total, err)
	}
	wantEqual(t, "first page, ordered by bytes, no placeholders", urns, []string{upper, urn(1), urn(2)})
	urns, _, _ = s.ListEntities(context.Background(), "dataset", graphstore.Page{Start: 5, Count: 3})
	wantEqual(t, "last page", urns, []string{urn(5)})
	var scanned []string
	for after := ""; ; after = scanned[len(scanned)-1] {
		page := must[[]string](t)(s.ScanEntities(context.Background(), after, 4))
		if scanned = append(scanned, page...); len(page) < 4 {
			break
		}
	}
	wantEqual(t, "scan", scanned, []string{upper, urn(1), urn(2), urn(3), urn(4), urn(5)})
	wantEqual(t, "scan of nothing", must[[]string](t)(s.ScanEntities(context.Background(), "", 0)), []string{})
	urns, total, err = s.ListEntities(context.Background(), "chart", graphstore.Page{Count: 3})
	if err != nil || total != 0 || len(urns) != 0 {
		t.Errorf("another type: %v %d %v", urns, total, err)
	}
}

func testCountAspects(t *testing.T, s graphstore.Store) {
	for n := 1; n <= 3; n++ {
		put(t, s, urn(n), "ownership", value(n))
	}
	put(t, s, urn(1), "ownership", value(9))
	put(t, s, urn(1), "status", value(1))
	for _, c := range []struct {
		aspect, like string
		want         int64
	}{
		{"ownership", "", 3},
		{"status", "", 1},
		{"nothing", "", 0},
		{"ownership", "%table_000002%", 1},
		{"ownership", "%TABLE%", 0},
		{"ownership", "urn:li:dataset:%", 3},
		{"ownership", "%table_00000_,PROD)", 3},
		{"ownership", "table", 0},
		{"ownership", "%*%", 0},
		{"ownership", "%[t]able%", 0},
	} {
		if got := must[int64](t)(s.CountAspects(context.Background(), c.aspect, c.like)); got != c.want {
			t.Errorf("count of %s like %q: got %d, want %d", c.aspect, c.like, got, c.want)
		}
	}
}
