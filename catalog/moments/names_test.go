package moments_test

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitOfPastEntities: up to the limit, entities have their names of the moment; one more entity has
// today's name.
func TestLimitOfPastEntities(t *testing.T) {
	h := catalogtest.NewHarness(t)
	urns := make([]string, limits.PastEntities+1)
	for i := range urns {
		urns[i] = fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,moments.n%d,PROD)", i)
	}
	for _, n := range []int{limits.PastEntities, limits.PastEntities + 1} {
		names, err := h.Moments.Names(t.Context(), urns[:n], catalogtest.Past(t))
		if err != nil || len(names) != n {
			t.Fatal(err, len(names))
		}
		for i, urn := range urns[:n] {
			if today := names[urn].AsOfToday; (len(today) > 0) != (i >= limits.PastEntities) {
				t.Fatalf("entity %d of %d: %v", i, n, today)
			}
		}
	}
}
