package obs

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Entities exports the number of entities of each type. Set receives the numbers, so that a
// scrape never counts.
type Entities struct {
	desc   *prometheus.Desc
	counts atomic.Pointer[map[string]int]
}

// NewEntities registers the metric; it has no values before the first Set.
func NewEntities(r prometheus.Registerer) *Entities {
	e := &Entities{desc: prometheus.NewDesc("headwater_entities",
		"Entities by type, as the search index has them; counted once a minute.", []string{"type"}, nil)}
	r.MustRegister(e)
	return e
}

// Set replaces all numbers at once. Types without entities are not exported.
func (e *Entities) Set(counts map[string]int) {
	counts = maps.Clone(counts)
	e.counts.Store(&counts)
}

// Describe implements [prometheus.Collector].
func (e *Entities) Describe(into chan<- *prometheus.Desc) { into <- e.desc }

// Collect implements [prometheus.Collector].
func (e *Entities) Collect(into chan<- prometheus.Metric) {
	counts := e.counts.Load()
	if counts == nil {
		return
	}
	for name, n := range *counts {
		if n > 0 {
			into <- prometheus.MustNewConstMetric(e.desc, prometheus.GaugeValue, float64(n), name)
		}
	}
}

// Log exports the number of changes in the change log, -1 if it is unknown.
func Log(r prometheus.Registerer, length func(context.Context) (int64, error)) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "headwater_log_changes", Help: "Changes in the change log; -1 if unknown.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
		defer cancel()
		n, err := length(ctx)
		if err != nil {
			return -1
		}
		return float64(n)
	}))
}

// probeEvery is how long the result of a probe is reused, because a probe may write to the
// disk.
const probeEvery = 15 * time.Second

// Backends exports whether each backend can serve, as /health/ready reports it. It asks
// each backend at most once in probeEvery.
func Backends(r prometheus.Registerer, ping map[string]func(context.Context) error) {
	for name, ping := range ping {
		p := &probe{ping: ping}
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_backend_ready", Help: "1 when the backend can serve, else 0.",
			ConstLabels: prometheus.Labels{"backend": name},
		}, p.ready))
	}
}

// probe caches the result of asking a backend.
type probe struct {
	ping   func(context.Context) error
	mu     sync.Mutex
	asked  time.Time
	result float64
}

// ready returns 1 if the backend can serve, otherwise 0.
func (p *probe) ready() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked.IsZero() && time.Since(p.asked) < probeEvery {
		return p.result
	}
	ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
	defer cancel()
	p.result = 1
	if p.ping(ctx) != nil {
		p.result = 0
	}
	p.asked = time.Now()
	return p.result
}
