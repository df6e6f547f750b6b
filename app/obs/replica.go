package obs

import "github.com/prometheus/client_golang/prometheus"

// Replica exports the lag of the server behind its source, in changes and in seconds. Both
// are 0 if the server follows none, and -1 if the lag is unknown.
func Replica(r prometheus.Registerer, lag func() (changes int64, seconds float64)) {
	r.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_replica_lag_changes", Help: "Changes that this replica lacks, as its source said last; -1 if unknown, 0 for a server that is no replica.",
		}, func() float64 {
			changes, _ := lag()
			return float64(changes)
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_replica_lag_seconds", Help: "How long ago this replica was level with its source; -1 if it never was since the start, 0 if it is or is no replica.",
		}, func() float64 {
			_, seconds := lag()
			return seconds
		}),
	)
}
