package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestFeedOff: a server with the setting feed off has no follower for feeds.
func TestFeedOff(t *testing.T) {
	for setting, fills := range map[string]bool{"true": true, "false": false} {
		s := serving(t, "--feed="+setting)
		s.ask(http.MethodPost, "/webhooks", `{"id":"x","url":"https://hooks.example.com/x"}`)
		followers := ""
		testclock.Await(t, "followers", func() bool {
			followers = s.ask(http.MethodGet, "/followers", "")
			return strings.Contains(followers, `"name":"webhook/x"`) && (!fills || strings.Contains(followers, `"name":"feed"`))
		})
		if !fills && strings.Contains(followers, `"name":"feed"`) {
			t.Error(followers)
		}
	}
}
