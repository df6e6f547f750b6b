package edits_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/model"
)

// TestSortIDAfter: as texts, the sort ids of a set's versions sort in the order in which the
// versions were linked, for any first sort id.
func TestSortIDAfter(t *testing.T) {
	for id, want := range map[string]string{
		"": "AAAAAAAA", "AAAAAAAA": "AAAAAAAB", "AAAAAAAZ": "AAAAAABA", "AZZ": "BAA", "ZZ": "ZZAAAAAAAA", "v1": "v1AAAAAAAA", "a": "aAAAAAAAA",
	} {
		if got := edits.SortIDAfter(id); got != want || got <= id {
			t.Errorf("after %q: %q, want %q", id, got, want)
		}
	}
}

// versionsOf reads the version properties of datasets, and returns the sort ids and the
// datasets that are marked as the latest.
func versionsOf(t *testing.T, h *catalogtest.SearchHarness, urns []string) (sortIDs map[string]bool, latest []string) {
	t.Helper()
	sortIDs = map[string]bool{}
	for _, urn := range urns {
		found, err := h.Aspect(context.Background(), catalogtest.URN(urn), model.AspectVersionProperties, 0)
		if catalog.CodeOf(err) == catalog.NotFound {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var value struct {
			SortID   string `json:"sortId"`
			IsLatest bool   `json:"isLatest"`
		}
		if err := json.Unmarshal(found.Value, &value); err != nil {
			t.Fatal(err)
		}
		if sortIDs[value.SortID] = true; value.IsLatest {
			latest = append(latest, urn)
		}
	}
	return sortIDs, latest
}

// TestVersionsAtOnce: versions are linked and unlinked concurrently. Then each is either
// completely in the set or not at all, the versions have one order, and one version is the
// latest.
func TestVersionsAtOnce(t *testing.T) {
	h, ctx := catalogtest.NewSearchHarness(t), context.Background()
	set := catalogtest.URN("urn:li:versionSet:(v,dataset)")
	urns := make([]string, 8)
	for i := range urns {
		urns[i] = fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.v%d,PROD)", i)
		h.Say(urns[i], model.AspectStatus, `{"removed":false}`)
	}
	atOnce := func(urns []string, change func(urn model.URN) error) {
		t.Helper()
		var group sync.WaitGroup
		for _, urn := range urns {
			group.Go(func() {
				err := change(catalogtest.URN(urn))
				for tries := 0; catalog.CodeOf(err) == catalog.Conflict && tries < 1000; tries++ {
					err = change(catalogtest.URN(urn))
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	expect := func(versions int) {
		t.Helper()
		sortIDs, latest := versionsOf(t, h, urns)
		if len(sortIDs) != versions || len(latest) != 1 {
			t.Fatalf("%d sort ids, want %d; the latest: %v", len(sortIDs), versions, latest)
		}
		if got, want := h.Value(set.String(), model.AspectVersionSetProperties, 0), `"latest":"`+latest[0]+`"`; !strings.Contains(got, want) {
			t.Errorf("the set is %s, want %s", got, want)
		}
	}
	atOnce(urns, func(urn model.URN) error {
		return h.Edits.LinkVersion(ctx, &edits.NewVersion{Set: set, Entity: urn, Label: urn.Parts()[1]}, catalog.WriteOptions{})
	})
	expect(8)
	atOnce(urns[:5], func(urn model.URN) error {
		_, err := h.Edits.UnlinkVersion(ctx, set, urn, catalog.WriteOptions{})
		return err
	})
	expect(3)
}
