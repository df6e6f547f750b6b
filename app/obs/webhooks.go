package obs

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// Webhooks exports the number of requests to receivers, by their result, and the number of
// dead letters, -1 if it is unknown.
func Webhooks(r prometheus.Registerer, results map[string]func() int64, dead func(context.Context) (int64, error)) {
	for result, count := range results {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "headwater_webhook_deliveries_total", Help: "Requests to receivers of webhooks, by their result.",
			ConstLabels: prometheus.Labels{"result": result},
		}, func() float64 { return float64(count()) }))
	}
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "headwater_webhook_dead_letters", Help: "Dead letters of all webhooks; -1 if unknown.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
		defer cancel()
		n, err := dead(ctx)
		if err != nil {
			return -1
		}
		return float64(n)
	}))
}
