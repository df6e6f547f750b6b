package history_test

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/history"
)

// TestShortened: a text of 200 characters is quoted whole, of a longer text the first 199.
func TestShortened(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"", ""},
		{"short", "short"},
		{strings.Repeat("é", 200), strings.Repeat("é", 200)},
		{strings.Repeat("é", 201), strings.Repeat("é", 199) + "…"},
		{strings.Repeat("日", 5000), strings.Repeat("日", 199) + "…"},
	} {
		if got := history.Shortened(c.text); got != c.want {
			t.Errorf("%.20s… of %d bytes became %d bytes", c.text, len(c.text), len(got))
		}
	}
}
