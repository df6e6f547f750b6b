package rest

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestTracking: views and searches are counted, other events are accepted, and the answers
// of a read-only server are the same.
func TestTracking(t *testing.T) {
	c := testcatalog.New(t)
	server := newServerOf(t, c)
	callV3(t, server, "POST", "/tag?async=false", `[{"urn":"urn:li:tag:x","tagProperties":{"value":{"name":"x"}}}]`)
	track := func(body string) (int, string) {
		status, answer, _ := request(t, server, "POST", "/openapi/v1/tracking/track", body, "Content-Type", "application/json")
		return status, answer
	}
	const view = `{"type":"EntityViewEvent","entityUrn":"urn:li:tag:x","actorUrn":"urn:li:corpuser:ada","title":"A","width":5,"nested":{"a":[1]}}`
	for _, body := range []string{view, view, `{"type":"PageViewEvent","url":"http://x/","customField":null}`} {
		if status, answer := track(body); status != 200 || answer != "" {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	if most, err := c.Tracking.Most(t.Context(), 5); err != nil || len(most) != 1 || most[0].URN != "urn:li:tag:x" || most[0].Views != 2 {
		t.Error(most, err)
	}
	for _, search := range []string{`{"type":"SearchResultsViewEvent","query":"Net revenue","total":2,"page":1,"entityTypeFilter":["DATASET"]}`, `{"type":"SearchResultsViewEvent"}`} {
		if status, answer := track(search); status != 200 || answer != "" {
			t.Errorf("%s: %d %s", search, status, answer)
		}
	}
	if most, err := c.Tracking.MostSearched(t.Context(), 5); err != nil || len(most) != 1 || most[0].Query != "net revenue" || most[0].Searches != 1 {
		t.Error(most, err)
	}
	for body, says := range map[string]string{`{}`: "type", `{"type":5}`: "type", `[]`: "", `{"type":"EntityViewEvent"}`: "entityUrn", `{"type":"EntityViewEvent","entityUrn":"x"}`: "entityUrn", `{"type":"SearchResultsViewEvent","total":"many"}`: "total", `x`: ""} {
		if status, answer := track(body); status != 400 || !strings.Contains(answer, says) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	c.SetReadOnly(true)
	if status, answer := track(view); status != 200 {
		t.Errorf("read-only: %d %s", status, answer)
	}
	if most, _ := c.Tracking.Most(t.Context(), 5); most[0].Views != 2 {
		t.Errorf("read-only: %v", most)
	}
}
