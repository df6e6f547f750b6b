package history_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestRecent: the writes of a run to one type are one change, as long as the run does not
// pause. The writes of an actor at one moment are one change too. Keys and browse paths are no
// changes.
func TestRecent(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		f := &catalogtest.Faulty{Store: store}
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		expect := func(when string, types []string, count int, want ...string) {
			t.Helper()
			found, err := h.History.Recent(context.Background(), types, count)
			h.Want("", err)
			got := make([]string, len(found))
			for i := range found {
				c := &found[i]
				got[i] = fmt.Sprintf("%s %s %s of %d %s in %q by %s", c.Kind, c.EntityType, c.URN[strings.LastIndex(c.URN, ":")+1:], c.Entities, strings.Join(c.Aspects, "+"), c.Run, c.Actor[strings.LastIndex(c.Actor, ":")+1:])
				if c.Time == 0 || i > 0 && c.Time > found[i-1].Time {
					t.Errorf("%s: times: %+v", when, found)
				}
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s:\n%s\nwant:\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		expect("of an empty catalog", nil, 20)
		table := func(i int) string {
			return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.t%d,PROD)", i)
		}
		for i := range 3 {
			h.Run("nightly", table(i), "datasetProperties", `{"description":"a"}`)
			h.Run("nightly", table(i), "subTypes", `{"typeNames":["Table"]}`)
		}
		h.Run("nightly", "urn:li:tag:t", "tagProperties", `{"name":"t"}`)
		testclock.Forward(time.Minute)
		h.Say(table(1), "globalTags", `{"tags":[]}`)
		testclock.Forward(time.Minute)
		h.Run("nightly", table(2), "datasetProperties", `{"description":"b"}`) // a later write of the same change
		testclock.Forward(time.Hour)
		h.Run("nightly", table(0), "datasetProperties", `{"description":"c"}`) // another change of the same run, after a pause
		testclock.Forward(time.Minute)
		const nightly = `in "nightly" by ada`
		first := []string{
			"UPSERT dataset hive,db.t0,PROD) of 1 datasetProperties " + nightly,
			"UPSERT dataset hive,db.t2,PROD) of 3 dataPlatformInstance+datasetProperties+subTypes " + nightly,
			"UPSERT dataset hive,db.t1,PROD) of 1 globalTags in \"\" by ada",
			"UPSERT tag t of 1 tagProperties " + nightly,
		}
		expect("all", nil, 20, first...)
		expect("two", nil, 2, first[:2]...)
		expect("none", nil, 0)
		expect("of tags", []string{"tag"}, 20, first[3])
		h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("nightly"), Hard: true})
		testclock.Forward(time.Minute)
		deleted := []string{"DELETE tag t of 1  in \"\" by ada", "DELETE dataset hive,db.t2,PROD) of 3  in \"\" by ada"}
		found, err := h.History.Recent(context.Background(), nil, 2)
		h.Want("", err)
		for _, c := range found {
			text := fmt.Sprintf("%s %s of %d %v in %q", c.Kind, c.EntityType, c.Entities, c.Aspects, c.Run)
			if text != `DELETE tag of 1 [] in ""` && text != `DELETE dataset of 3 [] in ""` {
				t.Errorf("after a rollback: %s, want %q", text, deleted)
			}
		}
	})
}

// TestRecentRefused: a count that is too high, and unknown types, are refused.
func TestRecentRefused(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for count, types := range map[int][]string{-1: nil, limits.MaxRecentCount + 1: nil, 5: {"nonsense"}, 6: make([]string, limits.MaxListItems+1)} {
		_, err := h.History.Recent(context.Background(), types, count)
		h.Want(catalog.Invalid, err)
		if count < 0 && !strings.Contains(err.Error(), "from 0 to 200") {
			t.Errorf("fewer than no changes: %v", err)
		}
	}
}
