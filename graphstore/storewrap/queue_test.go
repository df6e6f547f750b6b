package storewrap_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/graphstore/storewrap"
)

// TestQueueMetrics: the metrics tell the length of the queue, and how the waits ended.
func TestQueueMetrics(t *testing.T) {
	inner, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir(), Queue: 1, Patience: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	metrics := prometheus.NewRegistry()
	s := storewrap.New(inner, storewrap.Options{Metrics: metrics})
	want := func(length, refused, dropped float64) {
		t.Helper()
		got := values(t, metrics)
		for name, value := range map[string]float64{
			"headwater_store_queue_length": length, "headwater_store_queue_left_total refused": refused,
			"headwater_store_queue_left_total dropped": dropped, "headwater_store_queue_left_total failed": 0,
		} {
			if got[name] != value {
				t.Errorf("%s is %v, want %v", name, got[name], value)
			}
		}
	}
	nothing := func(graphstore.Tx) error { return nil }
	begun, over, ended := make(chan struct{}), make(chan struct{}), make(chan error, 3)
	go func() {
		ended <- s.Update(context.Background(), nil, func(graphstore.Tx) error {
			close(begun)
			<-over
			return nil
		})
	}()
	<-begun
	want(0, 0, 0)
	ctx, leave := context.WithCancel(context.Background())
	for range 2 { // one update waits, the other is refused
		go func() { ended <- s.Update(ctx, nil, nothing) }()
	}
	if err := <-ended; !errors.Is(err, graphstore.ErrBusy) {
		t.Errorf("an update beyond the bound: %v", err)
	}
	want(1, 1, 0)
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("an update whose caller left: %v", err)
	}
	want(0, 1, 1)
	close(over)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := values(t, metrics)["headwater_store_queue_wait_seconds"]; n != 1 {
		t.Errorf("%v waits were timed, want 1", n)
	}
}

// values returns gauges, counters, and the number of observations of histograms, by name and
// labels.
func values(t *testing.T, metrics *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, family := range families {
		for _, m := range family.Metric {
			name := family.GetName()
			for _, label := range m.Label {
				name += " " + label.GetValue()
			}
			found[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return found
}
