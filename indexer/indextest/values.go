package indextest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/indexer"
)

// testValues: an index lists the values of a field, long ones whole, and no more of them than asked for.
func testValues(t *testing.T, b Backend) {
	x := b.New(t)
	long := strings.Repeat("long", 500)
	want := []string{"a", "b", long}
	fill(t, x,
		doc("v1", map[string][]string{"siblings": {"a", "b"}}), doc("v2", map[string][]string{"siblings": {"b"}}),
		doc("v3", map[string][]string{"siblings": {long}, "owners": {"c"}}), doc("v4", nil))
	values := func(field string, most int) []string {
		t.Helper()
		got, err := x.Values(context.Background(), field, most)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(slices.Values(got))
	}
	if got := values("siblings", 10); !slices.Equal(got, want) {
		t.Errorf("the values are %.100v", got)
	}
	if got := values("siblings", 2); len(got) != 2 || got[0] == got[1] || !slices.Contains(want, got[0]) || !slices.Contains(want, got[1]) {
		t.Errorf("two of the values are %.100v", got)
	}
	for _, none := range []struct {
		field string
		most  int
	}{{"siblings", 0}, {"unknown", 10}} {
		if got := values(none.field, none.most); len(got) > 0 {
			t.Errorf("%d values of %s are %v", none.most, none.field, got)
		}
	}
	var more []indexer.Document
	for i := range 1000 {
		more = append(more, doc(fmt.Sprintf("w%d", i), map[string][]string{"siblings": {fmt.Sprintf("more %d", i)}}))
	}
	fill(t, x, more...)
	if got := values("siblings", 2000); len(got) != 1003 || len(slices.Compact(got)) != 1003 {
		t.Errorf("%d values, not 1003", len(got))
	}
}
