package feed_test

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitOfSubscriptions: an actor may have as many subscriptions as the limit and change one
// of them, but not add another.
func TestLimitOfSubscriptions(t *testing.T) {
	h := catalogtest.NewHarness(t)
	subscribe := func(want catalog.Code, n int, direct bool) {
		t.Helper()
		_, err := h.Feed.Subscribe(t.Context(), catalogtest.URN("urn:li:corpuser:ada"), catalogtest.URN(fmt.Sprint("urn:li:tag:t", n)), nil, direct)
		h.Want(want, err)
	}
	for n := range limits.MaxSubscriptions + 1 {
		h.Say(fmt.Sprint("urn:li:tag:t", n), "tagProperties", `{"name":"t"}`)
	}
	for n := range limits.MaxSubscriptions {
		subscribe("", n, false)
	}
	subscribe("", 0, true)
	subscribe(catalog.Invalid, limits.MaxSubscriptions, false)
}
