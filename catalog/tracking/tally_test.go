package tracking

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGreatestCounts: the greatest counts are the first of all counts in their order, however many
// are asked for.
func TestGreatestCounts(t *testing.T) {
	for size := range 40 {
		c := counts{}
		for i := range size {
			c[fmt.Sprint("name", i)] = rand.Int64N(5) // many are equal
		}
		all := slices.SortedFunc(maps.Keys(c), c.compare)
		for n := range size + 3 {
			if got, want := c.most(n), all[:min(n, size)]; !slices.Equal(got, want) {
				t.Errorf("the %d greatest of %v are %v, not %v", n, c, got, want)
			}
		}
	}
}
