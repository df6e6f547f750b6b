package tracking

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// TestGreatestCounts: the greatest counts are the first of all counts in their order, however many
// are asked for.
func TestGreatestCounts(t *testing.T) {
	random := testseed.Rand(t, 0)
	for size := range 40 {
		c := counts{}
		for i := range size {
			c[fmt.Sprint("name", i)] = random.Int64N(5) // many are equal
		}
		all := slices.SortedFunc(maps.Keys(c), c.compare)
		for n := range size + 3 {
			if got, want := c.most(n), all[:min(n, size)]; !slices.Equal(got, want) {
				t.Errorf("the %d greatest of %v are %v, not %v", n, c, got, want)
			}
		}
	}
}
