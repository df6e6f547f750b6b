package catalog

import (
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestPageOf: a page begins at the last place that a listing may have, and not behind it; a page
// that is too large is cut.
func TestPageOf(t *testing.T) {
	page, err := PageOf(limits.MaxPageStart, limits.MaxPageCount+1)
	if err != nil || page.Start != limits.MaxPageStart || page.Count != limits.MaxPageCount {
		t.Errorf("%+v, %v", page, err)
	}
	for _, refused := range [][2]int{{limits.MaxPageStart + 1, 1}, {-1, 1}, {0, -1}} {
		if _, err := PageOf(refused[0], refused[1]); CodeOf(err) != Invalid {
			t.Errorf("%v: %v", refused, err)
		}
	}
}
