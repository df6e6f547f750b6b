package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testclock"
)

// restorable is a search harness whose store is in a directory of its own and
// can be put back to an earlier state.
type restorable struct {
	*searchHarness
	storeDir string
}

func newRestorable(t *testing.T) *restorable {
	t.Helper()
	r := &restorable{newSearchHarness(t), t.TempDir()}
	r.closeStore()
	r.open()
	r.follow()
	return r
}

// open puts the catalog on what the store's directory holds.
func (r *restorable) open() {
	r.t.Helper()
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: r.storeDir})
	if err != nil {
		r.t.Fatal(err)
	}
	r.store.Store = store
	r.Catalog = New(Options{Store: r.store, Index: &Index{Index: r.index, Fresh: true}})
}

func (r *restorable) closeStore() {
	r.t.Helper()
	r.stop()
	if err := r.store.Close(); err != nil {
		r.t.Fatal(err)
	}
}

// same compares what a search finds with what the store holds.
func (r *restorable) same(when string) {
	r.t.Helper()
	page, err := r.ListURNs(context.Background(), "dataset", 0, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	found, err := r.Search(context.Background(), SearchRequest{Types: []string{"dataset"}, Count: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	hits := hitURNs(found)
	if want := slices.Sorted(slices.Values(page.Entities)); !slices.Equal(hits, want) || found.Total != len(want) {
		r.t.Errorf("%s the index has %d of %d datasets (total %d):\n%v\n%v", when, len(hits), len(want), found.Total, hits, want)
	}
	if lag, err := r.IndexLag(context.Background()); err != nil || lag != 0 {
		r.t.Errorf("%s the lag is %d, %v", when, lag, err)
	}
}

// A store put back to an earlier state beside a newer index: the index is made
// anew, what it waited for is in it, and nothing is found that is not there. The
// numbers of the lost changes are given to others before the follower looks.
func TestRestoredStoreBesideNewerIndex(t *testing.T) {
	for _, others := range []int{0, 3, 40, 120} {
		t.Run(fmt.Sprint(others), func(t *testing.T) {
			r := newRestorable(t)
			for n := range 10 {
				r.add(n)
			}
			r.closeStore()
			kept := filepath.Join(t.TempDir(), "kept")
			if err := os.CopyFS(kept, os.DirFS(r.storeDir)); err != nil {
				t.Fatal(err)
			}
			r.open()
			r.follow()
			for n := 100; n < 140; n++ {
				r.add(n)
			}
			r.same("before,")
			r.closeStore()
			if err := errors.Join(os.RemoveAll(r.storeDir), os.CopyFS(r.storeDir, os.DirFS(kept))); err != nil {
				t.Fatal(err)
			}
			r.open()
			for n := 200; n < 200+others; n++ { // nobody follows yet
				r.add(n)
			}
			r.follow()
			status, _ := r.IndexStatus()
			if status.Reason != reasonLost || status.Broken != "" {
				t.Errorf("the index was built since %q, broken %q", status.Reason, status.Broken)
			}
			r.same("restored,")
			for n := 500; n < 540; n++ {
				urn := r.add(n)
				found, err := r.Search(context.Background(), SearchRequest{Types: []string{"dataset"}, Input: urn, Count: 1})
				if err != nil || found.Total != 1 {
					t.Fatalf("a write that waited for the index is not in it: %+v, %v", found, err)
				}
			}
			r.same("after more writes")
			if again, _ := r.IndexStatus(); again.Builds != status.Builds {
				t.Errorf("it was built %d times more", again.Builds-status.Builds)
			}
		})
	}
}

// A position of an earlier release does not say which changes it names: one
// rebuild, and not a second one.
func TestPositionOfEarlierRelease(t *testing.T) {
	s := newSearchHarness(t)
	s.add(1)
	s.stop()
	if err := s.index.Write(context.Background(), indexer.Batch{Cursor: "oldname 1"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.follow()
		s.expectTotal("followed,", 1)
		s.stop()
	}
	if status, _ := s.IndexStatus(); status.Builds != 2 { // the harness's first one is the other
		t.Errorf("%d builds", status.Builds)
	}
	s.follow()
}

// Damage that a search or a write comes upon leads to a rebuild; meanwhile the
// index says that it cannot be relied on.
func TestDamageLeadsToRebuild(t *testing.T) {
	for name, come := range map[string]func(*searchHarness){
		"search": func(s *searchHarness) {
			if _, err := s.Search(context.Background(), SearchRequest{Types: []string{"dataset"}, Count: 1}); CodeOf(err) != Unavailable {
				s.t.Errorf("a search of a damaged index: %v", err)
			}
		},
		"write": func(s *searchHarness) { s.add(2) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSearchHarness(t)
			s.add(1)
			before, _ := s.IndexStatus()
			s.index.hold.Lock() // no rebuild ends
			s.index.damaged.Store(true)
			come(s)
			if name == "search" || s.waitFor(func(st IndexStatus) bool { return st.Broken != "" }) {
				if err := s.PingIndex(context.Background()); CodeOf(err) != Unavailable {
					t.Errorf("ready with a damaged index: %v", err)
				}
			}
			s.index.hold.Unlock()
			s.await()
			after, _ := s.IndexStatus()
			if after.Builds != before.Builds+1 || after.Reason != reasonDamaged || after.Broken != "" {
				t.Errorf("after the damage: %+v", after)
			}
			if err := s.PingIndex(context.Background()); err != nil {
				t.Errorf("rebuilt, it is not ready: %v", err)
			}
			page, err := s.ListURNs(context.Background(), "dataset", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			s.expectTotal("rebuilt,", int(page.Total))
		})
	}
}

func (s *searchHarness) waitFor(condition func(IndexStatus) bool) bool {
	s.t.Helper()
	testclock.Await(s.t, "a status of the index", func() bool {
		status, _ := s.IndexStatus()
		return condition(status)
	})
	return true
}

// What the index has and the store has not is left out of answers, and of the
// index soon after.
func TestPhantoms(t *testing.T) {
	s := newSearchHarness(t)
	urn := s.add(1)
	s.stop()
	phantom := dataset("hive", "db.phantom", "PROD")
	position, err := s.index.Cursor(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.index.Write(context.Background(), indexer.Batch{Cursor: position, Put: []indexer.Document{{
		URN: phantom, Type: "dataset", Weight: 1,
		Values: map[string][]string{
			indexer.FieldURN: {phantom}, indexer.FieldType: {"dataset"}, indexer.FieldRemoved: {"false"}, "name": {"db.phantom"},
		},
		Text:        [indexer.TextClasses][]string{{"db phantom"}, {}, {}, {}},
		Completions: map[string][]string{"name": {"db.phantom"}},
	}}}); err != nil {
		t.Fatal(err)
	}
	s.expectTotal("with nothing asked for,", 2) // a count alone has no hits to look at
	found, err := s.Search(context.Background(), SearchRequest{Types: []string{"dataset"}, Count: 10})
	if err != nil || !slices.Equal(hitURNs(found), []string{urn}) || found.Total != 1 {
		t.Errorf("a search finds %+v, %v", found, err)
	}
	completed, err := s.Autocomplete(context.Background(), AutocompleteRequest{Types: []string{"dataset"}, Query: "phant", Limit: 10})
	if err != nil || len(completed.Hits) != 0 {
		t.Errorf("completed to %+v, %v", completed, err)
	}
	s.follow()
	s.expectTotal("repaired,", 1)
}

// A document that the index refuses is set aside with its reason, the rest of
// its batch is written; a restart remembers it, and it is taken when it changes.
func TestRefusedDocuments(t *testing.T) {
	s := newSearchHarness(t)
	bad := dataset("hive", "db.t3", "PROD")
	s.index.refuse(bad)
	var proposals []Proposal
	for n := range 6 {
		proposals = append(proposals, proposal("UPSERT", dataset("hive", fmt.Sprintf("db.t%d", n), "PROD"), "datasetProperties", `{"description":"x"}`))
	}
	if _, err := s.IngestBatch(context.Background(), proposals, WriteOptions{AwaitIndex: true}); err != nil {
		t.Fatal(err)
	}
	check := func(when string, want int) {
		t.Helper()
		status, _ := s.IndexStatus()
		if status.Refused.Count() != int64(want) || len(status.Refused.Documents) != want {
			t.Fatalf("%s: %+v", when, status.Refused)
		}
		if want > 0 {
			if d := status.Refused.Documents[0]; d.URN != bad || !strings.Contains(d.Reason, "too odd") || d.Since == 0 {
				t.Errorf("%s: %+v", when, d)
			}
		}
		if lag, err := s.IndexLag(context.Background()); err != nil || lag != 0 {
			t.Errorf("%s: lag %d, %v", when, lag, err)
		}
		s.expectTotal(when+",", 6-want)
	}
	check("refused", 1)
	s.stop()
	s.follow()
	check("after a restart", 1)
	if err := s.Reindex(); err != nil {
		t.Fatal(err)
	}
	s.waitFor(func(st IndexStatus) bool { return !st.Building })
	check("after a rebuild", 1)
	s.index.refuse()
	s.put("", "UPSERT", bad, "datasetProperties", `{"description":"y"}`)
	check("changed and taken", 0)
	if _, ever := s.IndexRefused(); ever < 3 {
		t.Errorf("%d refusals were counted", ever)
	}
}

// Refusals beyond the bound are counted, not listed.
func TestRefusalsAreBounded(t *testing.T) {
	var r Refusals
	var batch indexer.Batch
	var refused []indexer.Refusal
	for n := range 250 {
		urn := fmt.Sprintf("urn:li:tag:%03d", n)
		batch.Put = append(batch.Put, indexer.Document{URN: urn})
		refused = append(refused, indexer.Refusal{URN: urn, Reason: strings.Repeat("é", 1000)})
	}
	r, changed := r.after(&batch, refused, time.UnixMilli(5))
	if !changed || r.Count() != 250 || len(r.Documents) != 100 || len(r.Documents[0].Reason) > maxReason+len("… (2000 bytes)") {
		t.Fatalf("%t, %d in all, %d listed", changed, r.Count(), len(r.Documents))
	}
	p := position{index: "a", cursor: "b", refused: r}
	if back := parsePosition(p.String()); back.index != "a" || back.cursor != "b" || back.refused.Count() != 250 {
		t.Errorf("read back: %+v", back)
	}
	if next, changed := r.after(&batch, nil, time.UnixMilli(6)); !changed || len(next.Documents) != 0 {
		t.Errorf("all taken: %+v", next)
	}
}

// Those who wait are answered when the index has reached the end of the log as
// it was for them, not when it has read something.
func TestWaitingComparesPositions(t *testing.T) {
	s := newSearchHarness(t)
	s.stop()
	var group sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for n := range 3 {
		s.add(n)
	}
	group.Go(func() {
		if err := s.follower.await(ctx, true); err != nil {
			t.Error(err)
		}
	})
	var tickets []ticket
	testclock.Await(t, "somebody waits", func() bool {
		tickets = s.follower.tickets()
		return len(tickets) > 0
	})
	if err := s.follower.aim(ctx, tickets); err != nil {
		t.Fatal(err)
	}
	middle, _, err := s.store.Changes(ctx, "", 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.follower.answer(tickets, middle[1].Cursor); err != nil {
		t.Fatal(err)
	}
	tickets = s.follower.tickets()
	if len(tickets) != 1 {
		t.Fatalf("%d go on waiting", len(tickets))
	}
	end, err := s.EndOfChanges(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.follower.answer(tickets, end); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	s.follow()
}
