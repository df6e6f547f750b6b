package removal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testclock"
)

// countingRuns counts how often runs are counted.
type countingRuns struct {
	graphstore.Store
	calls *int
}

func (c countingRuns) Runs(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	*c.calls++
	return c.Store.Runs(ctx, q)
}

// TestRecordOfParts: the parts of a rollback have one record, and only the first of them
// counts the run.
func TestRecordOfParts(t *testing.T) {
	h := catalogtest.NewHarness(t)
	calls := 0
	h.Services = services.New(services.Options{Store: countingRuns{h.Store, &calls}, Now: testclock.Now})
	writeMany(h, "parted", 9)
	h.Run("parted", catalogtest.Table, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, 5))
	total := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("parted"), Hard: true, DryRun: true})
	calls = 0
	parts := 0
	for after := ""; after != "" || parts == 0; parts++ {
		testclock.Forward(1)
		after = h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("parted"), Hard: true, Limit: 2, After: after}).Next
	}
	records, err := h.RollbackRecords(context.Background())
	h.Want("", err)
	if parts < 4 || calls != 1 || len(records) != 1 {
		t.Fatalf("%d parts count the run %d times and leave %d records", parts, calls, len(records))
	}
	if r := records[0]; r.Rows != total.AspectsReverted || r.TimeSeriesRows != 1 || r.Entities != 10 || r.Actor == "" || r.By != catalogtest.Ada {
		t.Errorf("%+v of %+v", r, total)
	}
	// What the run writes after that is of another rollback.
	testclock.Forward(1e6 * 10)
	h.Run("parted", catalogtest.Table, "datasetProperties", `{"name":"later"}`)
	testclock.Forward(1e6 * 10)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("parted"), Hard: true, Limit: 2, After: "rows:"})
	if records, err = h.RollbackRecords(context.Background()); err != nil || len(records) != 2 || records[0].Rows == 0 || records[0].Actor == "" {
		t.Errorf("after another one: %+v %v", records, err)
	}
}

// writeMany writes entities of a run.
func writeMany(h *catalogtest.Harness, run string, entities int) {
	h.T.Helper()
	proposals := make([]catalog.Proposal, entities)
	for n := range proposals {
		proposals[n] = catalogtest.InRun(run, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,%s.t%d,PROD)", run, n), "datasetProperties", `{"name":"x"}`)
	}
	_, err := h.IngestBatch(context.Background(), proposals, catalog.WriteOptions{Actor: catalogtest.Ada})
	h.Want("", err)
}
