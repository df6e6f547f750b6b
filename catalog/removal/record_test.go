package removal_test

import (
	"context"
	"errors"
	"fmt"
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

// countingRuns counts how often runs are counted.
type countingRuns struct {
	graphstore.Store
	calls *int
}

func (c countingRuns) Runs(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	*c.calls++
	return c.Store.Runs(ctx, q)
}

// TestPartThatFails: a part that fails after it has rolled back some rows returns their counts,
// and the next part continues after these rows.
func TestPartThatFails(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	writeMany(h, "failing", 700)
	r := removal.RollbackRequest{Origin: catalogtest.OfRun("failing"), Hard: true}
	total := h.Rollback("", removal.RollbackRequest{Origin: r.Origin, Hard: true, DryRun: true}).EntitiesAffected
	h.Store.Updates.Store(0)
	h.Store.FailUpdateAt = 3 // the record and the first page are written
	part, err := h.Removal.RollbackPart(ctx, r, "failing", catalog.WriteOptions{Actor: catalogtest.Ada})
	if err != nil || part.Next == "" || part.EntitiesAffected == 0 || part.EntitiesAffected >= total {
		t.Fatalf("%+v %v", part, err)
	}
	done := part.EntitiesAffected
	h.Store.Fail = graphstore.ErrUnavailable
	r.After = part.Next
	_, err = h.Removal.RollbackPart(ctx, r, "failing", catalog.WriteOptions{Actor: catalogtest.Ada})
	h.Want(catalog.Unavailable, err)
	h.Store.Fail, h.Store.FailUpdateAt = nil, 0
	for r.After != "" {
		part, err = h.Removal.RollbackPart(ctx, r, "failing", catalog.WriteOptions{Actor: catalogtest.Ada})
		h.Want("", err)
		done, r.After = done+part.EntitiesAffected, part.Next
	}
	if done != total {
		t.Errorf("the parts rolled back %d of %d entities", done, total)
	}
}

// TestUnreadableRecord: a record that cannot be read does not hide the others.
func TestUnreadableRecord(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	writeMany(h, "kept", 2)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("kept"), Hard: true})
	const records = "urn:li:dataHubUpgrade:headwater-rollbacks"
	h.Want("", h.Store.Update(ctx, []string{records}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{PutTimeSeries: []graphstore.TimeSeriesValue{{
			URN: records, Aspect: catalog.RollbacksSeries, Key: "broken", Timestamp: tx.Now() + 1, Value: []byte(`[]`), CreatedOn: tx.Now(), CreatedBy: catalogtest.Ada,
		}}})
	}))
	runs, _, err := h.Removal.ListRuns(ctx, removal.RunsRequest{Start: 0, Count: 10})
	h.Want("", err)
	if !slices.ContainsFunc(runs, func(r removal.RunOverview) bool { return r.RunID == "kept" && r.RolledBack }) {
		t.Errorf("%+v", runs)
	}
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
	// Later writes of the run belong to another rollback.
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
	proposals := make([]write.Proposal, entities)
	for n := range proposals {
		proposals[n] = catalogtest.InRun(run, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,%s.t%d,PROD)", run, n), "datasetProperties", `{"name":"x"}`)
	}
	_, err := h.IngestBatch(context.Background(), proposals, catalog.WriteOptions{Actor: catalogtest.Ada})
	h.Want("", err)
}

// TestRecordOfFailure: values that were rolled back before a failure are counted, also when the caller is
// gone. A count that cannot be stored is no failure.
func TestRecordOfFailure(t *testing.T) {
	h := catalogtest.NewHarness(t)
	writeMany(h, "failing", 400)
	ctx, cancel := context.WithCancel(context.Background())
	h.Store.BeforeUpdate = func(n int64) {
		if n == 3 {
			cancel()
		}
	}
	h.Store.Updates.Store(0)
	_, err := h.Removal.Rollback(ctx, removal.RollbackRequest{Origin: catalogtest.OfRun("failing"), Hard: true}, catalog.WriteOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	h.Store.BeforeUpdate = nil
	left := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("failing"), Hard: true, DryRun: true}).AspectsReverted
	records, err := h.RollbackRecords(context.Background())
	h.Want("", err)
	if len(records) != 1 || records[0].Rows == 0 || records[0].Rows+left != 2000 {
		t.Errorf("%d rows are left, and the record is %+v", left, records)
	}
	writeMany(h, "uncounted", 1)
	h.Store.FailUpdateAt = h.Store.Updates.Load() + 3 // after the record and the rows
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("uncounted"), Hard: true})
	if h.Store.Updates.Load() < h.Store.FailUpdateAt {
		t.Error("the counts were not kept")
	}
}

// TestRecordsAreNoEntity: no caller can write about, or delete, the entity that has the records, because it
// would then exist. An export does not contain it.
func TestRecordsAreNoEntity(t *testing.T) {
	const records = "urn:li:dataHubUpgrade:headwater-rollbacks"
	h := catalogtest.NewHarness(t)
	writeMany(h, "bad", 1)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad"), Hard: true})
	h.Put(catalog.Invalid, write.Upsert, records, "dataHubUpgradeResult", `{"timestampMs":1}`)
	for _, dryRun := range []bool{true, false} {
		_, err := h.Removal.Delete(context.Background(), catalogtest.URN(records), dryRun, catalog.WriteOptions{})
		h.Want(catalog.Invalid, err)
	}
	if found, err := h.RollbackRecords(context.Background()); err != nil || len(found) != 1 {
		t.Errorf("the records: %+v %v", found, err)
	}
	if lines := strings.Join(h.Exported(), ""); strings.Contains(lines, "headwater-rollbacks") {
		t.Errorf("exported: %s", lines)
	}
}
