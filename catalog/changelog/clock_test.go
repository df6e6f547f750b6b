package changelog_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
)

// TestImportOfTheFuture: an import keeps times of the year 2099 as data. A later write has the
// time at which it is made.
func TestImportOfTheFuture(t *testing.T) {
	const future = 4_080_000_000_000
	lines := []string{
		`{"entity":{"urn":"` + catalogtest.Table + `","versions":[` +
			`{"aspect":"datasetKey","seq":1,"latest":true,"value":{"platform":"urn:li:dataPlatform:hive","name":"db.Orders","origin":"PROD"},"createdOn":4080000000000,"createdBy":"urn:li:corpuser:ada","systemMetadata":{"lastObserved":4080000000000}},` +
			`{"aspect":"upstreamLineage","seq":1,"latest":true,"value":{"upstreams":[{"dataset":"` + catalogtest.Upstream + `","type":"VIEW","auditStamp":{"time":4080000000000,"actor":"urn:li:corpuser:ada"}}]},"createdOn":4080000000000,"createdBy":"urn:li:corpuser:ada","systemMetadata":{"lastObserved":4080000000000}}],` +
			`"edges":[{"aspect":"upstreamLineage","path":"upstreams/0/dataset","type":"DownstreamOf","source":"` + catalogtest.Table + `","sourceType":"dataset","destination":"` + catalogtest.Upstream + `","destinationType":"dataset","since":4080000000000}]}}`,
		`{"timeSeries":{"urn":"` + catalogtest.Table + `","aspect":"datasetProfile","values":[{"value":{"timestampMillis":4080000000000,"rowCount":1},"createdOn":4080000000000,"createdBy":"urn:li:corpuser:ada","systemMetadata":{"lastObserved":4080000000000}}]}}`,
	}
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		defer store.Close() //nolint:errcheck // the test is over
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: store}), T: t}
		_, err := h.Removal.Delete(context.Background(), catalogtest.URN(catalogtest.Table), false, catalog.WriteOptions{}) // another test may have written the table
		h.Want("", err)
		from, err := h.EndOfChanges(context.Background())
		h.Want("", err)
		before := time.Now().UnixMilli()
		if result := h.Imported(transfer.ImportOptions{}, lines); len(result.Failures) > 0 || result.Entities != 1 || result.Values != 1 {
			t.Fatalf("import: %+v", result)
		}
		h.Run("later", catalogtest.Table, "upstreamLineage", `{"upstreams":[]}`)
		h.Run("later", catalogtest.Table, "datasetProfile", `{"timestampMillis":4080000000001,"rowCount":2}`)
		h.Run("later", catalogtest.Ada, "corpUserInfo", `{"active":true,"displayName":"Ada `+t.Name()+`"}`)
		changes, _, err := h.Changes(context.Background(), from, 100)
		h.Want("", err)
		if len(changes) < 6 {
			t.Errorf("%d changes", len(changes))
		}
		soon := time.Now().Add(graphstore.ClockTolerance).UnixMilli()
		for _, c := range changes {
			if c.Time < before-graphstore.ClockTolerance.Milliseconds() || c.Time > soon {
				t.Errorf("%s %s is stamped %d", c.URN, c.Aspect, c.Time)
			}
			if c.ValuesPruned || c.Value == nil {
				t.Errorf("%s %s has lost its value", c.URN, c.Aspect)
			}
		}
		history, err := store.History(context.Background(), []string{catalogtest.Table})
		h.Want("", err)
		for _, v := range history[catalogtest.Table].Versions {
			imported := v.Name == "datasetKey" || v.Name == "upstreamLineage" && v.Seq == 1
			if (v.CreatedOn == future) != imported {
				t.Errorf("version %d of %s is stamped %d", v.Seq, v.Name, v.CreatedOn)
			}
		}
		ended := history[catalogtest.Table].Ended
		if len(ended) != 1 || ended[0].Since > ended[0].Until || ended[0].Until > soon {
			t.Errorf("the edge that ended: %+v", ended)
		}
		// The imported data can be exported and imported once more.
		reimport := h.Imported(transfer.ImportOptions{DryRun: true}, h.Exported())
		if len(reimport.Failures) > 0 {
			t.Errorf("the export of it: %+v", reimport.Failures)
		}
	})
}

// TestLogAhead: a log whose times come from a wrong clock is reported, also in a warning, until
// the next change.
func TestLogAhead(t *testing.T) {
	right := time.Now().Truncate(time.Millisecond)
	at := right
	now := func() time.Time { return at }
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	var said strings.Builder
	h := &catalogtest.Harness{Services: services.New(services.Options{Store: store, Now: now, Logger: slog.New(slog.NewTextHandler(&said, nil))}), T: t}
	want := func(want time.Duration) {
		t.Helper()
		said.Reset()
		h.WarnOfClock(context.Background())
		got, err := h.LogAhead(context.Background())
		if err != nil || got != want || (said.Len() > 0) != (want > 0) {
			t.Errorf("ahead by %v, want %v: %v %q", got, want, err, said.String())
		}
	}
	want(0)
	at = right.Add(48 * time.Hour)
	h.Run("wrong", catalogtest.Ada, "status", `{"removed":true}`)
	want(0)
	at = right
	want(48 * time.Hour)
	h.Run("right", catalogtest.Ada, "status", `{"removed":false}`)
	want(0)
	aspects, err := h.Entity(context.Background(), catalogtest.URN(catalogtest.Ada), []string{"status"})
	h.Want("", err)
	if got := aspects.Aspects["status"].Created.Time; got != at.UnixMilli() {
		t.Errorf("stamped %d, want %d", got, at.UnixMilli())
	}
}
