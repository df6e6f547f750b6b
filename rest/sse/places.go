// Package sse sends server-sent events: streams with a bounded number, time and memory, which end
// with their clients and with the server.
package sse

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"github.com/headwater-io/headwater/internal/limits"
)

// Places bounds the event streams: their number, how long a client may keep the server
// waiting, and the memory of events that are not sent yet.
type Places struct {
	open  chan struct{}
	most  int
	write time.Duration
	large *semaphore.Weighted
}

// NewPlaces permits most streams at a time; 0 means limits.EventStreams. Sending a piece of
// a stream may take the time write; 0 means limits.StreamWrite.
func NewPlaces(most int, write time.Duration, registry prometheus.Registerer) *Places {
	s := &Places{most: most, write: write, large: semaphore.NewWeighted(limits.StreamBytes)}
	if s.most == 0 {
		s.most = limits.EventStreams
	}
	if s.write == 0 {
		s.write = limits.StreamWrite
	}
	s.open = make(chan struct{}, s.most)
	if registry != nil {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_event_streams", Help: "Open event streams.",
		}, func() float64 { return float64(s.Count()) }))
	}
	return s
}

// enter takes a place for one more stream, and reports whether one was free. The caller
// gives the place back with leave.
func (s *Places) enter() bool {
	select {
	case s.open <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s *Places) leave() { <-s.open }

// Count returns the number of open streams.
func (s *Places) Count() int { return len(s.open) }
