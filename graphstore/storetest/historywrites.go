package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testHistoryDuringWrites reads the history of an entity while each write replaces the entity's
// version and its one edge. The versions and edges of one history must belong to the same
// moment.
func testHistoryDuringWrites(t *testing.T, s graphstore.Store) {
	const versions = 40
	u := urn(0)
	to := func(n int) graphstore.EdgeStatement {
		return statement(u, "OwnedBy", urn(n), "ownership", "p", int64(n))
	}
	var writing sync.WaitGroup
	done := make(chan struct{})
	writing.Go(func() {
		defer close(done)
		for n := 1; n <= versions; n++ {
			err := s.Update(context.Background(), []string{u}, func(tx graphstore.Tx) error {
				b := graphstore.Batch{AddEdges: []graphstore.EdgeStatement{to(n)}}
				if n > 1 {
					b.EndEdges = []graphstore.EdgeEnd{{EdgeID: to(n - 1).EdgeID, Until: int64(n), UntilRun: "run", UntilActor: actor}}
				}
				if _, err := putNext(tx, u, "ownership", value(n)); err != nil {
					return err
				}
				return tx.Write(b)
			})
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer writing.Wait()
	for last := false; ; {
		select {
		case <-done:
			last = true
		default:
		}
		found, err := s.History(context.Background(), []string{u})
		switch {
		case errors.Is(err, graphstore.ErrBusy) && !last: // the writer may win every time until it stops
		case err != nil:
			t.Fatal(err)
		case len(found) > 0:
			h := found[u]
			latest := h.Versions[len(h.Versions)-1]
			if len(h.Current) != 1 || h.Current[0].Destination != urn(int(latest.Seq)) || len(h.Ended) != len(h.Versions)-1 || string(latest.Value) != fmt.Sprintf(`{"n":%d}`, latest.Seq) {
				t.Fatalf("%d versions, the latest %s, with %d ended edges and the current ones %+v", len(h.Versions), latest.Value, len(h.Ended), h.Current)
			}
		}
		if last {
			return
		}
	}
}
