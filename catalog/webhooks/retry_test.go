package webhooks

import (
	"context"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

func TestPause(t *testing.T) {
	for _, test := range []struct {
		failures    int
		asked       time.Duration
		least, most time.Duration
	}{
		{1, 0, 500 * time.Millisecond, time.Second},
		{2, 0, time.Second, 2 * time.Second},
		{5, 0, 8 * time.Second, 16 * time.Second},
		{12, 0, 150 * time.Second, 5 * time.Minute},
		{100, 0, 150 * time.Second, 5 * time.Minute},
		{1, time.Minute, time.Minute, time.Minute},
		{1, 24 * time.Hour, 5 * time.Minute, 5 * time.Minute},
	} {
		if got := DefaultRetry.pause(test.failures, test.asked); got < test.least || got > test.most {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

func TestFull(t *testing.T) {
	events := make([]streams.Event, limits.MaxWebhookBatch+1)
	if n := full(events); n != limits.MaxWebhookBatch {
		t.Errorf("%d events", n)
	}
	events[1].Size = limits.MaxWebhookBatchBytes + 1
	if n := full(events); n != 1 {
		t.Errorf("%d events before a large one", n)
	}
	if n := full(events[1:]); n != 1 {
		t.Errorf("%d events with a large one", n)
	}
	if n := full(events[:1]); n != 1 {
		t.Errorf("%d events", n)
	}
}

// lettered are records of dead letters.
type lettered struct {
	graphstore.Records
	letters int
}

func (l lettered) ListRecords(_ context.Context, _, _ string, limit int) ([]graphstore.Record, error) {
	records := make([]graphstore.Record, min(l.letters, limit))
	for i := range records {
		records[i].Value = []byte(`{}`)
	}
	return records, nil
}

// TestLimitOfReplays: one request is about as many dead letters as the limit, and knows how many are
// left.
func TestLimitOfReplays(t *testing.T) {
	for n, left := range map[int]int{limits.MaxReplayed: 0, limits.MaxReplayed + 1: 1} {
		letters, more, err := New(Options{Records: records.New(lettered{letters: n})}).named(t.Context(), "a", All)
		if err != nil || len(letters) != limits.MaxReplayed || more != left {
			t.Errorf("of %d letters, %d are replayed and %d left: %v", n, len(letters), more, err)
		}
	}
}
