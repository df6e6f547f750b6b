package storewrap

import (
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/durations"
)

// queueMetrics describe the queue of updates that wait for their turn.
type queueMetrics struct {
	waiting prometheus.Gauge
	seconds prometheus.Histogram
	// left counts the updates that ended without a turn, by reason.
	left *prometheus.CounterVec
}

func newQueueMetrics() queueMetrics {
	return queueMetrics{
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "headwater_store_queue_length", Help: "Updates that wait for their turn to write.",
		}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "headwater_store_queue_wait_seconds", Help: "Time until the turn of an update came.",
			Buckets: durations.Buckets,
		}),
		left: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "headwater_store_queue_left_total", Help: "Updates whose turn did not come: refused, or dropped because the caller was gone.",
		}, []string{"reason"}),
	}
}

func (q *queueMetrics) register(metrics prometheus.Registerer) {
	for _, reason := range []string{"refused", "dropped", "failed"} {
		q.left.WithLabelValues(reason)
	}
	metrics.MustRegister(q.waiting, q.seconds, q.left)
}

// turn is the wait of one update. Its methods come and over may be called on different
// goroutines.
type turn struct {
	q     *queueMetrics
	began time.Time
	once  sync.Once
}

func (q *queueMetrics) enter() *turn {
	q.waiting.Inc()
	return &turn{q: q, began: time.Now()}
}

// come records, once, that the turn has come.
func (t *turn) come() {
	t.once.Do(func() {
		t.q.waiting.Dec()
		t.q.seconds.Observe(time.Since(t.began).Seconds())
	})
}

// over records the end of an update whose turn has not come.
func (t *turn) over(err error) {
	t.once.Do(func() {
		t.q.waiting.Dec()
		reason := "failed"
		switch {
		case errors.Is(err, graphstore.ErrBusy):
			reason = "refused"
		case result(err) == "cancelled":
			reason = "dropped"
		}
		t.q.left.WithLabelValues(reason).Inc()
	})
}
