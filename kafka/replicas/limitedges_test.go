package replicas

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog/replica"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitOfPages: a page of the topic ends with the record that reaches the limit.
func TestLimitOfPages(t *testing.T) {
	for size, want := range map[int]int{limits.MaxReplicaPageBytes: 1, limits.MaxReplicaPageBytes - 1: 2} {
		r := &Reader{}
		for i, bytes := range []int{size, 1, 1} {
			m := read{offset: int64(i), size: bytes, message: message{Format: replica.Format}}
			m.Key, m.Catalog = fmt.Sprint("urn:li:tag:t", i), "c"
			r.waiting = append(r.waiting, m)
		}
		at := &place{Catalog: "c"}
		if _, err := r.take(at, len(r.waiting)); err != nil || at.Offset != int64(want) || len(r.waiting) != 3-want {
			t.Errorf("a first record of %d bytes: the page ends before the offset %d, %d records wait: %v", size, at.Offset, len(r.waiting), err)
		}
	}
}
