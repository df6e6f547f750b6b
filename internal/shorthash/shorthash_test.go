package shorthash_test

import (
	"testing"

	"github.com/headwater-io/headwater/internal/shorthash"
)

// TestOf: stores and clients keep short hashes, so they must not change between releases.
func TestOf(t *testing.T) {
	for text, want := range map[string]string{"": "e3b0c44298fc1c14", "abc": "ba7816bf8f01cfea"} {
		if got := shorthash.Of([]byte(text)); got != want {
			t.Errorf("the short hash of %q is %s, want %s", text, got, want)
		}
	}
}
