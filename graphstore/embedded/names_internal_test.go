package embedded

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/recent"
)

// writeRuns writes an aspect of one entity for each of a range of runs, each with an actor of
// its own.
func writeRuns(t *testing.T, s *Store, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		urn := fmt.Sprintf("urn:li:tag:%d", n)
		err := s.Update(t.Context(), []string{urn}, func(tx graphstore.Tx) error {
			return tx.Write(graphstore.Batch{
				Nodes: []graphstore.NodeUpdate{{URN: urn, Type: "tag", Exists: true}},
				PutVersions: []graphstore.Aspect{{
					URN: urn, Name: "status", Seq: 1, Value: []byte(`{}`), CreatedBy: actorNamed(n), System: graphstore.SystemMetadata{RunID: runNamed(n)},
				}},
				Changes: []graphstore.Change{{URN: urn, EntityType: "tag", Aspect: "status", Kind: graphstore.ChangeUpsert, Actor: actorNamed(n), Seq: 1}},
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func runNamed(n int) string { return fmt.Sprintf("run-%d-%s", n, strings.Repeat("r", 400)) }
func actorNamed(n int) string {
	return fmt.Sprintf("urn:li:corpuser:%d-%s", n, strings.Repeat("a", 400))
}

// TestNamesAreNotAllKept: the memory for names is bounded, however many runs and actors there
// were. Forgotten names are read again, and a store opens without reading them.
func TestNamesAreNotAllKept(t *testing.T) {
	const runs = 300
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.names.shrink(20 * (nameSize + 500))
	writeRuns(t, s, 0, runs)
	if held := s.names.held(); held > 200 {
		t.Errorf("%d names are in memory after %d runs", held, runs)
	}
	for _, n := range []int{0, runs / 2, runs - 1} {
		urn := fmt.Sprintf("urn:li:tag:%d", n)
		found, err := s.LatestAspects(t.Context(), []string{urn}, nil)
		if err != nil || len(found[urn]) != 1 || found[urn][0].System.RunID != runNamed(n) || found[urn][0].CreatedBy != actorNamed(n) {
			t.Errorf("%s: %+v, %v", urn, found[urn], err)
		}
		rows, _, err := s.Rows(t.Context(), graphstore.RowQuery{Origin: graphstore.Origin{RunID: runNamed(n)}, Limit: 10})
		if err != nil || len(rows) != 1 || rows[0].URN != urn {
			t.Errorf("run %d: %+v, %v", n, rows, err)
		}
	}
	changes, _, err := s.Changes(t.Context(), "", runs+1)
	if err != nil || len(changes) != runs {
		t.Fatalf("%d changes: %v", len(changes), err)
	}
	for n := range changes {
		if changes[n].Actor != actorNamed(n) || changes[n].System.RunID != runNamed(n) {
			t.Errorf("change %d is %+v", n, changes[n])
		}
	}
	dir := s.files.dir
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	reopened, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer reopened.Close()
	if held := reopened.names.held(); held > 10 {
		t.Errorf("%d names are in memory after the start", held)
	}
	writeRuns(t, reopened, runs, runs+1) // the new runs have new numbers
	rows, _, err := reopened.Rows(t.Context(), graphstore.RowQuery{Origin: graphstore.Origin{RunID: runNamed(0)}, Limit: 10})
	if err != nil || len(rows) != 1 || rows[0].URN != "urn:li:tag:0" {
		t.Errorf("the first run after the start: %+v, %v", rows, err)
	}
}

// shrink makes the cache of names smaller.
func (n *names) shrink(size int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ids, n.texts = recent.NewWeighed[string](size, (*name).size), recent.NewWeighed[int64](size, (*name).size)
}

// held returns the number of names in memory: the names of the younger generation, the names of
// aspects, and the pending names.
func (n *names) held() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	held := len(n.aspects) + len(n.pendingIDs)
	for id := int64(firstOtherName); id < n.next; id++ {
		if _, ok := n.texts.Young(id); ok {
			held++
		}
	}
	return held
}

// TestNamesOfUndoneUpdates: a name whose update failed is in no map, and gets another number
// later.
func TestNamesOfUndoneUpdates(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if id, err := s.names.find("run"); id != 0 || err != nil {
		t.Fatal(id, err)
	}
	var undone int64
	planned := fmt.Errorf("planned")
	err = s.Update(t.Context(), nil, func(g graphstore.Tx) error {
		inner := g.(*tx)
		inner.written = true
		if undone, err = inner.intern("run"); err != nil {
			return err
		}
		return planned
	})
	if !errors.Is(err, planned) || undone == 0 {
		t.Fatal(undone, err)
	}
	if id, err := s.names.find("run"); id != 0 || err != nil {
		t.Errorf("a name that was undone has number %d: %v", id, err)
	}
	if text, err := s.names.text(undone); text != "" || err != nil {
		t.Errorf("the number of a name that was undone is that of %q: %v", text, err)
	}
	if len(s.names.pendingIDs)+len(s.names.pendingTexts) > 0 {
		t.Error("a name that was undone is still to be written")
	}
}

// TestNamesWhileTheyAreAdded: a reader that did not find a name does not hide it from readers
// after the write.
func TestNamesWhileTheyAreAdded(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const runs = 60
	var group sync.WaitGroup
	over := make(chan struct{})
	for range 3 {
		group.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				default:
					if _, err := s.names.find(runNamed(n % runs)); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for n := range runs {
		writeRuns(t, s, n, n+1)
		if id, err := s.names.find(runNamed(n)); id == 0 || err != nil {
			t.Errorf("run %d was written and is not found: %v", n, err)
		}
	}
	close(over)
	group.Wait()
}

// TestRoomForAspects: unknown aspects do not take the room of aspects of the model, before and
// after a restart. An update that was undone takes no room.
func TestRoomForAspects(t *testing.T) {
	options := Options{Dir: t.TempDir(), Aspects: []string{"status", "ownership"}}
	s, err := Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	write := func(aspects ...string) error {
		return s.Update(t.Context(), nil, func(g graphstore.Tx) error {
			inner := g.(*tx)
			inner.written = true
			for _, aspect := range aspects {
				if _, err := inner.internAspect(aspect); err != nil {
					return err
				}
			}
			return nil
		})
	}
	unknown := func(from, to int) (names []string) {
		for n := from; n < to; n++ {
			names = append(names, fmt.Sprint("unknown", n))
		}
		return names
	}
	if err := write(unknown(0, limits.MaxUnknownAspects+1)...); !errors.Is(err, graphstore.ErrAspectsFull) {
		t.Fatalf("too many in one update: %v", err)
	}
	if err := write(unknown(0, limits.MaxUnknownAspects-1)...); err != nil {
		t.Fatalf("after an update that was undone: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	if err := write(unknown(2000, 2001)...); err != nil {
		t.Errorf("the last one: %v", err)
	}
	if err := write("another"); !errors.Is(err, graphstore.ErrAspectsFull) {
		t.Errorf("one more: %v", err)
	}
	if err := write("unknown2000", "status", "ownership"); err != nil {
		t.Errorf("what is there, and what the model has: %v", err)
	}
}

// TestSetsOfRelationships: the sets of relationships in memory are bounded. Edges that were
// cached for a forgotten set are not mistaken for edges of another set.
func TestSetsOfRelationships(t *testing.T) {
	m := newMemory()
	first := m.setOf(graphstore.Outgoing, map[int64][]int64{1: nil})
	m.addEdges(0, []int64{7}, first, map[int64][]end{7: {{}}})
	numbers := map[int]bool{first: true}
	for n := range int64(rememberedSets + 10) {
		numbers[m.setOf(graphstore.Outgoing, map[int64][]int64{n + 2: nil})] = true
	}
	if len(numbers) != rememberedSets+11 {
		t.Errorf("%d sets have %d numbers", rememberedSets+11, len(numbers))
	}
	if len(m.sets) > rememberedSets {
		t.Errorf("%d sets are held", len(m.sets))
	}
	m.addEdges(0, []int64{8}, first, map[int64][]end{8: {{}}})
	if unknown := m.edges([]int64{7, 8}, first, func(int64, []end) {}); len(unknown) != 2 {
		t.Errorf("edges of a forgotten set are cached, all but %v", unknown)
	}
}
