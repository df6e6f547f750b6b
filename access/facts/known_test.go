package facts

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestKnownIsBounded: however many entities are asked for, few are remembered, and the facts are right.
func TestKnownIsBounded(t *testing.T) {
	h := catalogtest.NewHarness(t)
	const capacity = 4
	k := New(h.Store, testclock.Now, capacity)
	var urns []string
	for i := range 20 {
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,x%d,PROD)", i)
		h.Run("r", urn, "container", fmt.Sprintf(`{"container":"urn:li:container:c%d"}`, i))
		urns = append(urns, urn)
	}
	for range 2 {
		found, err := k.Of(t.Context(), urns)
		if err != nil {
			t.Fatal(err)
		}
		for i := range found {
			if c := found[i].Containers; len(c) != 1 || c[0] != fmt.Sprintf("urn:li:container:c%d", i) {
				t.Errorf("%s is in %v", urns[i], c)
			}
		}
	}
	held := 0
	for _, urn := range urns {
		if k.entities.Has(urn) {
			held++
		}
	}
	if held == 0 || held > 2*capacity || len(k.parents) > capacity {
		t.Errorf("%d entities and %d parents are remembered", held, len(k.parents))
	}
}

// TestOneLookAtATime: within a moment, the log is read once, unless this server has written.
func TestOneLookAtATime(t *testing.T) {
	h := catalogtest.NewHarness(t)
	counted := &looks{Store: h.Store}
	now := testclock.Now()
	k := New(counted, func() time.Time { return now }, 10)
	ask := func(want int) {
		t.Helper()
		if _, err := k.Of(t.Context(), []string{"urn:li:corpuser:a"}); err != nil || counted.n != want {
			t.Errorf("%d looks, want %d: %v", counted.n, want, err)
		}
	}
	ask(0) // the first look only reads the end of the log
	ask(0)
	k.Changed([]string{"urn:li:corpuser:b"}) // nothing is known of this entity
	ask(0)
	k.Changed([]string{"urn:li:corpuser:a"})
	ask(1)
	ask(1)
	now = now.Add(Fresh)
	ask(2)
}

type looks struct {
	Store
	n int
}

func (l *looks) ChangesWithoutValues(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	l.n++
	return l.Store.ChangesWithoutValues(ctx, after, limit)
}

// TestForgottenParents: a parent that was forgotten for lack of room, and is then changed, is read again.
func TestForgottenParents(t *testing.T) {
	h := catalogtest.NewHarness(t)
	k := New(h.Store, testclock.Now, 4)
	h.OnCommit(k.Changed)
	in := func(urn, container string) { h.Run("r", urn, "container", fmt.Sprintf(`{"container":%q}`, container)) }
	const dataset = "urn:li:dataset:(urn:li:dataPlatform:hive,x,PROD)"
	in(dataset, "urn:li:container:low")
	in("urn:li:container:low", "urn:li:container:old")
	above := func(want string) {
		t.Helper()
		found, err := k.Of(t.Context(), []string{dataset})
		if err != nil || len(found[0].Containers) != 2 || found[0].Containers[1] != want {
			t.Errorf("%v, want below %s: %v", found[0].Containers, want, err)
		}
	}
	above("urn:li:container:old")
	for i := range 4 {
		other := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,y%d,PROD)", i)
		in(other, fmt.Sprintf("urn:li:container:c%d", i))
		if _, err := k.Of(t.Context(), []string{other}); err != nil {
			t.Fatal(err)
		}
	}
	in("urn:li:container:low", "urn:li:container:new")
	above("urn:li:container:new")
}
