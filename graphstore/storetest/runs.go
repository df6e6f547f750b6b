package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// runVersion writes the next version of an aspect in the name of a run, with at as the time of
// writing in Unix milliseconds.
func runVersion(t testing.TB, s graphstore.Store, urn, aspect, run string, at int64) {
	t.Helper()
	update(t, s, []string{urn}, func(tx graphstore.Tx) error {
		states, err := tx.Aspects([]graphstore.AspectKey{key(urn, aspect)})
		if err != nil {
			return err
		}
		return tx.Write(graphstore.Batch{
			PutVersions: []graphstore.Aspect{{
				URN: urn, Name: aspect, Seq: states[0].NextSeq, Value: value(int(at)), CreatedOn: at, CreatedBy: actor, System: system(run),
			}},
			Nodes: []graphstore.NodeUpdate{node(urn)},
		})
	})
}

func runValue(t testing.TB, s graphstore.Store, urn, aspect, run string, at int64) {
	t.Helper()
	write(t, s, []string{urn}, graphstore.Batch{
		Nodes: []graphstore.NodeUpdate{node(urn)},
		PutTimeSeries: []graphstore.TimeSeriesValue{{
			URN: urn, Aspect: aspect, Key: fmt.Sprint(at), Timestamp: at, Value: value(int(at)), CreatedOn: at, CreatedBy: actor, System: system(run),
		}},
	})
}

func testRuns(t *testing.T, s graphstore.Store) {
	list := func(q graphstore.RunsQuery) ([]graphstore.Run, int64) {
		runs, total, err := s.Runs(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		for i := range runs {
			if runs[i].ID == "first" { // the example may be either latest version of the run
				wantEqual(t, "the entity of an example", runs[i].Example.URN, urn(1))
				runs[i].Example = graphstore.AspectKey{}
			}
		}
		return runs, total
	}
	if runs, total := list(graphstore.RunsQuery{Page: graphstore.Page{Count: 5}}); len(runs) != 0 || total != 0 {
		t.Errorf("runs of an empty store: %v %d", runs, total)
	}
	runVersion(t, s, urn(1), "ownership", "first", 10)
	runVersion(t, s, urn(1), "status", "first", 11)
	runVersion(t, s, urn(2), "ownership", "first", 12)
	runVersion(t, s, urn(2), "ownership", "second", 20)
	runValue(t, s, urn(2), "profile", "second", 21)
	runValue(t, s, urn(3), "profile", "profiling", 20)
	runValue(t, s, urn(3), "notes", "", 98)
	runVersion(t, s, urn(4), "ownership", "hidden", 15)
	runVersion(t, s, urn(5), "ownership", "gone", 99)
	runVersion(t, s, urn(5), "ownership", "third", 20)
	yes := true
	write(t, s, []string{urn(4)}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: urn(4), Type: "dataset", Exists: true, Removed: &yes}}})

	first := graphstore.Run{ID: "first", Rows: 2, First: 10, Latest: 11}
	second := graphstore.Run{ID: "second", Rows: 1, TimeSeries: 1, First: 20, Latest: 21, Example: key(urn(2), "ownership")}
	third := graphstore.Run{ID: "third", Rows: 1, First: 20, Latest: 20, Example: key(urn(5), "ownership")}
	profiling := graphstore.Run{ID: "profiling", TimeSeries: 1, First: 20, Latest: 20}
	hidden := graphstore.Run{ID: "hidden", Rows: 1, Removed: 1, First: 15, Latest: 15, Example: key(urn(4), "ownership")}
	all, total := list(graphstore.RunsQuery{Page: graphstore.Page{Count: 100}})
	wantEqual(t, "runs", all, []graphstore.Run{second, profiling, third, first})
	wantEqual(t, "total", total, int64(4))
	all, total = list(graphstore.RunsQuery{IncludeRemoved: true, Page: graphstore.Page{Start: 2, Count: 2}})
	wantEqual(t, "a page with those of removed entities", all, []graphstore.Run{third, hidden})
	wantEqual(t, "total with those of removed entities", total, int64(5))
	all, total = list(graphstore.RunsQuery{})
	wantEqual(t, "an empty page", all, []graphstore.Run{})
	wantEqual(t, "total of an empty page", total, int64(4))
	all, total = list(graphstore.RunsQuery{Except: []string{"second", "nothing", "first"}, Page: graphstore.Page{Count: 100}})
	wantEqual(t, "runs without some", all, []graphstore.Run{profiling, third})
	wantEqual(t, "total without some", total, int64(2))

	first.Entities, second.Entities, profiling.Entities, hidden.Entities = 1, 1, 1, 1
	second.Series, profiling.Series = 1, 1
	some := []string{"hidden", "profiling", "second", "first", "gone", "nothing", ""}
	all, total = list(graphstore.RunsQuery{IDs: some, Page: graphstore.Page{Count: 100}})
	wantEqual(t, "some runs", all, []graphstore.Run{second, profiling, first})
	wantEqual(t, "total of some runs", total, int64(3))
	all, total = list(graphstore.RunsQuery{IDs: some, IncludeRemoved: true, Except: []string{"first"}, Page: graphstore.Page{Start: 1, Count: 5}})
	wantEqual(t, "a page of some runs", all, []graphstore.Run{profiling, hidden})
	wantEqual(t, "total of some runs with those of removed entities", total, int64(3))
	runVersion(t, s, urn(6), "ownership", "wide", 30)
	runValue(t, s, urn(6), "profile", "wide", 31)
	runValue(t, s, urn(6), "profile", "wide", 32)
	runValue(t, s, urn(7), "usage", "wide", 29)
	all, _ = list(graphstore.RunsQuery{IDs: []string{"wide"}, Page: graphstore.Page{Count: 1}})
	wantEqual(t, "a run of several entities", all, []graphstore.Run{
		{ID: "wide", Rows: 1, TimeSeries: 3, First: 29, Latest: 32, Example: key(urn(6), "ownership"), Entities: 2, Series: 2},
	})
	testRunsWithMark(t, s)
}

// testRunsWithMark: a row that a run wrote of an entity is not counted as removed if the same
// run soft-deleted the entity.
func testRunsWithMark(t *testing.T, s graphstore.Store) {
	runVersion(t, s, urn(10), "ownership", "before", 40)
	runVersion(t, s, urn(10), "owners", "marks", 41)
	runVersion(t, s, urn(10), "status", "marks", 42)
	runVersion(t, s, urn(11), "owners", "marks", 43)
	runVersion(t, s, urn(11), "status", "after", 44)
	runVersion(t, s, urn(12), "owners", "marks", 45)
	for _, n := range []int{10, 11} {
		yes := true
		write(t, s, []string{urn(n)}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: urn(n), Type: "dataset", Exists: true, Removed: &yes}}})
	}
	for _, c := range []struct{ mark, want string }{
		{"status", "marks 4 1, after 1 0, before 1 1, "},
		{"nothing", "marks 4 3, after 1 1, before 1 1, "},
		{"", "marks 4 3, after 1 1, before 1 1, "},
	} {
		named := graphstore.RunsQuery{IDs: []string{"marks", "after", "before"}, IncludeRemoved: true, Mark: c.mark, Page: graphstore.Page{Count: 9}}
		others := graphstore.RunsQuery{Except: []string{"wide", "second", "profiling", "third", "first", "hidden"}, IncludeRemoved: true, Mark: c.mark, Page: graphstore.Page{Count: 9}}
		for _, q := range []graphstore.RunsQuery{named, others} {
			runs, _, err := s.Runs(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, r := range runs {
				got += fmt.Sprintf("%s %d %d, ", r.ID, r.Rows, r.Removed)
			}
			wantEqual(t, fmt.Sprintf("rows, and removed ones with the mark %q, of %v", c.mark, q.IDs), got, c.want)
		}
	}
	_, total, err := s.Runs(context.Background(), graphstore.RunsQuery{IDs: []string{"after"}, Mark: "status", Page: graphstore.Page{Count: 9}})
	if err != nil || total != 1 {
		t.Errorf("a run that only soft-deleted: %d, %v", total, err)
	}
}

// writeRows writes the versions that testRows reads: versions of the run "run" and of another
// run, versions of two registry versions, an archived version, and the versions of a
// soft-deleted entity.
func writeRows(t *testing.T, s graphstore.Store) {
	t.Helper()
	for n := range 7 {
		runVersion(t, s, urn(n), "ownership", "run", int64(n))
		runVersion(t, s, urn(n), "status", "run", int64(n))
	}
	runVersion(t, s, urn(3), "status", "other", 50) // archives a version of the run "run"
	write(t, s, []string{urn(5)}, graphstore.Batch{Archive: []graphstore.AspectKey{key(urn(5), "status")}})
	yes := true
	write(t, s, []string{urn(6)}, graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: urn(6), Type: "dataset", Exists: true, Removed: &yes}}})
	write(t, s, []string{urn(8)}, graphstore.Batch{PutVersions: []graphstore.Aspect{{
		URN: urn(8), Name: "ownership", Seq: 1, Value: value(1), CreatedBy: actor, System: graphstore.SystemMetadata{RunID: "run", RegistryName: "reg", RegistryVersion: "2"},
	}}, Nodes: []graphstore.NodeUpdate{node(urn(8))}})
}

func testRows(t *testing.T, s graphstore.Store) {
	writeRows(t, s)
	read := func(q graphstore.RowQuery) []string {
		t.Helper()
		var found []string
		for {
			rows, next, err := s.Rows(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				found = append(found, fmt.Sprintf("%s %s %s %d %t", r.URN, r.Aspect, r.RunID, r.CreatedOn, r.Removed))
			}
			if q.After = next; next == "" {
				return found
			}
		}
	}
	line := func(n int, aspect, run string, at int) string {
		return fmt.Sprintf("%s %s %s %d %t", urn(n), aspect, run, at, n == 6)
	}
	var ofRun, ofRegistry []string
	for n := range 7 {
		ofRun, ofRegistry = append(ofRun, line(n, "ownership", "run", n)), append(ofRegistry, line(n, "ownership", "run", n))
		switch n {
		case 3:
			ofRegistry = append(ofRegistry, line(n, "status", "other", 50))
		case 5:
		default:
			ofRun, ofRegistry = append(ofRun, line(n, "status", "run", n)), append(ofRegistry, line(n, "status", "run", n))
		}
	}
	ofRun = append(ofRun, line(8, "ownership", "run", 0))
	for _, limit := range []int{1, 3, 100} {
		wantEqual(t, fmt.Sprintf("rows of a run, %d at a time", limit), read(graphstore.RowQuery{Origin: graphstore.Origin{RunID: "run"}, Limit: limit}), ofRun)
		wantEqual(t, fmt.Sprintf("rows of a registry, %d at a time", limit), read(graphstore.RowQuery{Origin: graphstore.Origin{Registry: graphstore.RegistryVersion{Name: "reg", Version: "1"}}, Limit: limit}), ofRegistry)
	}
	wantEqual(t, "rows of nothing", read(graphstore.RowQuery{Origin: graphstore.Origin{RunID: "nothing"}, Limit: 5}), []string{})
	wantEqual(t, "no rows asked for", read(graphstore.RowQuery{Origin: graphstore.Origin{RunID: "run"}}), []string{})
	if _, _, err := s.Rows(context.Background(), graphstore.RowQuery{Origin: graphstore.Origin{RunID: "run"}, After: "?", Limit: 5}); !errors.Is(err, graphstore.ErrBadCursor) {
		t.Errorf("a made-up position: %v", err)
	}
	registry := graphstore.RegistryVersion{Name: "reg", Version: "1"}
	wantEqual(t, "rows of entities", must[[]graphstore.Row](t)(s.RowsOf(context.Background(), []string{urn(6), urn(99), urn(3)})), []graphstore.Row{
		{URN: urn(6), Aspect: "ownership", RunID: "run", Registry: registry, CreatedOn: 6, Removed: true},
		{URN: urn(6), Aspect: "status", RunID: "run", Registry: registry, CreatedOn: 6, Removed: true},
		{URN: urn(3), Aspect: "ownership", RunID: "run", Registry: registry, CreatedOn: 3},
		{URN: urn(3), Aspect: "status", RunID: "other", Registry: registry, CreatedOn: 50},
	})
	wantEqual(t, "rows of no entities", must[[]graphstore.Row](t)(s.RowsOf(context.Background(), nil)), []graphstore.Row{})
}

func testRunTimeSeries(t *testing.T, s graphstore.Store) {
	for n := range 3 {
		for at := range 4 {
			runValue(t, s, urn(n), "profile", fmt.Sprintf("run%d", at%2), int64(at+1))
		}
		runValue(t, s, urn(n), "usage", "run1", 1)
	}
	for _, limit := range []int{1, 4, 100} {
		var found []graphstore.TimeSeriesRow
		for after := ""; ; {
			rows, next, err := s.RunTimeSeries(context.Background(), "run1", after, limit)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, rows...)
			if after = next; next == "" {
				break
			}
		}
		var want []graphstore.TimeSeriesRow
		for n := range 3 {
			want = append(want, graphstore.TimeSeriesRow{URN: urn(n), Aspect: "profile", Values: 2, Latest: 4}, graphstore.TimeSeriesRow{URN: urn(n), Aspect: "usage", Values: 1, Latest: 1})
		}
		wantEqual(t, fmt.Sprintf("time series of a run, %d at a time", limit), found, want)
	}
	rows, next, err := s.RunTimeSeries(context.Background(), "nothing", "", 5)
	if err != nil || next != "" || len(rows) != 0 {
		t.Errorf("time series of nothing: %v %q %v", rows, next, err)
	}
	if _, _, err := s.RunTimeSeries(context.Background(), "run1", "?", 5); !errors.Is(err, graphstore.ErrBadCursor) {
		t.Errorf("a made-up position: %v", err)
	}
	for _, c := range []struct {
		values graphstore.TimeSeriesRange
		want   int64
	}{
		{graphstore.TimeSeriesRange{URN: urn(1)}, 5},
		{graphstore.TimeSeriesRange{URN: urn(1), Aspect: "profile"}, 4},
		{graphstore.TimeSeriesRange{URN: urn(1), Aspect: "profile", From: 2, To: 3}, 2},
		{graphstore.TimeSeriesRange{URN: urn(1), RunID: "run0"}, 2},
		{graphstore.TimeSeriesRange{URN: urn(1), RunID: "nothing"}, 0},
		{graphstore.TimeSeriesRange{URN: urn(1), Aspect: "nothing"}, 0},
		{graphstore.TimeSeriesRange{URN: urn(9)}, 0},
	} {
		if got := must[int64](t)(s.CountTimeSeries(context.Background(), c.values)); got != c.want {
			t.Errorf("values in %+v: %d, want %d", c.values, got, c.want)
		}
	}
}

func testPredecessors(t *testing.T, s graphstore.Store) {
	for at, run := range []string{"first", "second", "second", "third", "second"} {
		runVersion(t, s, urn(1), "ownership", run, int64(at+1))
	}
	runVersion(t, s, urn(2), "ownership", "second", 1)
	runVersion(t, s, urn(2), "ownership", "second", 2)
	update(t, s, []string{urn(1), urn(2), urn(9)}, func(tx graphstore.Tx) error {
		expectPredecessors(t, tx.Predecessors)
		return nil
	})
	expectPredecessors(t, func(keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error) {
		return s.VersionsBefore(context.Background(), keys, origin)
	})
}

// expectPredecessors checks that a method finds, for each aspect that testPredecessors wrote,
// the highest archived version that is not of the origin.
func expectPredecessors(t *testing.T, predecessors func([]graphstore.AspectKey, graphstore.Origin) ([]*graphstore.Aspect, error)) {
	t.Helper()
	keys := []graphstore.AspectKey{key(urn(2), "ownership"), key(urn(1), "ownership"), key(urn(1), "nothing"), key(urn(9), "ownership")}
	for _, c := range []struct {
		origin graphstore.Origin
		want   []int64
	}{
		{graphstore.Origin{RunID: "second"}, []int64{0, 4, 0, 0}},
		{graphstore.Origin{RunID: "third"}, []int64{1, 3, 0, 0}},
		{graphstore.Origin{RunID: "unknown"}, []int64{1, 4, 0, 0}},
		{graphstore.Origin{Registry: graphstore.RegistryVersion{Name: "reg", Version: "1"}}, []int64{0, 0, 0, 0}},
		{graphstore.Origin{Registry: graphstore.RegistryVersion{Name: "reg", Version: "2"}}, []int64{1, 4, 0, 0}},
	} {
		found := must[[]*graphstore.Aspect](t)(predecessors(keys, c.origin))
		got := make([]int64, len(found))
		for i, a := range found {
			if a != nil {
				got[i] = a.Version
			}
		}
		wantEqual(t, fmt.Sprintf("predecessors of %+v", c.origin), got, c.want)
	}
	found := must[[]*graphstore.Aspect](t)(predecessors(keys[1:2], graphstore.Origin{RunID: "second"}))
	wantEqual(t, "a predecessor", *found[0], graphstore.Aspect{
		URN: urn(1), Name: "ownership", Version: 4, Seq: 4, Value: value(4), CreatedOn: 4, CreatedBy: actor, System: system("third"),
	})
	if none := must[[]*graphstore.Aspect](t)(predecessors(nil, graphstore.Origin{RunID: "second"})); len(none) != 0 {
		t.Errorf("predecessors of nothing: %v", none)
	}
}
