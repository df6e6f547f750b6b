package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

func testRecords(t *testing.T, s graphstore.Store) {
	ctx := context.Background()
	if _, ok, err := s.Record(ctx, "hook/a"); ok || err != nil {
		t.Fatalf("a record that nobody wrote: %v, %v", ok, err)
	}
	first := must[string](t)(s.PutRecord(ctx, "hook/a", value(1), ""))
	for _, stale := range []string{"", "another"} {
		if _, err := s.PutRecord(ctx, "hook/a", value(9), stale); !errors.Is(err, graphstore.ErrRecordChanged) {
			t.Errorf("writing over revision %q: %v", stale, err)
		}
	}
	if _, err := s.PutRecord(ctx, "hook/none", value(9), first); !errors.Is(err, graphstore.ErrRecordChanged) {
		t.Errorf("changing a record that does not exist: %v", err)
	}
	wantRecord(t, s, graphstore.Record{Name: "hook/a", Value: value(1), Revision: first})
	second := must[string](t)(s.PutRecord(ctx, "hook/a", value(2), first))
	if second == first || second == "" {
		t.Errorf("revision %q after %q", second, first)
	}
	wantRecord(t, s, graphstore.Record{Name: "hook/a", Value: value(2), Revision: second})
	if err := s.DeleteRecord(ctx, "hook/a", first); !errors.Is(err, graphstore.ErrRecordChanged) {
		t.Errorf("deleting an earlier revision: %v", err)
	}
	if err := s.DeleteRecord(ctx, "hook/a", second); err != nil {
		t.Error(err)
	}
	if err := s.DeleteRecord(ctx, "hook/a", second); !errors.Is(err, graphstore.ErrRecordChanged) {
		t.Errorf("deleting it again: %v", err)
	}
	third := must[string](t)(s.PutRecord(ctx, "hook/a", value(3), ""))
	if _, err := s.PutRecord(ctx, "hook/a", value(4), second); !errors.Is(err, graphstore.ErrRecordChanged) || third == second {
		t.Errorf("a record that was made again takes the place of the former one: %v", err)
	}
	listRecords(t, s)
	recordsWithValues(t, s)
	recordsTogether(t, s)
}

// recordsTogether: several records are written together if all of them have the expected revisions.
func recordsTogether(t *testing.T, s graphstore.Store) {
	t.Helper()
	ctx := context.Background()
	put := func(n int, revisions ...string) ([]string, error) {
		var records []graphstore.Record
		for i, name := range []string{"pair/b", "pair/a"} {
			records = append(records, graphstore.Record{Name: name, Value: value(n + i), Revision: revisions[i]})
		}
		return s.PutRecords(ctx, records)
	}
	first := must[[]string](t)(put(1, "", ""))
	second := must[[]string](t)(put(10, first...))
	if len(second) != 2 || second[0] == second[1] || second[0] == first[0] {
		t.Fatalf("revisions %q after %q", second, first)
	}
	for _, stale := range [][]string{first, {second[0], first[1]}, {first[0], second[1]}, {"", second[1]}, {second[0], ""}} {
		if _, err := put(20, stale...); !errors.Is(err, graphstore.ErrRecordChanged) {
			t.Errorf("writing over %q: %v", stale, err)
		}
	}
	if _, err := s.PutRecords(ctx, []graphstore.Record{{Name: "pair/c", Value: value(1), Revision: ""}, {Name: "pair/none", Value: value(1), Revision: "x"}}); !errors.Is(err, graphstore.ErrRecordChanged) {
		t.Errorf("changing a record that does not exist: %v", err)
	}
	want := map[string]graphstore.Record{
		"pair/b": {Name: "pair/b", Value: value(10), Revision: second[0]},
		"pair/a": {Name: "pair/a", Value: value(11), Revision: second[1]},
	}
	found := map[string]graphstore.Record{}
	for _, r := range must[[]graphstore.Record](t)(s.RecordsNamed(ctx, []string{"pair/a", "pair/c", "pair/none", "pair/b"})) {
		found[r.Name] = r
	}
	wantEqual(t, "the records", found, want)
	wantEqual(t, "no names", must[[]graphstore.Record](t)(s.RecordsNamed(ctx, nil)), []graphstore.Record{})
	wantEqual(t, "no records", len(must[[]string](t)(s.PutRecords(ctx, nil))), 0)
}

// recordsWithValues: a batch stores records with its other writes, or neither.
func recordsWithValues(t *testing.T, s graphstore.Store) {
	t.Helper()
	ctx := context.Background()
	aspect := func(n int) graphstore.Aspect {
		return graphstore.Aspect{URN: urn(1), Name: "ownership", Seq: int64(n), Value: value(n), CreatedBy: actor, System: system("run")}
	}
	batch := func(n int) graphstore.Batch {
		return graphstore.Batch{
			Nodes:       []graphstore.NodeUpdate{{URN: urn(1), Type: "dataset", Exists: true}},
			PutVersions: []graphstore.Aspect{aspect(n)},
			PutRecords:  []graphstore.Record{{Name: "mark/a", Value: value(n)}, {Name: "mark/b", Value: value(-n)}},
		}
	}
	revisions := map[string]bool{}
	for n := 1; n <= 2; n++ {
		write(t, s, []string{urn(1)}, batch(n))
		for name, want := range map[string]int{"mark/a": n, "mark/b": -n} {
			r, ok, err := s.Record(ctx, name)
			if err != nil || !ok || string(r.Value) != string(value(want)) || revisions[r.Revision] {
				t.Errorf("%s after batch %d: %v %v %v", name, n, r, ok, err)
			}
			revisions[r.Revision] = true
		}
	}
	refused := errors.New("refused")
	err := s.Update(ctx, []string{urn(1)}, func(tx graphstore.Tx) error {
		if err := tx.Write(batch(3)); err != nil {
			return err
		}
		return refused
	})
	if r, _, recordErr := s.Record(ctx, "mark/a"); !errors.Is(err, refused) || recordErr != nil || string(r.Value) != string(value(2)) {
		t.Errorf("after a refused batch: %v %v, the record is %s", err, recordErr, r.Value)
	}
}

func listRecords(t *testing.T, s graphstore.Store) {
	ctx := context.Background()
	large := json.RawMessage(`"` + strings.Repeat("é", 100_000) + `"`)
	for _, name := range []string{"hook/b", "hook/ü", "hook", "hooks/a", "other/x", "hook/c'\"\\"} {
		must[string](t)(s.PutRecord(ctx, name, large, ""))
	}
	names := func(prefix, after string, limit int) []string {
		found := []string{}
		for _, r := range must[[]graphstore.Record](t)(s.ListRecords(ctx, prefix, after, limit)) {
			if r.Revision == "" || len(r.Value) == 0 {
				t.Errorf("record %+v", r)
			}
			found = append(found, r.Name)
		}
		return found
	}
	wantEqual(t, "of a kind", names("hook/", "", 99), []string{"hook/a", "hook/b", "hook/c'\"\\", "hook/ü"})
	wantEqual(t, "a page", names("hook/", "hook/a", 2), []string{"hook/b", "hook/c'\"\\"})
	wantEqual(t, "after the last", names("hook/", "hook/ü", 9), []string{})
	wantEqual(t, "none asked for", names("hook/", "", 0), []string{})
	wantEqual(t, "all", names("", "", 99), []string{"hook", "hook/a", "hook/b", "hook/c'\"\\", "hook/ü", "hooks/a", "other/x"})
}

func wantRecord(t *testing.T, s graphstore.Store, want graphstore.Record) {
	t.Helper()
	got, ok, err := s.Record(context.Background(), want.Name)
	if err != nil || !ok {
		t.Fatalf("record %s: %v, %v", want.Name, ok, err)
	}
	wantEqual(t, "the record", got, want)
}

// testRecordRaces: several writers create one record and increment the counter in the record.
// One writer creates the record, and no increment is lost.
func testRecordRaces(t *testing.T, s graphstore.Store) {
	const writers, rounds = 6, 8
	var group sync.WaitGroup
	var created atomic.Int32
	for range writers {
		group.Go(func() {
			if _, err := s.PutRecord(context.Background(), "count", value(0), ""); err == nil {
				created.Add(1)
			} else if !errors.Is(err, graphstore.ErrRecordChanged) {
				t.Error(err)
			}
			for range rounds {
				countUp(t, s)
			}
		})
	}
	group.Wait()
	r, _, err := s.Record(context.Background(), "count")
	if want := fmt.Sprintf(`{"n":%d}`, writers*rounds); err != nil || string(r.Value) != want {
		t.Errorf("counted to %s (%v), want %s", r.Value, err, want)
	}
	if created.Load() != 1 {
		t.Errorf("%d writers created the record", created.Load())
	}
}

// testRecordReads: whoever reads a record while another caller writes it gets a value with the revision of this
// value. A caller that got the revision of a later value would write over this later value without having seen it.
func testRecordReads(t *testing.T, s graphstore.Store) {
	const writes, readers = 150, 6
	ctx, written := context.Background(), map[string]string{}
	of := func(n int) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`"%d %s"`, n, strings.Repeat("x", 90*n)))
	}
	put := func(n int, before string) string {
		revision := must[string](t)(s.PutRecord(ctx, "read/a", of(n), before))
		written[revision] = string(of(n))
		return revision
	}
	revision := put(0, "")
	var group sync.WaitGroup
	var done atomic.Bool
	read := make([]map[string]string, readers)
	ways := []func() ([]graphstore.Record, error){
		func() ([]graphstore.Record, error) {
			r, _, err := s.Record(ctx, "read/a")
			return []graphstore.Record{r}, err
		},
		func() ([]graphstore.Record, error) { return s.RecordsNamed(ctx, []string{"read/a", "read/b"}) },
		func() ([]graphstore.Record, error) { return s.ListRecords(ctx, "read/", "", 9) },
	}
	for i := range readers {
		read[i] = map[string]string{}
		group.Go(func() {
			for !done.Load() {
				found, err := ways[i%len(ways)]()
				if err != nil || len(found) != 1 {
					t.Errorf("%d records: %v", len(found), err)
					return
				}
				read[i][found[0].Revision] = string(found[0].Value)
			}
		})
	}
	for n := range writes {
		revision = put(n+1, revision)
	}
	done.Store(true)
	group.Wait()
	for i := range read {
		for revision, value := range read[i] {
			if value != written[revision] {
				t.Errorf("reader %d got %d bytes with the revision of %d bytes", i, len(value), len(written[revision]))
			}
		}
	}
}

// testRecordBound: several callers create more records of a kind than the kind may have. As
// many records as allowed are created, and the remaining callers get ErrRecordsFull.
func testRecordBound(t *testing.T, s graphstore.Store) {
	const most, callers = 5, 12
	ctx := context.Background()
	for _, other := range []string{"bound", "bounds/x"} { // the kinds of these records are not bound/
		must[string](t)(s.PutRecord(ctx, other, value(0), ""))
	}
	must[string](t)(s.CreateRecord(ctx, "bound/", "bound/first", value(1), most))
	if _, err := s.CreateRecord(ctx, "bound/", "bound/first", value(2), most); !errors.Is(err, graphstore.ErrRecordChanged) {
		t.Errorf("creating a record twice: %v", err)
	}
	var group sync.WaitGroup
	var created, full atomic.Int32
	for n := range callers {
		group.Go(func() {
			switch revision, err := s.CreateRecord(ctx, "bound/", fmt.Sprint("bound/", n), value(n), most); {
			case err == nil && revision != "":
				created.Add(1)
			case errors.Is(err, graphstore.ErrRecordsFull):
				full.Add(1)
			default:
				t.Errorf("revision %q, %v", revision, err)
			}
		})
	}
	group.Wait()
	found := must[[]graphstore.Record](t)(s.ListRecords(ctx, "bound/", "", 99))
	if len(found) != most || created.Load() != most-1 || full.Load() != callers-(most-1) {
		t.Errorf("%d records are there, %d were created and %d refused; at most %d may be there", len(found), created.Load(), full.Load(), most)
	}
	if _, err := s.CreateRecord(ctx, "bound/", "bound/first", value(2), most); !errors.Is(err, graphstore.ErrRecordChanged) {
		t.Errorf("creating a record twice when there are enough: %v", err)
	}
	if err := s.DeleteRecord(ctx, found[0].Name, found[0].Revision); err != nil {
		t.Fatal(err)
	}
	must[string](t)(s.CreateRecord(ctx, "bound/", "bound/late", value(3), most))
}

func countUp(t *testing.T, s graphstore.Store) {
	for {
		r, _, err := s.Record(context.Background(), "count")
		if err != nil {
			t.Error(err)
			return
		}
		var counted struct{ N int }
		if err := json.Unmarshal(r.Value, &counted); err != nil {
			t.Error(err)
			return
		}
		if _, err = s.PutRecord(context.Background(), "count", value(counted.N+1), r.Revision); err == nil {
			return
		}
		if !errors.Is(err, graphstore.ErrRecordChanged) {
			t.Error(err)
			return
		}
	}
}
