package follower_test

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

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// restorable is a search harness whose store has a directory of its own, so that an earlier
// state of it can be restored.
type restorable struct {
	*catalogtest.SearchHarness
	storeDir string
}

func newRestorable(t *testing.T) *restorable {
	t.Helper()
	r := &restorable{catalogtest.NewSearchHarness(t), t.TempDir()}
	r.closeStore()
	r.open()
	t.Cleanup(r.closeStore)
	r.Follow()
	return r
}

// open opens the catalog on the store in the directory.
func (r *restorable) open() {
	r.T.Helper()
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: r.storeDir})
	if err != nil {
		r.T.Fatal(err)
	}
	r.Store.Store = store
	r.Services = services.New(services.Options{Store: r.Store, Index: &follower.Index{Index: r.Index, Wait: catalogtest.Patience}})
}

func (r *restorable) closeStore() {
	r.T.Helper()
	r.Stop()
	if err := r.Store.Close(); err != nil {
		r.T.Fatal(err)
	}
}

// same checks that a search finds exactly the entities of the store.
func (r *restorable) same(when string) {
	r.T.Helper()
	page, err := r.ListURNs(context.Background(), "dataset", 0, 1000)
	if err != nil {
		r.T.Fatal(err)
	}
	found, err := r.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Count: 1000})
	if err != nil {
		r.T.Fatal(err)
	}
	hits := catalogtest.HitURNs(found)
	if want := slices.Sorted(slices.Values(page.Entities)); !slices.Equal(hits, want) || found.Total != len(want) {
		r.T.Errorf("%s the index has %d of %d datasets (total %d):\n%v\n%v", when, len(hits), len(want), found.Total, hits, want)
	}
	if lag, err := r.Follower.Lag(context.Background()); err != nil || lag != 0 {
		r.T.Errorf("%s the lag is %d, %v", when, lag, err)
	}
}

// TestRestoredStoreBesideNewerIndex: if an earlier state of the store is restored, the newer
// index is rebuilt. Then the index has the changes for which callers waited, and finds no
// entity that the store does not have. The numbers of the lost changes are given to other
// changes before the follower reads the log.
func TestRestoredStoreBesideNewerIndex(t *testing.T) {
	for _, others := range []int{0, 3, 40, 120} {
		t.Run(fmt.Sprint(others), func(t *testing.T) {
			r := newRestorable(t)
			for n := range 10 {
				r.Add(n)
			}
			r.closeStore()
			copied := filepath.Join(t.TempDir(), "kept")
			if err := os.CopyFS(copied, os.DirFS(r.storeDir)); err != nil {
				t.Fatal(err)
			}
			r.open()
			r.Follow()
			for n := 100; n < 140; n++ {
				r.Add(n)
			}
			r.same("before,")
			r.closeStore()
			if err := errors.Join(os.RemoveAll(r.storeDir), os.CopyFS(r.storeDir, os.DirFS(copied))); err != nil {
				t.Fatal(err)
			}
			r.open()
			for n := 200; n < 200+others; n++ { // no follower runs yet
				r.Add(n)
			}
			r.Follow()
			status, _ := r.Follower.Status()
			if status.Reason != follower.ReasonLost || status.Broken != "" {
				t.Errorf("the index was built since %q, broken %q", status.Reason, status.Broken)
			}
			r.same("restored,")
			for n := 500; n < 540; n++ {
				urn := r.Add(n)
				found, err := r.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Input: urn, Count: 1})
				if err != nil || found.Total != 1 {
					t.Fatalf("a write that waited for the index is not in it: %+v, %v", found, err)
				}
			}
			r.same("after more writes")
			if later, _ := r.Follower.Status(); later.Builds != status.Builds {
				t.Errorf("it was built %d times more", later.Builds-status.Builds)
			}
		})
	}
}

// TestPositionOfEarlierRelease: a position that an earlier release stored does not identify its
// change. Such a position leads to exactly one rebuild.
func TestPositionOfEarlierRelease(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Add(1)
	s.Stop()
	if err := s.Index.Write(context.Background(), indexer.Batch{Cursor: "oldname 1"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.Follow()
		s.ExpectTotal("followed,", 1)
		s.Stop()
	}
	if status, _ := s.Follower.Status(); status.Builds != 2 { // the first build is that of the harness
		t.Errorf("%d builds", status.Builds)
	}
	s.Follow()
}

// TestDamageLeadsToRebuild: damage that a search or a write finds leads to a rebuild. Until the
// rebuild ends, the index reports that it is damaged.
func TestDamageLeadsToRebuild(t *testing.T) {
	for name, come := range map[string]func(*catalogtest.SearchHarness){
		"search": func(s *catalogtest.SearchHarness) {
			if _, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Count: 1}); catalog.CodeOf(err) != catalog.Unavailable {
				s.T.Errorf("a search of a damaged index: %v", err)
			}
		},
		"write": func(s *catalogtest.SearchHarness) { s.Add(2) },
	} {
		t.Run(name, func(t *testing.T) {
			s := catalogtest.NewSearchHarness(t)
			s.Add(1)
			before, _ := s.Follower.Status()
			s.Index.Hold.Lock() // no rebuild can end
			s.Index.Damaged.Store(true)
			come(s)
			if name == "search" || waitFor(s, func(st follower.Status) bool { return st.Broken != "" }) {
				if err := s.Follower.Ping(context.Background()); catalog.CodeOf(err) != catalog.Unavailable {
					t.Errorf("ready with a damaged index: %v", err)
				}
			}
			s.Index.Hold.Unlock()
			s.Await()
			after, _ := s.Follower.Status()
			if after.Builds != before.Builds+1 || after.Reason != follower.ReasonDamaged || after.Broken != "" {
				t.Errorf("after the damage: %+v", after)
			}
			if err := s.Follower.Ping(context.Background()); err != nil {
				t.Errorf("rebuilt, it is not ready: %v", err)
			}
			page, err := s.ListURNs(context.Background(), "dataset", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			s.ExpectTotal("rebuilt,", int(page.Total))
		})
	}
}

func waitFor(s *catalogtest.SearchHarness, condition func(follower.Status) bool) bool {
	s.T.Helper()
	testclock.Await(s.T, "a status of the index", func() bool {
		status, _ := s.Follower.Status()
		return condition(status)
	})
	return true
}

// TestPhantoms: entities that are in the index but not in the store are left out of answers,
// and soon deleted from the index.
func TestPhantoms(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	urn := s.Add(1)
	s.Await()
	s.Stop()
	phantom := catalogtest.Dataset("hive", "db.phantom", "PROD")
	position, err := s.Index.Cursor(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Index.Write(context.Background(), indexer.Batch{Cursor: position, Put: []indexer.Document{{
		URN: phantom, Type: "dataset", Weight: 1,
		Values: map[string][]string{
			indexer.FieldURN: {phantom}, indexer.FieldType: {"dataset"}, indexer.FieldRemoved: {"false"}, "name": {"db.phantom"},
		},
		Text:        [indexer.TextClasses][]string{{"db phantom"}, {}, {}, {}},
		Completions: map[string][]string{"name": {"db.phantom"}},
	}}}); err != nil {
		t.Fatal(err)
	}
	s.ExpectTotal("with nothing asked for,", 2) // a mere count has no hits to compare with the store
	found, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}, Count: 10})
	if err != nil || !slices.Equal(catalogtest.HitURNs(found), []string{urn}) || found.Total != 1 {
		t.Errorf("a search finds %+v, %v", found, err)
	}
	completed, err := s.Search.Autocomplete(context.Background(), search.AutocompleteRequest{Types: []string{"dataset"}, Query: "phant", Limit: 10})
	if err != nil || len(completed.Hits) != 0 {
		t.Errorf("completed to %+v, %v", completed, err)
	}
	s.Follow()
	testclock.Await(t, "the index is repaired", func() bool { return s.Total() == 1 })
}

// TestRefusedDocuments: a document that the index refuses is listed with the reason, and the
// rest of its batch is written. The list survives a restart. The document is written when it
// changes.
func TestRefusedDocuments(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	bad := catalogtest.Dataset("hive", "db.t3", "PROD")
	s.Index.Refuse(bad)
	var proposals []write.Proposal
	for n := range 6 {
		proposals = append(proposals, catalogtest.Proposal("UPSERT", catalogtest.Dataset("hive", fmt.Sprintf("db.t%d", n), "PROD"), "datasetProperties", `{"description":"x"}`))
	}
	if _, err := s.IngestBatch(context.Background(), proposals, catalog.WriteOptions{AwaitIndex: true}); err != nil {
		t.Fatal(err)
	}
	check := func(when string, want int) {
		t.Helper()
		status, _ := s.Follower.Status()
		if status.Refused.Count() != int64(want) || len(status.Refused.Documents) != want {
			t.Fatalf("%s: %+v", when, status.Refused)
		}
		if want > 0 {
			if d := status.Refused.Documents[0]; d.URN != bad || !strings.Contains(d.Reason, "too odd") || d.Since == 0 {
				t.Errorf("%s: %+v", when, d)
			}
		}
		if lag, err := s.Follower.Lag(context.Background()); err != nil || lag != 0 {
			t.Errorf("%s: lag %d, %v", when, lag, err)
		}
		s.ExpectTotal(when+",", 6-want)
	}
	check("refused", 1)
	s.Stop()
	s.Follow()
	check("after a restart", 1)
	if err := s.Follower.Reindex(); err != nil {
		t.Fatal(err)
	}
	waitFor(s, func(st follower.Status) bool { return !st.Building })
	check("after a rebuild", 1)
	s.Index.Refuse()
	s.Put("", "UPSERT", bad, "datasetProperties", `{"description":"y"}`)
	s.Await()
	check("changed and taken", 0)
	if _, ever := s.Follower.RefusedCounts(); ever < 3 {
		t.Errorf("%d refusals were counted", ever)
	}
}

// TestRefusalsAreBounded: refusals beyond the bound are counted, not listed.
func TestRefusalsAreBounded(t *testing.T) {
	var r follower.Refusals
	var batch indexer.Batch
	var refused []indexer.Refusal
	for n := range 250 {
		urn := fmt.Sprintf("urn:li:tag:%03d", n)
		batch.Put = append(batch.Put, indexer.Document{URN: urn})
		refused = append(refused, indexer.Refusal{URN: urn, Reason: strings.Repeat("é", 1000)})
	}
	r, changed := r.After(&batch, refused, time.UnixMilli(5))
	if !changed || r.Count() != 250 || len(r.Documents) != 100 || len(r.Documents[0].Reason) > follower.MaxReason+len("… (2000 bytes)") {
		t.Fatalf("%t, %d in all, %d listed", changed, r.Count(), len(r.Documents))
	}
	p := follower.NewPosition("a", "b", r)
	back := follower.ParsePosition(p.String())
	if index, cursor, refused := back.Parts(); index != "a" || cursor != "b" || refused.Count() != 250 {
		t.Errorf("read back: %+v", back)
	}
	if next, changed := r.After(&batch, nil, time.UnixMilli(6)); !changed || len(next.Documents) != 0 {
		t.Errorf("all taken: %+v", next)
	}
}

// TestWaitingComparesPositions: a waiting caller is released when the index has reached the end
// that the log had at the call, and not after any other change.
func TestWaitingComparesPositions(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Stop()
	var group sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for n := range 3 {
		s.Add(n)
	}
	group.Go(func() {
		if err := s.Follower.Await(ctx); err != nil {
			t.Error(err)
		}
	})
	var tickets []follower.Ticket
	testclock.Await(t, "somebody waits", func() bool {
		tickets = s.Follower.Tickets()
		return len(tickets) > 0
	})
	middle, _, err := s.Store.Changes(ctx, "", 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Follower.Answer(tickets, middle[1].Cursor); err != nil {
		t.Fatal(err)
	}
	tickets = s.Follower.Tickets()
	if len(tickets) != 1 {
		t.Fatalf("%d go on waiting", len(tickets))
	}
	end, err := s.EndOfChanges(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Follower.Answer(tickets, end); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	s.Follow()
}
