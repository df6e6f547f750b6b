package embedded_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// TestReadsOfOneEntity reads single entities from more callers than there are connections,
// while they are written and when the store closes. Both aspects of an entity are written
// together, so they must always be read with the same value, and never with an older one than
// was read or answered before.
func TestReadsOfOneEntity(t *testing.T) {
	s := open(t, t.TempDir())
	const urn = "urn:li:dataset:one"
	names := []string{"ownership", "status"}
	write := func(n int64) error {
		return s.Update(t.Context(), []string{urn}, func(tx graphstore.Tx) error {
			var batch graphstore.Batch
			for _, name := range names {
				batch.PutVersions = append(batch.PutVersions, graphstore.Aspect{
					URN: urn, Name: name, Seq: n, Value: json.RawMessage(fmt.Sprint(n)), CreatedBy: "urn:li:corpuser:test",
				})
			}
			return tx.Write(batch)
		})
	}
	if found, err := s.LatestAspects(t.Context(), []string{urn}, names); len(found) != 0 || err != nil {
		t.Fatalf("before the first write: %v, %v", found, err)
	}
	if err := write(1); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.LatestAspects(ended, []string{urn}, names); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has left gets %v", err)
	}
	var readers sync.WaitGroup
	for range 16 {
		readers.Go(func() {
			for last := int64(1); ; {
				found, err := s.LatestAspects(t.Context(), []string{urn}, names)
				if errors.Is(err, graphstore.ErrClosed) {
					return
				}
				if err != nil || len(found[urn]) != len(names) {
					t.Errorf("%v, %v", found, err)
					return
				}
				one, two := found[urn][0], found[urn][1]
				if one.Seq != two.Seq || string(one.Value) != fmt.Sprint(one.Seq) || string(two.Value) != string(one.Value) || one.Seq < last {
					t.Errorf("after version %d: %+v and %+v", last, one, two)
					return
				}
				last = one.Seq
			}
		})
	}
	for n := int64(2); n <= 100; n++ {
		if err := write(n); err != nil {
			t.Error(err)
			break
		}
		a, ok, err := s.AspectVersion(t.Context(), graphstore.AspectKey{URN: urn, Name: names[0]}, 0)
		if err != nil || !ok || a.Seq != n {
			t.Errorf("after version %d was answered, %d is read: %v", n, a.Seq, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	readers.Wait()
}
