package clip_test

import (
	"testing"

	"github.com/headwater-io/headwater/internal/clip"
)

// TestText: a long text is cut between two characters, and its length is appended.
func TestText(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{{"", 0, ""}, {"orders", 6, "orders"}, {"orders", 5, "order… (6 bytes)"}, {"häuser", 2, "h… (7 bytes)"}, {"ä", 1, "… (2 bytes)"}} {
		if got := clip.Text(test.text, test.most); got != test.want {
			t.Errorf("%q cut to %d bytes is %q, want %q", test.text, test.most, got, test.want)
		}
	}
}
