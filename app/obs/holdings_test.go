package obs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// series returns the number of time series in a registry.
func series(t *testing.T, r *prometheus.Registry) int {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range families {
		n += len(f.GetMetric())
	}
	return n
}

// TestEntitiesAtOnce: a scrape has the numbers of one Set, even while Set replaces them.
func TestEntitiesAtOnce(t *testing.T) {
	r := prometheus.NewRegistry()
	e := NewEntities(r)
	if n := series(t, r); n != 0 {
		t.Errorf("%d series before the first count", n)
	}
	counts := map[string]int{"dataset": 3, "chart": 2, "dashboard": 1, "corpuser": 4, "tag": 0}
	e.Set(counts)
	var (
		stop    atomic.Bool
		setting sync.WaitGroup
	)
	setting.Go(func() {
		for !stop.Load() {
			e.Set(counts)
		}
	})
	for range 500 {
		if n := series(t, r); n != 4 {
			t.Errorf("%d series", n)
			break
		}
	}
	stop.Store(true)
	setting.Wait()
}

// TestBackendsAreAskedOnce: scrapes shortly after one another ask a backend only once.
func TestBackendsAreAskedOnce(t *testing.T) {
	r := prometheus.NewRegistry()
	var asked atomic.Int64
	Backends(r, map[string]func(context.Context) error{
		"graph":  func(context.Context) error { asked.Add(1); return nil },
		"search": func(context.Context) error { asked.Add(1); return errors.New("away") },
	})
	for range 3 {
		families, err := r.Gather()
		if err != nil || len(families) != 1 {
			t.Fatal(families, err)
		}
		for _, m := range families[0].GetMetric() {
			if name, want := m.GetLabel()[0].GetValue(), m.GetGauge().GetValue(); (name == "graph") != (want == 1) {
				t.Errorf("%s: %v", name, want)
			}
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("two backends were asked %d times", n)
	}
}
