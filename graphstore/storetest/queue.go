package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// block starts an update of an entity, which runs until release is called. block returns when
// the update is running.
func block(t *testing.T, s graphstore.Store, urn string) (release func()) {
	t.Helper()
	begun, over, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.Update(context.Background(), []string{urn}, func(graphstore.Tx) error {
			close(begun)
			<-over
			return nil
		})
	}()
	<-begun
	return sync.OnceFunc(func() {
		close(over)
		if err := <-ended; err != nil {
			t.Errorf("the update that took its time: %v", err)
		}
	})
}

// testCallerLeaves: a caller whose context ends while the caller waits for its turn gets an
// error at once, and the store does not run the caller's update.
func testCallerLeaves(t *testing.T, s graphstore.Store) {
	release := block(t, s, urn(1))
	defer release()
	var ran atomic.Int64
	errs := make(chan error)
	const callers = 20
	for n := range callers {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n)*time.Millisecond)
		defer cancel()
		go func() {
			errs <- s.Update(ctx, []string{urn(1)}, func(tx graphstore.Tx) error {
				ran.Add(1)
				_, err := putNext(tx, urn(1), "ownership", value(n))
				return err
			})
		}()
	}
	for range callers { // the first update is still running
		if err := <-errs; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller who left: %v", err)
		}
	}
	release()
	put(t, s, urn(1), "ownership", value(1))
	if n := ran.Load(); n != 0 {
		t.Errorf("%d updates ran for callers who had left", n)
	}
	wantNoVersion(t, s, urn(1), "ownership", 1)
}

// testQueueLength: at most the configured number of updates wait. Further callers get ErrBusy.
func testQueueLength(t *testing.T, open func(*testing.T, int, time.Duration) graphstore.Store) {
	const length, callers = 3, 8
	s := open(t, length, time.Hour)
	defer closeStore(t, s)
	release := block(t, s, urn(1))
	defer release()
	errs := make(chan error, callers)
	for n := range callers {
		go func() {
			errs <- s.Update(context.Background(), []string{urn(1)}, func(tx graphstore.Tx) error {
				_, err := putNext(tx, urn(1), "ownership", value(n))
				return err
			})
		}()
	}
	for range callers - length {
		if err := <-errs; !errors.Is(err, graphstore.ErrBusy) {
			t.Errorf("an update beyond the bound: %v", err)
		}
	}
	release()
	for range length {
		if err := <-errs; err != nil {
			t.Errorf("an update that waited: %v", err)
		}
	}
	if a, _ := version(t, s, urn(1), "ownership", 0); a.Seq != length {
		t.Errorf("%d versions, want %d", a.Seq, length)
	}
}

// testQueueTime: a caller that has waited for the configured time gets ErrBusy.
func testQueueTime(t *testing.T, open func(*testing.T, int, time.Duration) graphstore.Store) {
	s := open(t, 10, 5*time.Millisecond)
	defer closeStore(t, s)
	release := block(t, s, urn(1))
	defer release()
	err := s.Update(context.Background(), []string{urn(1)}, func(graphstore.Tx) error {
		t.Error("an update ran after its caller was told that the store is busy")
		return nil
	})
	if !errors.Is(err, graphstore.ErrBusy) {
		t.Errorf("an update whose turn did not come: %v", err)
	}
	release()
}

// testHotEntity: many writers write aspects and edges of one entity, and the edges lead to the
// same entities. No write fails, and each aspect gets the versions 1 to k without a gap.
func testHotEntity(t *testing.T, s graphstore.Store) {
	const writers, rounds, aspects = 32, 8, 4
	hot := urn(1)
	update(t, s, []string{hot}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(hot)}})
	})
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			aspect := fmt.Sprint("aspect", w%aspects)
			for r := range rounds {
				err := s.Update(context.Background(), []string{hot}, func(tx graphstore.Tx) error {
					if _, err := putNext(tx, hot, aspect, value(w*rounds+r)); err != nil {
						return err
					}
					return tx.Write(graphstore.Batch{AddEdges: []graphstore.EdgeStatement{
						statement(hot, "OwnedBy", urn(100+r%3), aspect, fmt.Sprint("path", w, "-", r), 1),
					}})
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	for n := range aspects {
		versions := must[[]graphstore.Aspect](t)(s.AspectVersions(context.Background(), key(hot, fmt.Sprint("aspect", n)), graphstore.Page{Count: 1000}))
		seqs := map[int64]bool{}
		for i := range versions {
			seqs[versions[i].Seq] = true
		}
		const want = writers / aspects * rounds
		if len(versions) != want || len(seqs) != want || !seqs[1] || !seqs[want] {
			t.Errorf("aspect %d has %d versions, want %d without a gap", n, len(versions), want)
		}
	}
}
