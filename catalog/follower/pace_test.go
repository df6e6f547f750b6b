package follower_test

import (
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/follower"
)

// TestRestBound: a slow follower rests only while it lacks little, a fast one and one
// that had little to do while it lacks a fifth of what it may.
func TestRestBound(t *testing.T) {
	const most = 50_000
	for name, one := range map[string]struct {
		applied int64
		took    time.Duration
		want    int64
	}{
		"fast":          {8000, 100 * time.Millisecond, 10_000},
		"slow":          {8000, 4 * time.Second, 2000},
		"little to do":  {10, 4 * time.Second, 10_000},
		"nothing to do": {0, 0, 10_000},
	} {
		if got := follower.RestBound(most, one.applied, one.took); got != one.want {
			t.Errorf("%s: rests up to %d changes, want %d", name, got, one.want)
		}
	}
}
