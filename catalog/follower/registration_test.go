package follower_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/graphstore"
)

func followersOf(s *catalogtest.SearchHarness) []string {
	s.T.Helper()
	known, err := s.Store.Followers(context.Background(), "")
	if err != nil {
		s.T.Fatal(err)
	}
	var names []string
	for _, f := range known {
		names = append(names, f.Name)
	}
	return names
}

// TestRebuildsLeaveOneFollower: the store knows the index in use as a follower, but neither the
// replaced indexes nor an index whose build failed.
func TestRebuildsLeaveOneFollower(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	s.Add(1)
	for range 5 {
		if err := s.Follower.RebuildNow(context.Background(), follower.ReasonAsked); err != nil {
			t.Fatal(err)
		}
	}
	at, err := s.Follower.Stored(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := followersOf(s); !slices.Equal(got, []string{follower.FollowerPrefix + at.Name()}) {
		t.Errorf("followers %v, the index is %s", got, at.Name())
	}
	s.ExpectTotal("after the rebuilds", 1)
}

// aged is a store whose followers have given times of renewal.
type aged struct {
	graphstore.Store
	saved map[string]int64
}

func (a *aged) Followers(ctx context.Context, prefix string) ([]graphstore.Follower, error) {
	known, err := a.Store.Followers(ctx, prefix)
	for i := range known {
		if at, ok := a.saved[known[i].Name]; ok {
			known[i].Saved = at
		}
	}
	return known, err
}

// TestForgottenIndexes: the store forgets indexes that have not renewed their position for a
// month. An index of an earlier release is forgotten a month after it was first seen. Indexes
// of other servers, and followers of other kinds, are kept.
func TestForgottenIndexes(t *testing.T) {
	ctx := context.Background()
	s := catalogtest.NewSearchHarness(t)
	s.Add(1)
	s.Await()
	s.Stop()
	store := s.Store
	end, err := store.EndCursor(ctx)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, name := range []string{"search-index/down", "search-index/gone", "search-index/earlier", "somebody"} {
		if err := store.SaveCursor(ctx, name, end); err != nil {
			t.Fatal(err)
		}
	}
	f := s.Follower
	at, err := f.Stored(ctx)
	if err != nil {
		t.Fatal(err)
	}
	own := follower.FollowerPrefix + at.Name()
	f.SetStore(&aged{store, map[string]int64{
		"search-index/gone": now.Add(-follower.ForgetAfter - time.Hour).UnixMilli(), "search-index/down": now.Add(-follower.ForgetAfter + time.Hour).UnixMilli(),
		"search-index/earlier": 0, own: 1, "somebody": 1,
	}})
	f.SetNow(func() time.Time { return now })
	if err := f.Renew(ctx); err != nil {
		t.Fatal(err)
	}
	want := []string{own, "search-index/down", "search-index/earlier", "somebody"}
	slices.Sort(want)
	if got := followersOf(s); !slices.Equal(got, want) {
		t.Errorf("followers %v, want %v", got, want)
	}
	f.SetStore(store)
	f.SetNow(func() time.Time { return now.Add(follower.ForgetAfter + time.Hour) })
	if err := f.Renew(ctx); err != nil {
		t.Fatal(err)
	}
	if got := followersOf(s); !slices.Equal(got, []string{own, "somebody"}) {
		t.Errorf("followers a month later: %v", got)
	}
}
