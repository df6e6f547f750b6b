package obs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Clock exports how far the time of the newest change is ahead of the machine's clock, in
// seconds; -1 if this is unknown.
func Clock(r prometheus.Registerer, ahead func(context.Context) (time.Duration, error)) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "headwater_log_ahead_seconds", Help: "How far the newest change is stamped ahead of the machine's clock, beyond the tolerance; -1 if unknown.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
		defer cancel()
		by, err := ahead(ctx)
		if err != nil {
			return -1
		}
		return by.Seconds()
	}))
}
