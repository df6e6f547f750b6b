package changelog_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
)

// countedLog is a store that counts the pages of the change log that are read.
type countedLog struct {
	graphstore.Store
	pages atomic.Int64
}

func (l *countedLog) Changes(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	l.pages.Add(1)
	return l.Store.Changes(ctx, after, limit)
}

// TestFollowersShareTheLog: two hundred followers see every change in order, and together read
// the log about as often as one follower.
func TestFollowersShareTheLog(t *testing.T) {
	const followers, writes = 200, 20
	h := catalogtest.NewHarness(t)
	log := &countedLog{Store: h.Store}
	c := services.New(services.Options{Store: log})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	began := time.Now()
	var group sync.WaitGroup
	// All followers have seen a write before the next write is made.
	seen := make([]sync.WaitGroup, writes)
	for i := range seen {
		seen[i].Add(followers)
	}
	first := make([][]string, followers)
	for f := range followers {
		group.Go(func() {
			at := ""
			for n := 0; n < writes; {
				changes, next, err := c.FollowChanges(ctx, at, 100, time.Minute)
				if err != nil || len(changes) == 0 {
					t.Errorf("follower %d after %d writes: %d changes, %v", f, n, len(changes), err)
					for ; n < writes; n++ {
						seen[n].Done()
					}
					return
				}
				at = next
				for i := range changes {
					first[f] = append(first[f], changes[i].Cursor)
					if changes[i].Aspect == "tagProperties" {
						seen[n].Done()
						n++
					}
					changes[i] = catalog.Change{} // a stream clears changes too, and must not clear the changes of the other followers
				}
			}
		})
	}
	for n := range writes {
		p := catalogtest.Proposal(write.Upsert, fmt.Sprintf("urn:li:tag:t%d", n), "tagProperties", `{"name":"x"}`)
		p.EntityType = "tag"
		if _, err := c.Ingest(ctx, p, catalog.WriteOptions{}); err != nil {
			t.Error(err)
			cancel() // releases the followers that wait for the write
			break
		}
		seen[n].Wait()
	}
	group.Wait()
	for f := range first {
		if fmt.Sprint(first[f]) != fmt.Sprint(first[0]) {
			t.Fatalf("follower %d saw other changes than the first:\n%v\n%v", f, first[f], first[0])
		}
	}
	// For each write, one page has the end before the write, one has the change, and one has the
	// new end. Another page is read for each tick.
	ticks := int64(time.Since(began)/catalog.ChangePoll) + 1
	if most := 4*writes + ticks + 4; log.pages.Load() > most {
		t.Errorf("%d followers read %d pages for %d writes, at most %d expected", followers, log.pages.Load(), writes, most)
	}
	t.Logf("%d followers read %d pages for %d writes in %d ticks", followers, log.pages.Load(), writes, ticks)
}

// TestFollowerSeesOwnWrites: a page that was read before a write is not shared after the write.
func TestFollowerSeesOwnWrites(t *testing.T) {
	h := catalogtest.NewHarness(t)
	ctx, at := context.Background(), ""
	for n := range 50 {
		if changes, _, err := h.FollowChanges(ctx, at, 100, 0); err != nil || len(changes) != 0 {
			t.Fatalf("before write %d: %v, %v", n, changes, err)
		}
		h.Say(fmt.Sprintf("urn:li:tag:t%d", n), "tagProperties", `{"name":"x"}`)
		changes, next, err := h.FollowChanges(ctx, at, 100, 0)
		if err != nil || len(changes) == 0 {
			t.Fatalf("after write %d: %v, %v", n, changes, err)
		}
		at = next
	}
}

// TestFollowerLeaves: a follower that leaves does not end the reading of a page for which other
// followers wait.
func TestFollowerLeaves(t *testing.T) {
	h := catalogtest.NewHarness(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := h.FollowChanges(ctx, "", 10, time.Minute)
	if err != nil && catalog.CodeOf(err) == catalog.Internal {
		t.Error(err)
	}
	if changes, _, err := h.FollowChanges(context.Background(), "", 10, 0); err != nil || len(changes) != 0 {
		t.Errorf("the next one: %v, %v", changes, err)
	}
}

// TestHeadsAreOfTheChanges: the log without values has the same entries.
func TestHeadsAreOfTheChanges(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for i := range 3 {
		h.Put("", write.Upsert, catalogtest.Ada, "corpUserInfo", fmt.Sprintf(`{"active":true,"title":"%d"}`, i))
	}
	h.Put("", write.Upsert, catalogtest.Ada, "corpUserInfo", `{"active":true,"title":"2"}`) // an equal write, which only replicas read
	h.Put("", write.Upsert, catalogtest.Ada, "corpUserEditableInfo", `{"title":"x"}`)
	changes, end, err := h.Changes(context.Background(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	heads, next, err := h.FollowChangeHeads(context.Background(), "", 100, 0)
	if err != nil || next != end || len(heads) != len(changes) {
		t.Fatalf("%d heads to %s (%v), %d changes to %s", len(heads), next, err, len(changes), end)
	}
	for i := range heads {
		c := &changes[i]
		want := catalog.ChangeHead{Time: c.Time, Kind: c.Kind, URN: c.URN, EntityType: c.EntityType, Aspect: c.Aspect, First: c.Previous == nil}
		if heads[i] != want {
			t.Errorf("head %+v, want %+v", heads[i], want)
		}
	}
	if _, _, err := h.FollowChangeHeads(context.Background(), "", 0, 0); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("no limit: %v", err)
	}
}

// heldLog is a store that reads its log until the context of the reader ends.
type heldLog struct {
	graphstore.Store
	reading chan struct{}
	ended   atomic.Bool
}

func (l *heldLog) Changes(ctx context.Context, _ string, _ int) ([]graphstore.Change, string, error) {
	close(l.reading)
	<-ctx.Done()
	l.ended.Store(true)
	return nil, "", ctx.Err()
}

// TestStopWaitsForReadings: when the catalog stops, it ends the readings of its log for which
// no caller waits, and waits until they have ended. Afterwards it begins no other reading.
func TestStopWaitsForReadings(t *testing.T) {
	h := catalogtest.NewHarness(t)
	log := &heldLog{Store: h.Store, reading: make(chan struct{})}
	c := services.New(services.Options{Store: log})
	ctx, leave := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if _, _, err := c.FollowChanges(ctx, "", 100, 0); err == nil {
			t.Error("a log that cannot be read was read")
		}
	})
	<-log.reading
	leave()
	group.Wait()
	c.Stop()
	if !log.ended.Load() {
		t.Error("the log is still being read")
	}
	if _, _, err := c.FollowChanges(t.Context(), "", 100, 0); catalog.CodeOf(err) != catalog.Unavailable {
		t.Errorf("a reading after the end: %v", err)
	}
}
