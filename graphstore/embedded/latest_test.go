package embedded

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

func cachedURN(i int) string { return fmt.Sprintf("urn:li:corpuser:u%d", i) }

const cachedAspect = "corpUserInfo"

// putNext writes the next version of an aspect, with the number of the version as the value,
// and then calls the function also.
func putNext(s *Store, urn string, also func(graphstore.Tx) error) (seq int64, err error) {
	err = s.Update(context.Background(), []string{urn}, func(tx graphstore.Tx) error {
		key := graphstore.AspectKey{URN: urn, Name: cachedAspect}
		states, err := tx.Aspects([]graphstore.AspectKey{key})
		if err != nil {
			return err
		}
		seq = states[0].NextSeq
		err = tx.Write(graphstore.Batch{PutVersions: []graphstore.Aspect{{URN: urn, Name: cachedAspect, Seq: seq, Value: []byte(fmt.Sprint(seq))}}})
		if err == nil && also != nil {
			err = also(tx)
		}
		return err
	})
	return seq, err
}

// latestSeq reads the number of the latest version, 0 if there is none, and checks that the
// value belongs to it.
func latestSeq(s *Store, urn string) (int64, error) {
	found, err := s.LatestAspects(context.Background(), []string{urn}, []string{cachedAspect, "status"})
	if err != nil || len(found[urn]) == 0 {
		return 0, err
	}
	a := found[urn][0]
	if a.Name != cachedAspect || a.URN != urn || string(a.Value) != fmt.Sprint(a.Seq) {
		return 0, fmt.Errorf("read %+v with the value %s", a, a.Value)
	}
	return a.Seq, nil
}

func wantLatest(t *testing.T, s *Store, what, urn string, want int64) {
	t.Helper()
	for range 2 { // the second read uses the cache
		if got, err := latestSeq(s, urn); err != nil || got != want {
			t.Errorf("%s: the latest version is %d (%v), want %d", what, got, err, want)
		}
	}
}

// isCached reports whether a read of the entity would be answered from the cache.
func isCached(t *testing.T, s *Store, urn string) bool {
	t.Helper()
	id, err := s.entityID(t.Context(), urn)
	if err != nil {
		t.Fatal(err)
	}
	_, _, ok := s.memory.latest.find(id, []int64{s.names.aspectID(cachedAspect)})
	return ok
}

// TestLatestFollowsWrites: after every kind of change of a latest version, the next read
// returns the new version, even if the former version was cached.
func TestLatestFollowsWrites(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	urn, other := cachedURN(1), cachedURN(2)
	key := graphstore.AspectKey{URN: urn, Name: cachedAspect}
	write := func(batch graphstore.Batch) {
		t.Helper()
		if err := s.Update(t.Context(), []string{urn}, func(tx graphstore.Tx) error { return tx.Write(batch) }); err != nil {
			t.Fatal(err)
		}
	}
	put := func(urn string) {
		t.Helper()
		if _, err := putNext(s, urn, nil); err != nil {
			t.Fatal(err)
		}
	}
	wantLatest(t, s, "before anything", urn, 0)
	put(urn)
	put(other)
	wantLatest(t, s, "written", urn, 1)
	wantLatest(t, s, "the other", other, 1)
	put(urn)
	if isCached(t, s, urn) || !isCached(t, s, other) {
		t.Error("a write removes the entity that it changes, and no other")
	}
	wantLatest(t, s, "written again", urn, 2)
	broken := errors.New("broken")
	if _, err := putNext(s, urn, func(graphstore.Tx) error { return broken }); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	wantLatest(t, s, "undone", urn, 2)
	write(graphstore.Batch{Archive: []graphstore.AspectKey{key}})
	wantLatest(t, s, "archived", urn, 0)
	write(graphstore.Batch{Restore: []graphstore.VersionKey{{Key: key, Seq: 2}}})
	wantLatest(t, s, "restored", urn, 2)
	write(graphstore.Batch{Observe: []graphstore.Observation{{Key: key, LastObserved: 77}}})
	if found, err := s.LatestAspects(t.Context(), []string{urn}, []string{cachedAspect}); err != nil || found[urn][0].System.LastObserved != 77 {
		t.Errorf("observed: %+v %v", found, err)
	}
	write(graphstore.Batch{DeleteVersions: []graphstore.VersionRange{{Key: key, FromSeq: 2, ToSeq: 2}}})
	wantLatest(t, s, "version deleted", urn, 0)
	put(urn)
	write(graphstore.Batch{DeleteEntities: []string{urn}})
	wantLatest(t, s, "entity deleted", urn, 0)

	// A Store that opens the file later has nothing of the cache of an earlier one.
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.LatestAspects(t.Context(), []string{other}, []string{cachedAspect}); !errors.Is(err, graphstore.ErrClosed) {
			t.Errorf("a closed store answers from its cache: %v", err)
		}
		if s, err = Open(t.Context(), Options{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		before, err := latestSeq(s, other)
		if err != nil {
			t.Fatal(err)
		}
		put(other)
		wantLatest(t, s, "after opening again", other, before+1)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLatestUnderWriters: while many callers write, undo and delete the same entities, no
// reader sees a version older than one that was answered or read before.
func TestLatestUnderWriters(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const entities, writers, readers, writes = 3, 4, 4, 60
	broken := errors.New("broken")
	writersGroup, readersGroup := sync.WaitGroup{}, sync.WaitGroup{}
	over := make(chan struct{})
	for w := range writers {
		writersGroup.Go(func() {
			for i := range writes {
				urn := cachedURN((w + i) % entities)
				also := func(graphstore.Tx) error { return nil }
				if i%7 == 3 {
					also = func(graphstore.Tx) error { return broken }
				}
				seq, err := putNext(s, urn, also)
				if err != nil {
					if !errors.Is(err, broken) {
						t.Error(err)
					}
					continue
				}
				if got, err := latestSeq(s, urn); err != nil || got < seq {
					t.Errorf("version %d of %s was answered, and then %d read: %v", seq, urn, got, err)
				}
			}
		})
	}
	for range readers {
		readersGroup.Go(func() {
			var seen [entities]int64
			for i := 0; ; i = (i + 1) % entities {
				select {
				case <-over:
					return
				default:
				}
				got, err := latestSeq(s, cachedURN(i))
				if err != nil || got < seen[i] {
					t.Errorf("version %d was read after %d: %v", got, seen[i], err)
				}
				seen[i] = got
			}
		})
	}
	writersGroup.Wait()
	close(over)
	readersGroup.Wait()
}

// TestLatestDuringCommit: a version that was read before or during a commit of the same entity
// is not cached. Large values are not cached either.
func TestLatestDuringCommit(t *testing.T) {
	m := newLatestMemory()
	names := []int64{5, 6}
	read := func(value string) map[int64]graphstore.Aspect {
		return map[int64]graphstore.Aspect{5: {Value: []byte(value)}}
	}
	cached := func() (string, bool) {
		found, _, ok := m.find(1, names)
		if !ok || len(found) == 0 {
			return "", ok
		}
		return string(found[0].Value), ok
	}
	_, before, _ := m.find(1, names)
	m.begin(map[int64]bool{1: true})
	m.add(before, 1, names, read("before"))
	if _, ok := cached(); ok {
		t.Error("what was read before the commit is cached during it")
	}
	_, during, _ := m.find(1, names)
	m.add(during, 1, names, read("during"))
	if _, ok := cached(); ok {
		t.Error("what was read during the commit is cached during it")
	}
	m.end()
	m.add(during, 1, names, read("during"))
	if _, ok := cached(); ok {
		t.Error("what was read during the commit is cached after it")
	}
	_, after, _ := m.find(1, names)
	m.add(after, 1, names, read("after"))
	if value, ok := cached(); !ok || value != "after" {
		t.Errorf("what was read after the commit is not cached: %q %v", value, ok)
	}
	m.begin(nil) // this commit changes no latest version
	m.end()
	if _, ok := cached(); !ok {
		t.Error("a commit of something else removed it")
	}
	m.add(after, 2, names, read(strings.Repeat("x", longValue+1)))
	if _, _, ok := m.find(2, names); ok {
		t.Error("a large value is cached")
	}
}
