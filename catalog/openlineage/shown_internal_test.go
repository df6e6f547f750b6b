package openlineage

import (
	"encoding/json"
	"testing"
)

// TestShownOfEarlierReleases: a state that an earlier release stored has only the times of values.
func TestShownOfEarlierReleases(t *testing.T) {
	for text, want := range map[string]shown{
		`{"shown":{"a":1764000000000}}`:                     {At: 1764000000000},
		`{"shown":{"a":{"at":1764000000000}}}`:              {At: 1764000000000},
		`{"shown":{"a":{"at":1764000000000,"sum":"00ff"}}}`: {At: 1764000000000, Sum: "00ff"},
	} {
		var r run
		if err := json.Unmarshal([]byte(text), &r); err != nil || r.Shown["a"] != want {
			t.Errorf("%s: %+v, %v", text, r.Shown, err)
		}
		again, err := json.Marshal(&r)
		var second run
		if err != nil || json.Unmarshal(again, &second) != nil || second.Shown["a"] != want {
			t.Errorf("%s becomes %s: %v", text, again, err)
		}
	}
}
