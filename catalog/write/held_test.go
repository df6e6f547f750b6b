package write_test

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestHeldVersionsEnd: versions that were kept for a follower end when no follower needs them, without another write of
// the aspect; versions within the retention stay, and so do versions that a follower needs again.
func TestHeldVersionsEnd(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		h := catalogtest.HarnessOn(t, store)
		isStored := func(version int64) bool { return h.Value(catalogtest.Table, "datasetProperties", version) != "" }
		h.HoldVersions(true)
		for n := 1; n <= 25; n++ {
			h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, n))
		}
		if !isStored(1) {
			t.Fatal("a version that a follower needs is gone")
		}
		h.HoldVersions(true)
		if !isStored(1) {
			t.Fatal("a version that a follower still needs is gone")
		}
		h.HoldVersions(false)
		testclock.Await(t, "the end of a version that no follower needs", func() bool { return !isStored(1) })
		for version, want := range map[int64]bool{4: false, 5: true, 24: true, 0: true} {
			if isStored(version) != want {
				t.Errorf("version %d is there: %v", version, !want)
			}
		}
		h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"26"}`)
		if isStored(5) || !isStored(6) {
			t.Error("the next write does not keep the retention")
		}
	})
}
