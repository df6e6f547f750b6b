package intake

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// listOf returns a JSON list of n items.
func listOf(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// TestLimitsOfBodies: a body exactly at a limit is read, and a body with one more is
// refused.
func TestLimitsOfBodies(t *testing.T) {
	// Each inner list has innerItems items, and is itself an item of the outer list.
	const innerItems = 99
	// The scanner permits one value more than the limit, because the last one may be the
	// name of a member.
	lists := func(values int) string {
		values++
		whole, rest := (values-1)/(innerItems+1), (values-1)%(innerItems+1)
		text := strings.Repeat(listOf(innerItems, "0")+",", whole) + strings.Repeat("0,", rest)
		return "[" + strings.TrimSuffix(text, ",") + "]"
	}
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name string
		kind Kind
		most int
		body func(n int) string
		says string
	}{
		{"list", Request, limits.MaxBodyList, func(n int) string { return listOf(n, "0") }, "items"},
		{"list of a batch", Batch, limits.MaxBodyList, func(n int) string { return listOf(n, "{}") }, "items"},
		{"members", Request, limits.MaxBodyList, func(n int) string { return "{" + strings.TrimSuffix(strings.Repeat(`"a":0,`, n), ",") + "}" }, "items"},
		{"values", Request, limits.MaxRequestItems, lists, "values"},
		{"values of a batch", Record, limits.MaxBatchItems, lists, "values"},
		{"values of a line", Line, limits.MaxLineItems, lists, "values"},
		{"list of a line", Line, limits.MaxLineListItems, func(n int) string { return listOf(n, "0") }, "items"},
		{"depth", Request, limits.MaxJSONDepth, nested, "lists and objects"},
		{"depth of a line", Line, limits.MaxJSONDepth, nested, "lists and objects"},
	} {
		if _, err := ReadJSON(t.Context(), strings.NewReader(c.body(c.most)), c.kind); err != nil {
			t.Errorf("%s: %d are refused: %v", c.name, c.most, err)
		}
		_, err := ReadJSON(t.Context(), strings.NewReader(c.body(c.most+1)), c.kind)
		wants(t, c.name, err, catalog.Invalid, c.says)
	}
}

// TestLimitOfUnpacking: a decompressed body may be up to MaxUnpackRatio times as large as
// the compressed one.
func TestLimitOfUnpacking(t *testing.T) {
	for times, passes := range map[int64]bool{limits.MaxUnpackRatio: true, limits.MaxUnpackRatio + 1: false} {
		packed := int64(limits.UnpackRatioFrom)
		u := &unpacking{packed: &counter{r: strings.NewReader(""), n: packed}, n: times*packed - 1}
		u.packed.r = strings.NewReader(string(pack(t, "x")))
		_, err := u.Read(make([]byte, 1))
		if passes && err != nil && !errors.Is(err, io.EOF) || !passes && catalog.CodeOf(err) != catalog.TooLarge {
			t.Errorf("%d times: %v", times, err)
		}
	}
}
