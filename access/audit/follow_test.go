package audit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// follow begins to follow a trail.
func follow(t *testing.T, s *Service, q Search, position string) *Follower {
	t.Helper()
	f, err := s.Follow(context.Background(), q, position)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// comes returns the entries that a follower gives until it has caught up.
func comes(t *testing.T, f *Follower) (found []Followed) {
	t.Helper()
	for range 10_000 {
		part, behind, err := f.look(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if found = append(found, part...); !behind {
			return found
		}
	}
	t.Fatal("the follower does not catch up")
	return nil
}

func doors(found []Followed) (names []string) {
	for _, one := range found {
		names = append(names, one.Door)
	}
	return names
}

func gives(t *testing.T, f *Follower, want ...string) []Followed {
	t.Helper()
	found := comes(t, f)
	if got := doors(found); !slices.Equal(got, want) {
		t.Errorf("the follower gives %q, want %q", got, want)
	}
	return found
}

func signs(t *testing.T, s *Service, door string) {
	t.Helper()
	s.Note(t.Context(), Entry{Kind: SignIn, Actor: ada, Allowed: true, Door: door})
}

// TestFollowOnStores: on each store, a follower gets each entry of two servers once, and continues after its
// positions.
func TestFollowOnStores(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		defer func() { _ = store.Close() }() // a store that is left open has goroutines
		c := started()
		here, other := newTrail(t, store, c), newTrail(t, store, c)
		f := follow(t, here, Search{}, "")
		begun := f.Position()
		var want []string
		for i := range 120 {
			signs(t, []*Service{here, other}[i%2], fmt.Sprint(i))
			want = append(want, fmt.Sprint(i))
			c.forward(time.Second)
			if i%10 == 9 {
				gives(t, f, want[i-9:]...)
			}
		}
		gives(t, follow(t, other, Search{}, begun), want...)
		gives(t, follow(t, other, Search{}, f.Position()))
	})
}

// TestFollow: a follower gets each entry that is noted after it began, also by another server, once. It
// continues after each of its positions, and gives only entries that the search selects.
func TestFollow(t *testing.T) {
	store, c := newStore(t), started()
	here, other := newTrail(t, store, c), newTrail(t, store, c)
	signs(t, other, "before")
	f := follow(t, here, Search{}, "")
	refused := false
	filtered := follow(t, here, Search{Actor: ada, Kinds: []Kind{SignIn}, Entity: "urn:li:tag:x", Allowed: &refused}, "")
	gives(t, f)
	c.forward(time.Second)
	signs(t, other, "1")
	signs(t, here, "2")
	c.forward(time.Second)
	signs(t, other, "3")
	here.Note(t.Context(), Entry{Kind: Refused, Actor: bob, Door: "4", Entities: []string{"urn:li:tag:x"}})
	if err := here.flush(t.Context(), math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	c.forward(time.Second)
	found := comes(t, f)
	if names := doors(found); !slices.Contains([]string{"[1 2 3 4]", "[2 1 3 4]", "[1 2 4 3]", "[2 1 4 3]"}, fmt.Sprint(names)) {
		t.Fatalf("%q", names)
	}
	for i, one := range found {
		gives(t, follow(t, other, Search{}, one.Position), doors(found[i+1:])...)
	}
	gives(t, filtered)
	gives(t, f)
	position := f.Position()
	c.forward(time.Hour)
	signs(t, other, "5")
	gives(t, f, "5")
	gives(t, follow(t, here, Search{}, position), "5")
	if got := doors(comes(t, follow(t, here, Search{Since: c.ms.Load()}, ""))); !slices.Equal(got, []string{"5"}) {
		t.Errorf("since now: %q", got)
	}
	if got := doors(comes(t, follow(t, here, Search{Since: 1, Actor: bob}, ""))); !slices.Equal(got, []string{"4"}) {
		t.Errorf("since ever, of one actor: %q", got)
	}
}

// TestFollowLate: entries that a server stores late, because it was cut off from the store, come once and in
// order, although the newest of them are found first.
func TestFollowLate(t *testing.T) {
	store, cut, c := newStore(t), newStore(t), started()
	cut.Store = store.Store
	here, other := newTrail(t, store, c), newTrail(t, cut, c)
	signs(t, other, "0")
	f := follow(t, here, Search{}, "")
	cut.down.Store(true)
	var want []string
	for i := range 60 {
		signs(t, other, fmt.Sprint(i+1))
		want = append(want, fmt.Sprint(i+1))
		c.forward(time.Second)
		gives(t, f)
	}
	cut.down.Store(false)
	if err := other.flush(t.Context(), math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	c.forward(time.Second)
	gives(t, f, want...)
	gives(t, f)
}

// TestFollowClocks: a follower gets the entries of a server whose clock is wrong. Entries with a past time come
// when the follower looks back, entries with a future time when the clock of the follower has reached it.
func TestFollowClocks(t *testing.T) {
	for name, wrong := range map[string]time.Duration{
		"behind": -(limits.AuditLateSeconds - 1) * time.Second, "a little ahead": aheadSpan * time.Millisecond, "ahead": 3 * time.Minute,
	} {
		store, right := newStore(t), started()
		c := &clock{}
		c.ms.Store(right.ms.Load() + wrong.Milliseconds())
		here, other := newTrail(t, store, right), newTrail(t, store, c)
		f := follow(t, here, Search{}, "")
		gives(t, f)
		right.forward(time.Second)
		signs(t, other, name)
		found := comes(t, f)
		for range 600 {
			if len(found) > 0 {
				break
			}
			right.forward(time.Second)
			found = comes(t, f)
		}
		if got := doors(found); !slices.Equal(got, []string{name}) {
			t.Errorf("%s: %q", name, got)
		}
		gives(t, f)
	}
}

// TestFollowSince: a follower that begins long ago gets everything in its order, a small part at a
// time.
func TestFollowSince(t *testing.T) {
	store, c := newStore(t), started()
	s := newTrail(t, store, c)
	var want []string
	begun := c.ms.Load()
	for i := range 500 {
		signs(t, s, fmt.Sprint(i))
		want = append(want, fmt.Sprint(i))
		switch {
		case i%100 == 99:
			c.forward(40 * time.Hour)
		case i%5 == 0:
			c.forward(time.Second)
		}
	}
	f := follow(t, s, Search{Since: begun}, "")
	var got []string
	for range 5_000 {
		part, behind, err := f.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(part) > 50 {
			t.Errorf("%d entries at once", len(part))
		}
		if got = append(got, doors(part)...); !behind {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d entries, want %d in their order", len(got), len(want))
	}
}

// TestFollowRandom: several servers note entries, lose the store and start again. A follower that continues
// at any of its positions gets each entry once, the entries of one process in order.
func TestFollowRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 1)) //nolint:gosec // a test
	base, c := newStore(t), started()
	stores, servers := make([]*faulty, 3), make([]*Service, 3)
	begin := func(i int) {
		stores[i] = &faulty{Store: base.Store}
		servers[i] = newTrail(t, stores[i], c)
	}
	for i := range servers {
		begin(i)
	}
	reader := newTrail(t, base, c)
	f := follow(t, reader, Search{}, "")
	times, last := map[string]int{}, map[string]int64{}
	takes := func(found []Followed) {
		for _, one := range found {
			process, number := one.source()
			times[one.ID]++
			if number <= last[process] {
				t.Fatalf("%s of %d comes after number %d; position %s, now %d", one.ID, one.Time, last[process], one.Position, c.ms.Load())
			}
			last[process] = number
		}
	}
	noted, down := 0, [3]int64{}
	for range testsize.Of(2_000, 20_000) {
		i := random.IntN(3)
		switch random.IntN(12) {
		case 0:
			if down[i] == 0 {
				stores[i].down.Store(true)
				down[i] = c.ms.Load()
			}
		case 1:
			if down[i] != 0 {
				stores[i].down.Store(false)
				down[i] = 0
			}
			if err := servers[i].flush(t.Context(), math.MaxInt64); err != nil {
				t.Fatal(err)
			}
		case 2: // a position in the middle of the entries
			found := comes(t, f)
			if n := random.IntN(len(found) + 1); n < len(found) {
				takes(found[:n+1])
				f = follow(t, reader, Search{}, found[n].Position)
			} else {
				takes(found)
			}
		case 3:
			if down[i] == 0 && random.IntN(5) == 0 { // a server starts again
				if err := servers[i].flush(t.Context(), math.MaxInt64); err != nil {
					t.Fatal(err)
				}
				begin(i)
			}
		default:
			servers[i].Note(t.Context(), Entry{Kind: []Kind{SignIn, Write}[random.IntN(2)], Allowed: true})
			noted++
		}
		c.forward(time.Duration(random.IntN(700)) * time.Millisecond)
		for i := range servers { // Run does this in each second
			longest := int64(limits.AuditLateSeconds-1) * 1000
			if down[i] != 0 && c.ms.Load()-down[i] > longest {
				stores[i].down.Store(false)
				down[i] = 0
			}
			if down[i] == 0 {
				if err := servers[i].flush(t.Context(), math.MaxInt64); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for i := range servers {
		stores[i].down.Store(false)
		if err := servers[i].flush(t.Context(), math.MaxInt64); err != nil {
			t.Fatal(err)
		}
	}
	c.forward(time.Second)
	takes(comes(t, f))
	c.forward(lookBackEvery * time.Millisecond)
	takes(comes(t, f))
	if len(times) != noted {
		t.Errorf("%d entries came of %d", len(times), noted)
	}
}

// TestFollowErrors: callers without the privilege may not follow the trail, and positions that are not of the
// trail are refused.
func TestFollowErrors(t *testing.T) {
	store, c := newStore(t), started()
	s := newTrail(t, store, c)
	for _, position := range []string{"x", "-1", "1_", "1_ABCDEFGH", "1_ABCDEFGH.0.1", "1_ABC.1.1", "1_ABCDEFGH.x.1", "1_ABCDEFGH.1", "1_ABCDEFGH.1.x", "1_ABCDEFGH.1.9999999999999999", "9999999999999999"} {
		if _, err := s.Follow(t.Context(), Search{}, position); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s: %v", position, err)
		}
	}
	if _, err := s.Follow(t.Context(), Search{Since: -1}, ""); catalog.CodeOf(err) != catalog.Invalid {
		t.Error(err)
	}
	known := requestinfo.WithCaller(t.Context(), requestinfo.Caller{Actor: ada, Means: requestinfo.ByToken})
	if _, err := s.Follow(known, Search{}, ""); catalog.CodeOf(err) != catalog.Forbidden {
		t.Errorf("no administrator: %v", err)
	}
	var none *Service
	if _, err := none.Follow(t.Context(), Search{}, ""); catalog.CodeOf(err) != catalog.NotFound {
		t.Errorf("a server without a trail: %v", err)
	}
	f := follow(t, s, Search{}, "")
	if found, err := f.Next(t.Context(), time.Millisecond); len(found) > 0 || err != nil {
		t.Errorf("nothing comes: %v %v", found, err)
	}
	over, end := context.WithCancel(t.Context())
	end()
	if _, err := f.Next(over, time.Hour); err == nil {
		t.Error("a follower waits after its end")
	}
}

// TestFollowersShare: followers that ask within a moment share one reading of the store, and a
// follower remembers a bounded number of processes.
func TestFollowersShare(t *testing.T) {
	store, c := newStore(t), started()
	s := newTrail(t, store, c)
	followers := make([]*Follower, 20)
	for i := range followers {
		followers[i] = follow(t, s, Search{}, "")
	}
	before := store.lists.Load()
	for _, f := range followers {
		gives(t, f)
	}
	if n := store.lists.Load() - before; n > 2 {
		t.Errorf("20 followers read the store %d times", n)
	}
	for i := range 3 * maxProcesses {
		signs(t, newTrail(t, store, c), fmt.Sprint(i))
		c.forward(3 * time.Second)
		if got := comes(t, followers[0]); len(got) != 1 || len(got[0].Position) > 2_000 {
			t.Fatalf("%d entries come", len(got))
		}
	}
	if n := len(followers[0].seen); n > maxProcesses {
		t.Errorf("a follower remembers %d processes", n)
	}
}
