package cases

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answer is the answer of a door, in the words of the cases. It has only the members that the door sends.
type answer map[string]any

// sets are the lists whose order is not compared.
var sets = []string{"found", "edges", "added", "ended", "moved", "edgesAdded", "edgesEnded", "suggestions", "basis"}

// refusal is an answer that refuses the question.
func refusal(code, message string) answer {
	return answer{"refused": code, "says": message}
}

// list puts a list into an answer twice: as a set, and as an ordered list.
func (a answer) list(items []string) {
	a["found"], a["ordered"] = items, items
}

// plain is a value as JSON has it, with sets in order, so that values of
// different types can be compared.
func plain(key string, value any) any {
	if items, ok := value.([]string); ok && len(items) == 0 {
		value = []string{}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var same any
	if err := json.Unmarshal(text, &same); err != nil {
		return err
	}
	if items, ok := same.([]any); ok && slices.Contains(sets, key) {
		slices.SortFunc(items, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return same
}

// compare compares an answer with the expected one. For doors other than the rooms, it compares only the
// members that the door sends.
func compare(t *testing.T, n names, where string, whole bool, expected map[string]any, got answer) {
	t.Helper()
	compared := 0
	for key, want := range expected {
		value, told := got[key]
		if !told && !whole && got["refused"] == nil {
			continue
		}
		compared++
		if key == "says" {
			if text, _ := value.(string); !strings.Contains(text, fmt.Sprint(want)) {
				t.Errorf("%s: the message is %q, want %q in it", where, text, want)
			}
			continue
		}
		if diff := cmp.Diff(plain(key, want), plain(key, value)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s%s", where, key, n.shorten(diff), got.reason())
		}
	}
	if compared == 0 {
		t.Errorf("%s: the answer has nothing of what is expected: %v", where, got)
	}
	if got["refused"] != nil && expected["refused"] == nil {
		t.Errorf("%s: refused with %v: %v", where, got["refused"], got["says"])
	}
}

func (a answer) reason() string {
	if a["refused"] == nil {
		return ""
	}
	return fmt.Sprintf("(%v: %v)\n", a["refused"], a["says"])
}
