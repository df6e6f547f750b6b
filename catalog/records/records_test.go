package records_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
)

// TestKinds: the records of two kinds never have the same name.
func TestKinds(t *testing.T) {
	for i, kind := range records.Kinds() {
		for k, other := range records.Kinds() {
			if i != k && strings.HasPrefix(string(kind), string(other)) {
				t.Errorf("the kind %q begins with %q", kind, other)
			}
		}
	}
}

type count struct{ N int }

func newCounts(t *testing.T) (records.Records[count], graphstore.Store) {
	t.Helper()
	store := catalogtest.NewHarness(t).Store
	return records.Of[count](records.New(store), records.Views), store
}

func TestPutGetDelete(t *testing.T) {
	counts, _ := newCounts(t)
	ctx := t.Context()
	if _, exists, err := counts.Get(ctx, "a"); exists || err != nil {
		t.Fatalf("a record that was never written: %v %v", exists, err)
	}
	first, err := counts.Put(ctx, "a", count{1}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := counts.Put(ctx, "a", count{2}, ""); !errors.Is(err, records.ErrChanged) {
		t.Errorf("a second record of the name: %v", err)
	}
	found, exists, err := counts.Get(ctx, "a")
	if want := (records.Record[count]{Name: "a", Value: count{1}, Text: `{"N":1}`, Revision: first}); !exists || err != nil || found != want {
		t.Errorf("%+v %v %v, want %+v", found, exists, err, want)
	}
	if err := counts.Delete(ctx, "a", "other"); !errors.Is(err, records.ErrChanged) {
		t.Errorf("a delete of another revision: %v", err)
	}
	if err := counts.Delete(ctx, "a", first); err != nil {
		t.Error(err)
	}
	if err := counts.Forget(ctx, "a"); err != nil {
		t.Errorf("a record that is not there is forgotten: %v", err)
	}
}

func TestCreate(t *testing.T) {
	counts, _ := newCounts(t)
	for _, c := range []struct {
		name string
		want error
	}{{"a", nil}, {"a", records.ErrChanged}, {"b", nil}, {"c", records.ErrFull}} {
		if err := counts.Create(t.Context(), c.name, count{}, 2); !errors.Is(err, c.want) {
			t.Errorf("create %s: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestUpdate: a change that another writer makes at the same time is not lost, and an error of the function
// leaves the record unchanged.
func TestUpdate(t *testing.T) {
	counts, _ := newCounts(t)
	ctx := t.Context()
	tries := 0
	value, err := counts.Update(ctx, "a", func(c *count) error {
		if tries++; tries == 1 {
			if _, err := counts.Put(ctx, "a", count{40}, ""); err != nil {
				t.Error(err)
			}
		}
		c.N += 2
		return nil
	})
	if err != nil || value.N != 42 || tries != 2 {
		t.Errorf("%+v after %d tries: %v", value, tries, err)
	}
	refused := catalog.Errorf(catalog.Invalid, "no")
	if _, err := counts.Update(ctx, "a", func(c *count) error { c.N = 0; return refused }); !errors.Is(err, refused) {
		t.Errorf("%v, want %v", err, refused)
	}
	if found, _, err := counts.Get(ctx, "a"); err != nil || found.Value.N != 42 {
		t.Errorf("after a refused change: %+v %v", found, err)
	}
}

// TestAllAndPrune: more records than a page has are read and deleted in the order of their names.
func TestAllAndPrune(t *testing.T) {
	counts, store := newCounts(t)
	ctx := t.Context()
	const written = 450
	for i := range written {
		if _, err := counts.Put(ctx, fmt.Sprintf("x/%03d", i), count{i}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := counts.Put(ctx, "y", count{-1}, ""); err != nil {
		t.Fatal(err)
	}
	names := func() (all []string) {
		for record, err := range counts.All(ctx, "x/", "x/009") {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, record.Name)
		}
		return all
	}
	if all := names(); len(all) != written-10 || all[0] != "x/010" || !slices.IsSorted(all) {
		t.Errorf("%d records, the first %s", len(all), all[0])
	}
	visited := 0
	err := counts.Prune(ctx, "x/", func(name string, value json.RawMessage) bool {
		visited++
		return name == "x/300" && string(value) == `{"N":300}`
	})
	if all := names(); err != nil || visited != written || !slices.Equal(all, []string{"x/300"}) {
		t.Errorf("%d visited, %v stay: %v", visited, all, err)
	}
	if _, err := store.PutRecord(ctx, string(records.Views)+"x/400", []byte(`"none"`), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := counts.Page(ctx, "x/", "", 10); catalog.CodeOf(err) != catalog.Internal || !strings.Contains(err.Error(), "views/x/400") {
		t.Errorf("a record of another form: %v", err)
	}
}
