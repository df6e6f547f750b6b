package write

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsonlimit"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// TestLimitsOfValues: a value with exactly as much as a limit allows passes, and one with more is
// refused.
func TestLimitsOfValues(t *testing.T) {
	// A text with n values: a list, and its items. The scanner permits one value more, which may be
	// the name of a member.
	list := func(n int) string { return "[" + strings.Repeat("0,", n-1) + "0]" }
	for name, c := range map[string]struct {
		of   jsonlimit.Limits
		most int
		text func(n int) string
	}{
		"values of an aspect": {valueLimits, limits.MaxAspectItems, list},
		"values of a patch":   {patchLimits, limits.MaxPatchItems, list},
		"depth":               {valueLimits, limits.MaxJSONDepth, func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }},
	} {
		if err := withinLimits("status", []byte(c.text(c.most)), c.of); err != nil {
			t.Errorf("%s: %d are refused: %v", name, c.most, err)
		}
		if err := withinLimits("status", []byte(c.text(c.most+1)), c.of); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%s: %d: %v", name, c.most+1, err)
		}
	}
}

// TestLimitsOfProperties: an entity may have as many structured properties, and values of them, as
// the limits allow.
func TestLimitsOfProperties(t *testing.T) {
	aspect, _ := model.Default().Aspect(model.AspectStructuredProperties)
	for name, c := range map[string]struct {
		properties, values int
		passes             bool
	}{
		"at both edges": {limits.MaxProperties, limits.MaxPropertyValues, true},
		"one property":  {limits.MaxProperties + 1, limits.MaxPropertyValues, false},
		"one value":     {limits.MaxProperties, limits.MaxPropertyValues + 1, false},
	} {
		entries := make([]any, c.properties)
		for i := range entries {
			entries[i] = catalog.Tree{"values": []any{}}
		}
		entries[0] = catalog.Tree{"values": make([]any, c.values)}
		err := checkPropertyLimits(&model.Value{Aspect: aspect, Tree: catalog.Tree{"properties": entries}})
		if c.passes && err != nil || !c.passes && catalog.CodeOf(err) != catalog.Validation {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLimitsOfWholeBatches: a batch that is written whole may have as many proposals, and as many
// bytes of values, as the limits allow.
func TestLimitsOfWholeBatches(t *testing.T) {
	value := make([]byte, limits.MaxWholeBatchBytes+1)
	for name, c := range map[string]struct {
		proposals, bytes int
		code             catalog.Code
	}{
		"at both edges": {limits.MaxWholeBatch, limits.MaxWholeBatchBytes, ""},
		"one proposal":  {limits.MaxWholeBatch + 1, limits.MaxWholeBatchBytes, catalog.Invalid},
		"one byte":      {limits.MaxWholeBatch, limits.MaxWholeBatchBytes + 1, catalog.TooLarge},
	} {
		proposals := make([]Proposal, c.proposals)
		proposals[0].Aspect = &GenericAspect{Value: value[:c.bytes]}
		if err := checkWhole(proposals); err != nil != (c.code != "") || err != nil && catalog.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}
