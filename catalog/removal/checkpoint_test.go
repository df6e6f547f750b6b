package removal_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

const checkpointJob = "urn:li:dataJob:(urn:li:dataFlow:(datahub,shop,prod),postgres_stale_entity_removal)"

// checkpointValue is the checkpoint of a run.
func checkpointValue(run string, at int64) string {
	return fmt.Sprintf(`{"timestampMillis":%d,"partitionSpec":{"type":"FULL_TABLE","partition":"FULL_TABLE_SNAPSHOT"},
		"pipelineName":"shop","platformInstanceId":"","runId":%q,"config":"","state":{"formatVersion":"1.0","serde":"utf-8","payload":"{}"}}`, at, run)
}

// checkpoint writes the checkpoint of a run, as clients do: without a run of its own.
func checkpoint(h *catalogtest.Harness, run string, at int64) {
	h.T.Helper()
	h.Say(checkpointJob, model.AspectStatus, `{"removed":true}`)
	h.Say(checkpointJob, model.AspectDatahubIngestionCheckpoint, checkpointValue(run, at))
}

// checkpoints are the runs of the checkpoints that are stored, the newest first.
func checkpoints(h *catalogtest.Harness) string {
	h.T.Helper()
	values, err := h.Store.TimeSeries(context.Background(), graphstore.TimeSeriesQuery{URN: checkpointJob, Aspect: model.AspectDatahubIngestionCheckpoint, Limit: 10})
	h.Want("", err)
	var runs []string
	for i := range values {
		runs = append(runs, values[i].System.RunID)
	}
	return fmt.Sprint(runs)
}

// TestCheckpoint: the checkpoint that a stateful recipe writes belongs to the run that it
// names, so it is listed, counted and rolled back with the run.
func TestCheckpoint(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Run("first", catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	checkpoint(h, "first", 1000)
	testclock.Forward(2 * time.Millisecond)
	h.Run("second", catalogtest.Table, "status", `{"removed":true}`)
	checkpoint(h, "second", 2000)
	if got := checkpoints(h); got != "[second first]" {
		t.Fatalf("checkpoints of %s", got)
	}
	rows, err := h.Removal.DescribeRun(context.Background(), removal.RunQuery{RunID: "second", Count: 10, IncludeSoft: true})
	h.Want("", err)
	if len(rows) != 2 || rows[1].URN != checkpointJob || rows[1].TimeSeriesRows != 1 {
		t.Errorf("what the run wrote: %+v", rows)
	}
	r := removal.RollbackRequest{Origin: catalogtest.OfRun("second"), DryRun: true}
	if plan := h.Rollback("", r); plan.TimeSeriesRows != 1 {
		t.Errorf("planned: %+v", plan)
	}
	r.DryRun = false
	if done := h.Rollback("", r); done.TimeSeriesRows != 1 {
		t.Errorf("done: %+v", done)
	}
	if got := checkpoints(h); got != "[first]" {
		t.Errorf("after the rollback: %s", got)
	}
}

// TestCheckpointOfNamedRun: a checkpoint that is written in a run belongs to that run.
func TestCheckpointOfNamedRun(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Run("repair", checkpointJob, model.AspectDatahubIngestionCheckpoint, checkpointValue("first", 5))
	if got := checkpoints(h); got != "[repair]" {
		t.Errorf("checkpoints of %s", got)
	}
	checkpoint(h, "", 6)
	if got := checkpoints(h); got != "["+catalog.NoRunID+" repair]" {
		t.Errorf("checkpoints of %s", got)
	}
}

// TestLaterCheckpoint: a rollback tells which run wrote a checkpoint after the run that is
// rolled back, since that checkpoint stays.
func TestLaterCheckpoint(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for i, run := range []string{"first", "second", "third"} {
		checkpoint(h, run, int64(1000*(i+1)))
	}
	for _, c := range []struct{ run, want string }{{"third", "[]"}, {"second", "[third]"}} {
		for _, dry := range []bool{true, false} {
			r := removal.RollbackRequest{Origin: catalogtest.OfRun(c.run), DryRun: dry || c.run == "third"}
			if got := h.Rollback("", r); fmt.Sprint(got.LaterCheckpoints) != c.want {
				t.Errorf("%s, dry run %t: %s", c.run, r.DryRun, got.LaterCheckpoints)
			}
		}
	}
	if got := checkpoints(h); got != "[third first]" {
		t.Errorf("checkpoints of %s", got)
	}
}
