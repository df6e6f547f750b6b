package mcp

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// TestLimitsOfTexts: a text that is as long as its limit is shown unchanged. Of a longer text,
// the beginning is shown, with the number of bytes left out.
func TestLimitsOfTexts(t *testing.T) {
	query := func(member, text string) Query {
		properties := catalog.Tree{"description": "", "statement": catalog.Tree{"value": ""}}
		if member == "statement" {
			properties[member] = catalog.Tree{"value": text}
		} else {
			properties[member] = text
		}
		s := &sheet{urn: model.StoredURN("urn:li:query:q"), aspects: map[string]catalog.Tree{model.AspectQueryProperties: properties}}
		return s.query()
	}
	for name, c := range map[string]struct {
		most  int
		shown func(text string) string
	}{
		"description of a query": {limits.MaxAgentListedText, func(text string) string { return query("description", text).Description }},
		"text of a query":        {limits.MaxAgentSQL, func(text string) string { return query("statement", text).Text }},
		"note of a deprecation": {limits.MaxAgentListedText, func(text string) string {
			s := &sheet{urn: model.StoredURN("urn:li:tag:t"), aspects: map[string]catalog.Tree{model.AspectDeprecation: {"deprecated": true, "note": text}}}
			return s.card(limits.MaxAgentListedText).Deprecated
		}},
	} {
		text := strings.Repeat("x", c.most)
		if got := c.shown(text); got != text {
			t.Errorf("%s at the edge: %q", name, got)
		}
		if got := c.shown(text + "x"); got != text+"… (1 more bytes)" {
			t.Errorf("%s beyond the edge: %q", name, got)
		}
	}
}
