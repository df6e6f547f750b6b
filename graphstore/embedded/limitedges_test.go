package embedded

import (
	"errors"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitOfQueuedWrites: as many updates wait for the writer as the limit, and one more is refused.
func TestLimitOfQueuedWrites(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := newQueue(s.writer.queue.length)
	for n := range limits.MaxQueuedWrites {
		if err := q.enter(&update{}); err != nil {
			t.Fatalf("update %d: %v", n+1, err)
		}
	}
	if err := q.enter(&update{}); !errors.Is(err, graphstore.ErrBusy) {
		t.Errorf("one more: %v", err)
	}
}

// TestLimitOfChangePages: a page of the log ends with the change whose values reach the limit.
func TestLimitOfChangePages(t *testing.T) {
	for size, want := range map[int]int{limits.MaxChangePageBytes: 1, limits.MaxChangePageBytes - 1: 2} {
		s, err := Open(t.Context(), Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range []string{`"` + strings.Repeat("x", size-len(`""`)) + `"`, `""`, `""`} {
			put := graphstore.Batch{
				PutVersions: []graphstore.Aspect{{URN: cachedURN(i), Name: cachedAspect, Seq: 1, Value: []byte(value)}},
				Changes:     []graphstore.Change{{Kind: graphstore.ChangeUpsert, URN: cachedURN(i), Aspect: cachedAspect, Seq: 1}},
			}
			if err := s.Update(t.Context(), []string{cachedURN(i)}, func(tx graphstore.Tx) error { return tx.Write(put) }); err != nil {
				t.Fatal(err)
			}
		}
		if page, _, err := s.Changes(t.Context(), "", 3); err != nil || len(page) != want {
			t.Errorf("a first value of %d bytes: %d changes are on the page, %v", size, len(page), err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
