package write

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/turns"
	"github.com/headwater-io/headwater/model"
)

// TestLimitOfHeldVersions: while a follower needs them, as many archived versions are kept as the
// limit, and the oldest one beyond them is deleted.
func TestLimitOfHeldVersions(t *testing.T) {
	w := &Writer{retention: DefaultRetention()}
	w.HoldVersions(true)
	for archived, deleted := range map[int64]int64{limits.MaxHeldVersions: 0, limits.MaxHeldVersions + 1: 1} {
		expired, some := w.expired(model.EntityDataset, graphstore.AspectKey{Name: model.AspectStatus}, archived)
		if some != (deleted > 0) || expired.ToSeq != deleted {
			t.Errorf("of %d archived versions, those up to %d are deleted", archived, expired.ToSeq)
		}
	}
}

// TestLimitOfLoggedUnknowns: each kind of unknown members is logged once, up to the limit; further
// kinds are only counted.
func TestLimitOfLoggedUnknowns(t *testing.T) {
	var log bytes.Buffer
	w := &Writer{logger: slog.New(slog.NewTextHandler(&log, nil))}
	registry := model.Default()
	entity, _ := registry.Entity(model.EntityDataset)
	aspect, _ := registry.Aspect(model.AspectStatus)
	ch := &change{entity: entity, aspect: aspect}
	for i := range 2 * (limits.MaxLoggedUnknowns + 1) {
		member := "m" + strconv.Itoa(i/2) // each one twice
		w.unknowns.note(w, ch, &model.Value{Aspect: aspect, Unknown: []model.UnknownMember{{Record: "Status", Member: member}}})
	}
	if lines := strings.Count(log.String(), "\n"); lines != limits.MaxLoggedUnknowns {
		t.Errorf("%d kinds are logged", lines)
	}
	if last := "field=m" + strconv.Itoa(limits.MaxLoggedUnknowns-1) + "\n"; !strings.HasSuffix(log.String(), last) {
		t.Errorf("the last kind that is logged is not %q", last)
	}
	if kept := w.KeptUnknown(); kept != 2*(limits.MaxLoggedUnknowns+1) {
		t.Errorf("%d values are counted", kept)
	}
}

// rollbacks is a store with records of rollbacks.
type rollbacks struct {
	graphstore.Store
	records int
}

func (r rollbacks) TimeSeries(_ context.Context, q graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error) {
	values := make([]graphstore.TimeSeriesValue, min(r.records, q.Limit))
	for i := range values {
		values[i].Value = []byte(`{}`)
	}
	return values, nil
}

// TestLimitOfRollbackRecords: as many records of rollbacks are read as the limit.
func TestLimitOfRollbackRecords(t *testing.T) {
	for _, n := range []int{limits.MaxRollbackRecords, limits.MaxRollbackRecords + 1} {
		records, err := (&Writer{store: rollbacks{records: n}}).RollbackRecords(t.Context())
		if err != nil || len(records) != limits.MaxRollbackRecords {
			t.Errorf("of %d records, %d are read: %v", n, len(records), err)
		}
	}
}

// TestLimitOfTurns: as many writes wait for their turn on an entity as the limit, and one more is
// refused.
func TestLimitOfTurns(t *testing.T) {
	const entity = "urn:li:tag:t"
	all := newTurns()
	end, err := all.Take(t.Context(), turns.Alone, entity)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range limits.MaxQueuedWrites {
		waiting.Go(func() {
			if _, err := all.Take(ctx, turns.Alone, entity); !errors.Is(err, context.Canceled) {
				t.Errorf("a write that waits: %v", err)
			}
		})
	}
	testclock.Await(t, "all wait", func() bool { return all.Waiting() == limits.MaxQueuedWrites })
	if _, err := all.Take(t.Context(), turns.Alone, entity); !errors.Is(err, turns.ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	cancel()
	waiting.Wait()
	end()
}
