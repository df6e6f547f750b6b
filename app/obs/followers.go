package obs

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// FollowerState is the exported state of a follower of the change log.
type FollowerState struct {
	Name, State string
	// Lag is a number of changes, -1 if it is unknown.
	Lag int64
	// Delivered is the number of delivered changes.
	Delivered int64
}

// followers is a collector that reads the followers of the change log at each scrape.
type followers struct {
	list                  func(context.Context) ([]FollowerState, error)
	lag, delivered, state *prometheus.Desc
}

// Followers exports the lag and the state of each follower of the change log.
func Followers(r prometheus.Registerer, list func(context.Context) ([]FollowerState, error)) {
	r.MustRegister(&followers{
		list:      list,
		lag:       prometheus.NewDesc("headwater_follower_lag_changes", "Changes that a follower of the change log has not got yet; -1 if unknown.", []string{"follower"}, nil),
		delivered: prometheus.NewDesc("headwater_follower_delivered_total", "Changes that a follower of the change log has got.", []string{"follower"}, nil),
		state:     prometheus.NewDesc("headwater_follower_state", "1 for the state that a follower of the change log is in.", []string{"follower", "state"}, nil),
	})
}

// Describe implements [prometheus.Collector].
func (f *followers) Describe(into chan<- *prometheus.Desc) {
	into <- f.lag
	into <- f.delivered
	into <- f.state
}

// mostFollowers bounds the number of exported followers, because there may be thousands of
// webhooks.
const mostFollowers = 100

// Collect implements [prometheus.Collector]. It reads the followers from the store.
func (f *followers) Collect(into chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
	defer cancel()
	found, err := f.list(ctx)
	if err != nil {
		return // the metrics of the store show that the store is unavailable
	}
	for i := range found[:min(len(found), mostFollowers)] {
		s := &found[i]
		into <- prometheus.MustNewConstMetric(f.lag, prometheus.GaugeValue, float64(s.Lag), s.Name)
		into <- prometheus.MustNewConstMetric(f.delivered, prometheus.CounterValue, float64(s.Delivered), s.Name)
		into <- prometheus.MustNewConstMetric(f.state, prometheus.GaugeValue, 1, s.Name, s.State)
	}
}
