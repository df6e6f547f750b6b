package obs

import "github.com/prometheus/client_golang/prometheus"

// Audit exports the number of lost entries of the audit trail.
func Audit(r prometheus.Registerer, lost func() int64) {
	r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "headwater_audit_lost_total", Help: "Entries of the audit trail that the store did not take in time.",
	}, func() float64 { return float64(lost()) }))
}
