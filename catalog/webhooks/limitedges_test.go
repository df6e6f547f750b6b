package webhooks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitsOfDefinitions: each part of a webhook may be as long as its limit, and no longer.
func TestLimitsOfDefinitions(t *testing.T) {
	const url = "https://example.com/"
	for name, c := range map[string]struct {
		most int
		spec func(n int) string
	}{
		"url":         {limits.MaxWebhookURL, func(n int) string { return `"url":"` + url + strings.Repeat("x", n-len(url)) + `"` }},
		"id":          {limits.MaxWebhookID, func(n int) string { return `"url":"` + url + `","id":"` + strings.Repeat("x", n) + `"` }},
		"description": {limits.MaxWebhookText, func(n int) string { return `"url":"` + url + `","description":"` + strings.Repeat("x", n) + `"` }},
		"kinds": {limits.MaxFilterNames, func(n int) string {
			return `"url":"` + url + `","filter":{"entityTypes":[` + strings.TrimSuffix(strings.Repeat(`"dataset",`, n), ",") + `]}`
		}},
		"urns": {limits.MaxFilterNames, func(n int) string {
			return `"url":"` + url + `","filter":{"urns":[` + strings.TrimSuffix(strings.Repeat(`"urn:li:tag:x",`, n), ",") + `]}`
		}},
		"actors": {limits.MaxFilterNames, func(n int) string {
			return `"url":"` + url + `","filter":{"format":"feed","actors":[` + strings.TrimSuffix(strings.Repeat(`"urn:li:corpuser:x",`, n), ",") + `]}`
		}},
	} {
		h := catalogtest.NewHarness(t)
		if _, err := h.Webhooks.Create(t.Context(), specOf(t, "{"+c.spec(c.most)+"}"), ""); err != nil {
			t.Errorf("%s: %d are refused: %v", name, c.most, err)
		}
		_, err := h.Webhooks.Create(t.Context(), specOf(t, "{"+c.spec(c.most+1)+"}"), "")
		if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), fmt.Sprint(c.most)) {
			t.Errorf("%s: %d: %v", name, c.most+1, err)
		}
	}
}

// TestLimitOfLetters: a page may have as many dead letters as a webhook may have.
func TestLimitOfLetters(t *testing.T) {
	h := catalogtest.NewHarness(t)
	if _, err := h.Webhooks.Create(t.Context(), specOf(t, `{"id":"a","url":"https://example.com/"}`), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Webhooks.Letters(t.Context(), "a", "", limits.MaxDeadLetters); err != nil {
		t.Error(err)
	}
	if _, err := h.Webhooks.Letters(t.Context(), "a", "", limits.MaxDeadLetters+1); catalog.CodeOf(err) != catalog.Invalid {
		t.Error(err)
	}
}
