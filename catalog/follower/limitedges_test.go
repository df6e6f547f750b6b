package follower_test

import (
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitOfRestored: one request may restore as many documents as the limit, and no more.
func TestLimitOfRestored(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	for n, want := range map[int]catalog.Code{limits.MaxRestored: "", limits.MaxRestored + 1: catalog.Invalid, 0: catalog.Invalid} {
		_, err := h.Follower.Restore(t.Context(), follower.RestoreRequest{Count: n})
		h.Want(want, err)
	}
}
