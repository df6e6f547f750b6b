package proposals

import (
	"context"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Metrics count proposals and show how many proposals wait.
type Metrics struct {
	results *prometheus.CounterVec

	mu  sync.Mutex
	lag map[string]map[int32]int64
}

// NewMetrics registers the metrics. They are zero on a server that does not read Kafka.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "headwater_kafka_proposals_total", Help: "Proposals and snapshots of Kafka, by what became of them: written, unchanged or failed.",
		}, []string{"result"}),
		lag: map[string]map[int32]int64{},
	}
	for _, result := range []string{"written", "unchanged", "failed"} {
		m.results.WithLabelValues(result)
	}
	r.MustRegister(m.results, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "headwater_kafka_proposals_lag", Help: "Records in the partitions of this server that it had not processed when it last read them.",
	}, m.behind))
	return m
}

func (m *Metrics) behind() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var sum int64
	for _, partitions := range m.lag {
		for _, lag := range partitions {
			sum += lag
		}
	}
	return float64(sum)
}

// count counts the results of items.
func (m *Metrics) count(items []*item) {
	for _, it := range items {
		switch {
		case it.refused != nil:
			m.results.WithLabelValues("failed").Inc()
		case it.changed:
			m.results.WithLabelValues("written").Inc()
		default:
			m.results.WithLabelValues("unchanged").Inc()
		}
	}
}

// seen records how many records remain in the partitions after the fetched records.
func (m *Metrics) seen(fetched []kgo.FetchTopicPartition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range fetched {
		if m.lag[p.Topic] == nil {
			m.lag[p.Topic] = map[int32]int64{}
		}
		m.lag[p.Topic][p.Partition] = max(0, p.HighWatermark-p.Records[len(p.Records)-1].Offset-1)
	}
}

// forget removes the numbers of partitions that this server no longer has.
func (m *Metrics) forget(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for topic, numbers := range partitions {
		for _, number := range numbers {
			delete(m.lag[topic], number)
		}
	}
}

func (m *Metrics) forgetAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.lag)
}
