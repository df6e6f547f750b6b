package produce

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/kafka/wire"
)

// Metrics count the events that are sent.
type Metrics struct{ sent, lessened *prometheus.CounterVec }

// NewMetrics registers the metrics. They are zero on a server that sends nothing to Kafka.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		sent: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "headwater_kafka_sent_total", Help: "Events that Kafka has acknowledged, by topic.",
		}, []string{"topic"}),
		lessened: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "headwater_kafka_lessened_total", Help: "Events that were too large for their topic of Kafka, by what was left out: previous, values or event.",
		}, []string{"left_out"}),
	}
	for _, topic := range []string{wire.VersionedLogTopic, wire.TimeseriesLogTopic, wire.PlatformEventTopic} {
		m.sent.WithLabelValues(topic)
	}
	for _, part := range []string{leftPrevious, leftValues, leftEvent} {
		m.lessened.WithLabelValues(part)
	}
	r.MustRegister(m.sent, m.lessened)
	return m
}
