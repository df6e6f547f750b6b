package obs

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// FollowerState is what is exported of a follower of the change log.
type FollowerState struct {
	Name, State string
	// Lag is in changes, -1 if unknown.
	Lag int64
	// Delivered counts changes.
	Delivered int64
}

// followers exports the followers of the change log when they are asked for.
type followers struct {
	list                  func(context.Context) ([]FollowerState, error)
	lag, delivered, state *prometheus.Desc
}

// Followers exports how far each follower of the change log is behind, and its state.
func Followers(r prometheus.Registerer, list func(context.Context) ([]FollowerState, error)) {
	r.MustRegister(&followers{
		list:      list,
		lag:       prometheus.NewDesc("headwater_follower_lag_changes", "Changes that a follower of the change log has not got yet; -1 if unknown.", []string{"follower"}, nil),
		delivered: prometheus.NewDesc("headwater_follower_delivered_total", "Changes that a follower of the change log has got.", []string{"follower"}, nil),
		state:     prometheus.NewDesc("headwater_follower_state", "1 for the state that a follower of the change log is in.", []string{"follower", "state"}, nil),
	})
}

// Describe names the metrics.
func (f *followers) Describe(into chan<- *prometheus.Desc) {
	into <- f.lag
	into <- f.delivered
	into <- f.state
}

// mostFollowers is how many followers are exported; there may be thousands of webhooks.
const mostFollowers = 100

// Collect asks for the followers.
func (f *followers) Collect(into chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
	defer cancel()
	found, err := f.list(ctx)
	if err != nil {
		return // the metrics of the store show that it is away
	}
	for i := range found[:min(len(found), mostFollowers)] {
		s := &found[i]
		into <- prometheus.MustNewConstMetric(f.lag, prometheus.GaugeValue, float64(s.Lag), s.Name)
		into <- prometheus.MustNewConstMetric(f.delivered, prometheus.CounterValue, float64(s.Delivered), s.Name)
		into <- prometheus.MustNewConstMetric(f.state, prometheus.GaugeValue, 1, s.Name, s.State)
	}
}
