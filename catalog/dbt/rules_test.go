package dbt

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"
)

// TestRulesMatchByTypeAndPlace: the type of a value counts, lists match by their elements, and properties below others are
// found. A rule that the client fails at adds nothing, and ends the rules.
func TestRulesMatchByTypeAndPlace(t *testing.T) {
	for _, c := range []struct {
		property, match, meta string
		tags                  []string
	}{
		{"a", `".*"`, `{"a": "x y"}`, []string{"t:x y"}},
		{"a", `"(.)(?P<tag>.)"`, `{"a": "xy"}`, []string{"t:y"}},
		{"a", `"x(y)?"`, `{"a": "x"}`, nil},
		{"a", `"y"`, `{"a": "xy"}`, nil},
		{"a", `true`, `{"a": true}`, []string{"t:True"}},
		{"a", `true`, `{"a": "True"}`, nil},
		{"a", `1`, `{"a": 12}`, []string{"t:1"}},
		{"a", `1.5`, `{"a": 1.5}`, []string{"t:1.5"}},
		{"a", `"1"`, `{"a": 1}`, nil},
		{"a", `"[xy]"`, `{"a": ["x", 1, "z", "y"]}`, []string{"t:x,y"}},
		{"a", `true`, `{"a": ["x"]}`, nil},
		{"a.b", `"x"`, `{"a": {"b": "x"}}`, []string{"t:x"}},
		{"a.b", `"x"`, `{"a": "x"}`, nil},
		{"a", `".*"`, `{}`, nil},
		{"a", `".*"`, `{"datahub": {"tags": ["own"]}}`, []string{"own"}},
		{"a", `".*"`, `{"datahub": {"tags": [1]}}`, nil},
	} {
		var meta object
		if err := meta.UnmarshalJSON([]byte(c.meta)); err != nil {
			t.Fatal(err)
		}
		match := json.RawMessage(c.match)
		m := &mapping{prefix: "t:", nested: true, rules: []Rule{{Property: c.property, Match: match, Matching: regexp.MustCompile("^(?:" + MatchText(match) + ")"), Operation: AddTag, Text: "{{ $match }}"}}}
		if got := m.apply(meta).tags; !slices.Equal(got, c.tags) {
			t.Errorf("%s %s %s: %q, want %q", c.property, c.match, c.meta, got, c.tags)
		}
	}
}
