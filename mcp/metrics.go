package mcp

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/internal/durations"
)

// metrics count and time the calls of each tool.
type metrics struct {
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "headwater_mcp_calls_total", Help: "Calls of the tools for agents by result.",
		}, []string{"tool", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "headwater_mcp_call_duration_seconds", Help: "Time of a call of a tool for agents.",
			Buckets: durations.Buckets,
		}, []string{"tool"}),
	}
	if r != nil {
		r.MustRegister(m.calls, m.seconds)
	}
	return m
}

// observe counts and times a call that has ended. Calls whose arguments do not fit the tool's
// schema are not observed.
func (m *metrics) observe(tool string, began time.Time, err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.calls.WithLabelValues(tool, result).Inc()
	m.seconds.WithLabelValues(tool).Observe(time.Since(began).Seconds())
}
