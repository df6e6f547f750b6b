package requestinfo_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/internal/requestinfo"
)

type urn string

func (u urn) String() string { return string(u) }

// TestDeed: a deed lists the first changed entities and aspects, each once, and counts all entities up
// to a bound. Without a deed, nothing is recorded.
func TestDeed(t *testing.T) {
	ctx, d := requestinfo.WithDeed(context.Background())
	for range 2 {
		for i := range 10_003 {
			requestinfo.DeedOf(ctx).Changes(urn(fmt.Sprint(i)), "status", fmt.Sprint("aspect", i%20))
		}
	}
	entities, count, aspects := d.Done()
	if want := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; !slices.Equal(entities, want) || count != 10_000 || len(aspects) != 10 || aspects[0] != "status" || d.Trial() {
		t.Errorf("%v, %d, %v", entities, count, aspects)
	}
	if d.Tries(); !d.Trial() {
		t.Error("a dry run is not recorded")
	}
	none := requestinfo.DeedOf(context.Background())
	none.Changes(urn("x"))
	none.Tries()
	if entities, count, _ := none.Done(); entities != nil || count != 0 || none.Trial() {
		t.Errorf("%v %d", entities, count)
	}
	if got := requestinfo.OriginOf(requestinfo.WithOrigin(ctx, requestinfo.Origin{RequestID: "r"})); got.RequestID != "r" {
		t.Errorf("%+v", got)
	}
}
