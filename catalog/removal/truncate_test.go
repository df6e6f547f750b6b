package removal_test

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// TestTruncate: of all entities of a type in either dialect, exactly those that a dry run counts are then
// deleted.
func TestTruncate(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		f := &catalogtest.Faulty{Store: store}
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
		const entities = 6
		for n := range entities {
			urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,truncated.t%d,PROD)", n)
			if n%2 == 1 {
				urn = fmt.Sprintf("urn:example:dataset:(urn:example:dataPlatform:hive,truncated.t%d,PROD)", n)
			}
			h.Say(urn, model.AspectStatus, `{"removed":false}`)
			for at := range n {
				h.Say(urn, model.AspectDatasetProfile, fmt.Sprintf(`{"timestampMillis":%d}`, at+1))
				h.Say(urn, model.AspectOperation, fmt.Sprintf(`{"timestampMillis":%d,"operationType":"INSERT","lastUpdatedTimestamp":1}`, at+1))
			}
		}
		h.Say("urn:li:tag:behind", model.AspectStatus, `{"removed":false}`)
		truncate := func(end int64, dry bool) removal.Truncated {
			t.Helper()
			got, err := h.Removal.Truncate(t.Context(), removal.Truncation{EntityType: "DATASET", Aspect: "datasetprofile", End: end, DryRun: dry}, catalog.WriteOptions{})
			h.Want("", err)
			return got
		}
		for _, c := range []struct {
			end  int64
			dry  bool
			want removal.Truncated
		}{
			{2, true, removal.Truncated{Deleted: 9, Total: 15}},
			{2, false, removal.Truncated{Deleted: 9, Total: 15}},
			{2, true, removal.Truncated{Deleted: 0, Total: 6}},
			{100, false, removal.Truncated{Deleted: 6, Total: 6}},
			{100, false, removal.Truncated{}},
		} {
			if got := truncate(c.end, c.dry); got != c.want {
				t.Errorf("up to %d, dry %t: %+v, want %+v", c.end, c.dry, got, c.want)
			}
		}
		rest, err := h.Removal.Truncate(t.Context(), removal.Truncation{EntityType: "dataset", Aspect: model.AspectOperation, End: 100, DryRun: true}, catalog.WriteOptions{})
		h.Want("", err)
		if rest.Total != 15 {
			t.Errorf("%d values of another time series are left, want 15", rest.Total)
		}
	})
}
