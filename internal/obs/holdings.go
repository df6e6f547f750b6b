package obs

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Entities exports how many entities there are of each type. They are counted
// elsewhere, so that a scrape never counts.
type Entities struct {
	gauge *prometheus.GaugeVec
	mu    sync.Mutex
}

// NewEntities registers the metric; it has no values before the first Set.
func NewEntities(r prometheus.Registerer) *Entities {
	e := &Entities{gauge: prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "headwater_entities", Help: "Entities by type, as the search index has them; counted once a minute.",
	}, []string{"type"})}
	r.MustRegister(e.gauge)
	return e
}

// Set replaces the numbers. Types without entities are left out.
func (e *Entities) Set(counts map[string]int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gauge.Reset()
	for name, n := range counts {
		if n > 0 {
			e.gauge.WithLabelValues(name).Set(float64(n))
		}
	}
}

// Log exports how many changes the change log has, -1 if that is unknown.
func Log(r prometheus.Registerer, length func(context.Context) (int64, error)) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "headwater_log_changes", Help: "Changes in the change log; -1 when that cannot be told.",
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

// Backends exports whether each backend can serve, as /health/ready does.
func Backends(r prometheus.Registerer, ping map[string]func(context.Context) error) {
	for name, ping := range ping {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_backend_ready", Help: "1 when the backend can serve, else 0.",
			ConstLabels: prometheus.Labels{"backend": name},
		}, func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
			defer cancel()
			if ping(ctx) != nil {
				return 0
			}
			return 1
		}))
	}
}
