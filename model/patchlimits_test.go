package model

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestPatchBombs: a small patch with a huge result or a long run time is refused, and the
// error names the exceeded limit. Without the limit, each would need gigabytes or minutes.
func TestPatchBombs(t *testing.T) {
	repeated := func(operation string, n int) string {
		return "[" + strings.Repeat(operation+",", n-1) + operation + "]"
	}
	properties := `{"tags":[],"customProperties":{"a":"` + strings.Repeat("x", 200) + `"}}`
	for name, c := range map[string]struct {
		aspect, current, patch string
		tooLarge               bool
		says                   string
	}{
		"many operations": {"datasetProperties", properties, repeated(`{}`, 3_000_000), false, "not a JSON patch"},
		"many removals":   {"datasetProperties", properties, repeated(`{"op":"remove","path":"/tags"}`, limits.MaxPatchOperations+1), false, "more than 5000 operations"},
		"a deep path":     {"datasetProperties", properties, `[{"op":"add","path":"` + strings.Repeat("/a", 1_000_000) + `","value":1}]`, false, "the limit is 16"},
		"moved items":     {"upstreamLineage", `{"fineGrainedLineages":[` + strings.Repeat(`{},`, 10_000) + `{}]}`, repeated(`{"op":"remove","path":"/fineGrainedLineages/0"}`, 5000), true, "fewer operations on items"},
		"many keys":       {"upstreamLineage", `{"upstreams":[` + strings.Repeat(`{},`, 100_000) + `{}]}`, `{"patch":[],"arrayPrimaryKeys":{"upstreams":["a"` + strings.Repeat(`,"a"`, 14) + `]}}`, true, "fewer keys"},
		"too many keys":   {"upstreamLineage", properties, `{"patch":[],"arrayPrimaryKeys":{"upstreams":["a"` + strings.Repeat(`,"a"`, 15) + `]}}`, false, "more than 15 levels"},
		"a deep key":      {"upstreamLineage", properties, `{"patch":[],"arrayPrimaryKeys":{"upstreams":["a` + strings.Repeat(`␟a`, 16) + `"]}}`, false, "more than 15 levels"},
		"a large result":  {"datasetProperties", `{"customProperties":{"a":"` + strings.Repeat("x", 9_000_000) + `"}}`, `[{"op":"add","path":"/customProperties/b","value":"` + strings.Repeat("y", 9_000_000) + `"}]`, true, "limit of 16000000 bytes"},
	} {
		var current []byte
		if c.current != "" {
			current = []byte(c.current)
		}
		_, err := patched(c.aspect, current, c.patch, Stamp{})
		var fault *PatchError
		if !errors.As(err, &fault) || fault.TooLarge != c.tooLarge || !strings.Contains(fault.Reason, c.says) {
			t.Errorf("%s: got %.200v, want that it %s", name, err, c.says)
		} else if len(fault.Reason) > 300 {
			t.Errorf("%s: the answer has %d bytes", name, len(fault.Reason))
		}
	}
}

// TestPatchWithinLimits: honest patches that resemble such patches are applied.
func TestPatchWithinLimits(t *testing.T) {
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf(`{"op":"add","path":"/customProperties/%d","value":"v"}`, i))
	}
	if _, err := patched("datasetProperties", nil, "["+strings.Join(many, ",")+"]", Stamp{}); err != nil {
		t.Errorf("a thousand properties: %v", err)
	}
	got, err := patched("editableSchemaMetadata", nil, `[{"op":"add","path":"/editableSchemaFieldInfo/2021/globalTags/tags/x","value":{"tag":"x"}}]`, Stamp{})
	if want := `"editableSchemaFieldInfo":[{"fieldPath":"2021","globalTags":{"tags":[{"tag":"x"}]}}]`; err != nil || !strings.Contains(string(got), want) {
		t.Errorf("a column called 2021: got %s %v, want %s", got, err, want)
	}
}
