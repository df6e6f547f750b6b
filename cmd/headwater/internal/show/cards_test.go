package show

import (
	"strings"
	"testing"
)

// TestCardBatches: no request has a longer address than proxies accept.
func TestCardBatches(t *testing.T) {
	long := "urn:li:tag:" + strings.Repeat("ë", 100) // 600 bytes in encoded form
	for _, c := range []struct {
		urn         string
		count, want int
	}{{long, 14, 3}, {"urn:li:tag:x", 101, 3}, {strings.Repeat(long, 9), 2, 2}, {long, 0, 0}} {
		urns := make([]string, c.count)
		for i := range urns {
			urns[i] = c.urn
		}
		if got := cardBatches(urns); len(got) != c.want {
			t.Errorf("%d of %d bytes: %d requests, want %d", c.count, len(c.urn), len(got), c.want)
		}
	}
}
