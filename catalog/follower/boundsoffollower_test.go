package follower

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/broadcast"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// noWriter writes nothing.
type noWriter struct{}

func (noWriter) Written() *broadcast.Broadcast        { return new(broadcast.Broadcast) }
func (noWriter) QueuePathUpdates([]graphstore.Change) {}

// noStore is a store without a change log.
type noStore struct{ Store }

func (noStore) EndCursor(context.Context) (string, error) { return "", nil }

// TestLimitOfIndexBehind: a write is answered at once while the index lacks as many changes as the
// limit, and is held back while the index lacks one more.
func TestLimitOfIndexBehind(t *testing.T) {
	for behind, held := range map[int64]bool{limits.MaxIndexBehind: false, limits.MaxIndexBehind + 1: true} {
		f := New(Options{Writer: noWriter{}, Store: noStore{}})
		f.following.Store(true)
		f.behind.Store(behind)
		f.measuredAt.Store(time.Now().Add(time.Hour).UnixNano()) // the measured lag stays valid
		ctx, cancel := context.WithCancel(t.Context())
		answered := make(chan struct{})
		f.work.Go("a write", func() {
			f.holdBack(ctx)
			close(answered)
		})
		isAnswered := func() bool {
			select {
			case <-answered:
				return true
			default:
				return false
			}
		}
		testclock.Await(t, "the write is answered or held back", func() bool { return isAnswered() || f.held.Load() == 1 })
		if is := !isAnswered(); is != held {
			t.Errorf("%d changes behind: the write is held back: %v", behind, is)
		}
		cancel()
		<-answered
	}
}

// TestLimitOfRefused: as many refused documents are listed as the limit, and further ones counted.
func TestLimitOfRefused(t *testing.T) {
	for n, more := range map[int]int64{limits.MaxRefusedListed: 0, limits.MaxRefusedListed + 1: 1} {
		refused := make([]indexer.Refusal, n)
		for i := range refused {
			refused[i].URN = fmt.Sprint("urn:li:tag:t", i)
		}
		list, changed := Refusals{}.after(new(indexer.Batch), refused, time.UnixMilli(1))
		if !changed || len(list.Documents) != limits.MaxRefusedListed || list.More != more || list.Count() != int64(n) {
			t.Errorf("of %d documents, %d are listed and %d counted", n, len(list.Documents), list.More)
		}
	}
}
