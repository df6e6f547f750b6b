package replica_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/graphstore"
)

// trim deletes all changes of the log but the newest.
func trim(h *catalogtest.Harness, keep int64) {
	h.T.Helper()
	deleted, err := h.Delivery.Trim(context.Background(), h.Store.Store.(delivery.TrimStore), delivery.LogRetention{Changes: keep})
	h.Want("", err)
	if deleted == 0 {
		h.T.Error("nothing of the log was deleted")
	}
}

// TestTrimmedLogFillsReplicas: a source whose log has lost its beginning still fills an empty
// replica, wherever the replica is killed and whatever is written meanwhile. This replica fills
// another replica.
func TestTrimmedLogFillsReplicas(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, seed uint64) {
		source := catalogtest.NewHarness(t)
		c := newChaos(source, seed)
		for range 80 {
			c.step()
		}
		trim(source, 3)
		first := &applier{Harness: replicaOn(t, catalogtest.NewHarness(t).Store.Store), source: source, random: c.random}
		first.step()
		for range 20 {
			c.step()
			first.step()
		}
		first.level()
		first.compare(c, "from a trimmed log")
		second := &applier{Harness: replicaOn(t, catalogtest.NewHarness(t).Store.Store), source: first.Harness, random: c.random}
		second.level()
		second.compare(c, "the replica of the replica")
	})
}

// TestSnapshotOnBothStores: a snapshot of either store fills the other.
func TestSnapshotOnBothStores(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		defer store.Close() //nolint:errcheck // the test is over
		source := &applier{Harness: replicaOn(t, store), source: catalogtest.NewHarness(t), random: rand.New(rand.NewPCG(1, 1))}
		c := newChaos(source.source, uint64(time.Now().UnixNano()))
		for range 25 {
			c.step()
		}
		source.level()
		trim(source.Harness, 1)
		copied := &applier{Harness: replicaOn(t, catalogtest.NewHarness(t).Store.Store), source: source.Harness, random: c.random}
		copied.level()
		copied.compare(c, "through a snapshot of the store")
	})
}

// TestSnapshotThatWasOvertaken: if the log no longer has the changes that were made during the
// snapshot, the replica is told to begin again.
func TestSnapshotThatWasOvertaken(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	source := catalogtest.NewHarness(t)
	write := func(n int) {
		for i := range n {
			source.Say(fmt.Sprintf("urn:li:tag:t%d", i), "tagProperties", fmt.Sprintf(`{"name":"%d"}`, time.Now().UnixNano()))
		}
	}
	write(5)
	trim(source, 1)
	page, err := source.Replica.Page(ctx, "", 2, 0)
	source.Want("", err)
	if len(page.Entities) != 0 { // the first page may be requested again, so it must have no entities
		t.Errorf("the first page has %d entities", len(page.Entities))
	}
	page, err = source.Replica.Page(ctx, page.Next, 2, 0)
	source.Want("", err)
	if len(page.Entities) != 2 || page.Lag == 0 || !strings.HasPrefix(page.Next, "snapshot.") {
		t.Errorf("%d entities, %d changes follow, next is %q", len(page.Entities), page.Lag, page.Next)
	}
	write(5)
	trim(source, 1)
	_, err = source.Replica.Page(ctx, page.Next, 2, 0)
	source.Want(catalog.Gone, err)
	_, err = source.Replica.Page(ctx, "snapshot.nonsense", 2, 0)
	source.Want(catalog.Invalid, err)
}

// TestSnapshotTellsFollowers: a follower of the replica, such as its index, learns of all
// entities of a snapshot.
func TestSnapshotTellsFollowers(t *testing.T) {
	t.Parallel()
	source := catalogtest.NewHarness(t)
	for n := range 3 {
		source.Say(fmt.Sprintf("urn:li:tag:t%d", n), "tagProperties", `{"name":"a"}`)
	}
	trim(source, 1)
	copied := &applier{Harness: replicaOn(t, catalogtest.NewHarness(t).Store.Store), source: source, random: rand.New(rand.NewPCG(1, 1))}
	copied.level()
	told := map[string]string{}
	for _, c := range copied.Logged() {
		if c.ValuesPruned {
			t.Errorf("%s of %s is told without its value", c.Aspect, c.URN)
		}
		if c.Aspect == "tagProperties" {
			told[c.URN] = string(c.Value)
		}
	}
	want := map[string]string{"urn:li:tag:t0": `{"name":"a"}`, "urn:li:tag:t1": `{"name":"a"}`, "urn:li:tag:t2": `{"name":"a"}`}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}
