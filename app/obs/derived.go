package obs

import "github.com/prometheus/client_golang/prometheus"

// derived exports the outcomes of derivations.
type derived struct {
	counts func() map[string]int64
	total  *prometheus.Desc
}

// Derived exports how often the SQL of an entity was read for its lineage, by the outcome.
func Derived(r prometheus.Registerer, counts func() map[string]int64) {
	r.MustRegister(&derived{counts, prometheus.NewDesc("headwater_sql_derivations_total", "Entities whose SQL was read for its lineage since the start.", []string{"outcome"}, nil)})
}

// Describe implements [prometheus.Collector].
func (d *derived) Describe(into chan<- *prometheus.Desc) { into <- d.total }

// Collect implements [prometheus.Collector].
func (d *derived) Collect(into chan<- prometheus.Metric) {
	for outcome, n := range d.counts() {
		into <- prometheus.MustNewConstMetric(d.total, prometheus.CounterValue, float64(n), outcome)
	}
}
