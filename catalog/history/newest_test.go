package history_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// logReads counts the records that are read from the end of the log, and can lose cursors.
type logReads struct {
	graphstore.Store
	records, lost int
}

func (l *logReads) NewestChanges(ctx context.Context, part graphstore.LogPart, limit int) ([]graphstore.Change, string, error) {
	if part.After != "" && l.lost > 0 {
		l.lost--
		return nil, "", graphstore.ErrLostCursor
	}
	changes, rest, err := l.Store.NewestChanges(ctx, part, limit)
	l.records += len(changes)
	return changes, rest, err
}

// TestRecentReadsTheLogOnce: a question about recent changes reads only the records since
// the question before it, and the whole end of the log again if it was exchanged.
func TestRecentReadsTheLogOnce(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, stored graphstore.Store) {
		defer stored.Close()
		store := &logReads{Store: stored}
		f := &catalogtest.Faulty{Store: store}
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
		expect := func(when string, newest string, least, most int) {
			t.Helper()
			store.records = 0
			found, err := h.History.Recent(context.Background(), []string{"tag"}, 100)
			h.Want("", err)
			if len(found) == 0 || newest != "" && found[0].URN != newest { // changes of one transaction may have any order
				t.Errorf("%s: %+v, want %s first", when, found, newest)
			}
			if store.records < least || store.records > most {
				t.Errorf("%s: %d records were read, want %d to %d", when, store.records, least, most)
			}
		}
		tag := func(n int) string { return fmt.Sprintf("urn:li:tag:t%d", n) }
		const before = 300 // more than a chunk that is joined with later ones
		proposals := make([]write.Proposal, before)
		for n := range proposals {
			proposals[n] = catalogtest.InRun("nightly", tag(n), "tagProperties", `{"name":"t"}`)
		}
		if _, err := h.IngestBatch(context.Background(), proposals, catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
			t.Fatal(err)
		}
		expect("at first", "", before, 5*before)
		expect("again", "", 0, 0)
		for n := range 3 {
			h.Run("nightly", tag(before+n), "tagProperties", `{"name":"t"}`)
			expect("after a write", tag(before+n), 1, 5)
		}
		h.Run("nightly", tag(before+3), "tagProperties", `{"name":"t"}`)
		store.lost = 1
		expect("after another copy was restored", tag(before+3), before, 5*before)
		found, err := h.History.Recent(context.Background(), []string{"tag"}, 1)
		h.Want("", err)
		if len(found) != 1 || found[0].Entities != before+4 {
			t.Errorf("all tags in one change: %+v", found)
		}
	})
}
