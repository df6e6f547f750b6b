package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testReadsDuringWrites: whoever reads the latest versions of an entity while another caller writes all of them finds each
// aspect once, with a value that was the latest at some moment of the read.
func testReadsDuringWrites(t *testing.T, s graphstore.Store) {
	const aspects, writes = 30, 20
	ctx, u := context.Background(), urn(1)
	names := make([]string, aspects)
	for i := range names {
		names[i] = fmt.Sprintf("aspect%02d", i)
	}
	write := func(n int) error {
		return s.Update(ctx, []string{u}, func(tx graphstore.Tx) error {
			for _, name := range names {
				if _, err := putNext(tx, u, name, value(n)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	var done atomic.Bool
	var least atomic.Int64
	var group sync.WaitGroup
	of := func(a *graphstore.Aspect) int64 {
		var v struct{ N int64 }
		if err := json.Unmarshal(a.Value, &v); err != nil {
			t.Error(err)
		}
		return v.N
	}
	whole := func(what string, found []graphstore.Aspect, want int, from int64) {
		if len(found) != want {
			t.Errorf("%s: %d aspects, want %d", what, len(found), want)
		}
		for i := range found {
			if a := &found[i]; !a.IsLatest() || of(a) < from {
				t.Errorf("%s: version %d of %s with value %s as the latest, %d was written before", what, a.Version, a.Name, a.Value, from)
			}
		}
	}
	for _, read := range []func(from int64) error{
		func(from int64) error {
			found, err := s.LatestAspects(ctx, []string{u}, names)
			whole("named aspects", found[u], aspects, from)
			return err
		},
		func(from int64) error {
			found, err := s.LatestAspects(ctx, []string{u, urn(2)}, nil)
			whole("all aspects", found[u], aspects, from)
			return err
		},
		func(from int64) error {
			a, ok, err := s.AspectVersion(ctx, key(u, names[aspects-1]), graphstore.LatestVersion)
			if !ok && err == nil {
				err = errors.New("the latest version is not there")
			}
			whole("one aspect", []graphstore.Aspect{a}, 1, from)
			return err
		},
		func(from int64) error {
			found, err := s.AspectVersions(ctx, key(u, names[0]), graphstore.Page{Count: 4})
			for i := range found[min(1, len(found)):] {
				if found[i+1].Seq != found[i].Seq-1 {
					t.Errorf("version %d follows version %d", found[i+1].Seq, found[i].Seq)
				}
			}
			whole("versions", found[:min(1, len(found))], 1, from)
			return err
		},
	} {
		group.Go(func() {
			for !done.Load() && !t.Failed() {
				if err := read(least.Load()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := 1; n <= writes && !t.Failed(); n++ {
		if err := write(n); err != nil {
			t.Error(err)
		}
		least.Store(int64(n))
	}
	done.Store(true)
	group.Wait()
}

// testTrimDuringReads: whoever reads the log while its beginning is deleted gets every change after his position, or learns
// that the position is lost.
func testTrimDuringReads(t *testing.T, s graphstore.Store) {
	const batches, each = 8, 100
	ctx, u := context.Background(), urn(1)
	for n := range batches {
		b := graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(u)}}
		for i := range each {
			b.Changes = append(b.Changes, graphstore.Change{
				Time: int64(n*each + i + 1), Actor: actor, Kind: graphstore.ChangeUpsert, URN: u, EntityType: "dataset", Aspect: "ownership",
				TimeSeriesKey: "k", TimeSeriesTime: 1, Value: value(n),
			})
		}
		write(t, s, []string{u}, b)
	}
	var done atomic.Bool
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			cursor, last, lost := "", int64(0), false
			for !done.Load() && !t.Failed() {
				var changes []graphstore.Change
				var next string
				var err error
				if i%2 == 0 {
					changes, next, err = s.ChangesWithoutValues(ctx, cursor, 100)
				} else {
					changes, next, err = s.Changes(ctx, cursor, 100)
				}
				switch {
				case errors.Is(err, graphstore.ErrLostCursor):
					if cursor, err = s.OldestCursor(ctx); err != nil {
						t.Error(err)
					}
					lost = true
					continue
				case err != nil:
					t.Error(err)
					return
				}
				for j := range changes {
					c := &changes[j]
					if c.URN != u || !lost && c.Time != last+1 || lost && c.Time <= last {
						t.Errorf("the change with time %d of %q follows the one with time %d; was the position lost: %t", c.Time, c.URN, last, lost)
						return
					}
					last, lost = c.Time, false
				}
				cursor = next
				if len(changes) == 0 { // the end: begin again
					cursor, last, lost = must[string](t)(s.OldestCursor(ctx)), 0, true
				}
			}
		})
	}
	for before := int64(20); before <= batches*each && !t.Failed(); before += 20 {
		if _, err := s.TrimChanges(ctx, graphstore.LogTrim{Before: before, Limit: 64 * each}); err != nil {
			t.Error(err)
		}
	}
	done.Store(true)
	group.Wait()
}
