package history_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestAt: an entity at a moment has the values of that moment, also values that were rolled
// back later, and names the aspects about which the moment is not certain.
func TestAt(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		f := &catalogtest.Faulty{Store: store}
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		const urn = "urn:li:dataset:(urn:li:dataPlatform:hive,db.WasThere,PROD)"
		before := catalogtest.Past(t)
		h.Run("good", urn, "globalTags", tagsOf("first"))
		made := catalogtest.Past(t)
		h.Run("bad", urn, "globalTags", tagsOf("bad"))
		h.Run("bad", urn, "ownership", owned("ada TECHNICAL_OWNER"))
		bad := catalogtest.Past(t)
		h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
		undone := catalogtest.Past(t)
		h.Attempt("", write.Proposal{EntityType: "dataset", EntityURN: urn, ChangeType: write.Delete, AspectName: "globalTags"})
		gone := catalogtest.Past(t)
		h.Run("again", urn, "globalTags", tagsOf("again"))
		present := catalogtest.Past(t)

		shown := func(at int64, aspects ...string) string {
			t.Helper()
			past, err := h.History.At(context.Background(), catalogtest.URN(urn), at, aspects)
			if err != nil {
				return string(catalog.CodeOf(err))
			}
			var texts []string
			for _, name := range slices.Sorted(maps.Keys(past.Aspects)) {
				a := past.Aspects[name]
				if name != "globalTags" && name != "ownership" {
					continue
				}
				texts = append(texts, fmt.Sprintf("%s %d by %s %v", name, a.Version, a.System.RunID, strings.Contains(string(a.Value), "urn:li:tag:"+a.System.RunID)))
			}
			return strings.Join(texts, ", ") + fmt.Sprint(past.Unsure, past.Lost)
		}
		for _, c := range []struct {
			what string
			at   int64
			want string
		}{
			{"before it was written", before, "not_found"},
			{"after the first write", made, "globalTags 1 by good false[] []"},
			{"before the rollback", bad, "globalTags -1 by bad true, ownership -1 by bad false[] []"},
			{"after the rollback", undone, "globalTags 1 by good false[globalTags] []"},
			{"after the delete, whose time nobody knows", gone, "globalTags 1 by good false[globalTags] []"},
			{"now", present, "globalTags 0 by again true[] []"},
		} {
			if got := shown(c.at); got != c.want {
				t.Errorf("%s: %s, want %s", c.what, got, c.want)
			}
		}
		if got := shown(bad, "ownership"); got != "ownership -1 by bad false[] []" {
			t.Error("one aspect:", got)
		}
		if _, err := h.History.At(context.Background(), catalogtest.URN(urn), 0, nil); catalog.CodeOf(err) != catalog.Invalid {
			t.Error("no moment:", err)
		}
		if _, err := h.History.At(context.Background(), catalogtest.URN(strings.Replace(urn, "Was", "Never", 1)), present, nil); catalog.CodeOf(err) != catalog.NotFound {
			t.Error("never written:", err)
		}
	})
}
