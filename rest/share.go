package rest

import (
	"cmp"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/access/shares"
	"github.com/headwater-io/headwater/internal/requestinfo"
)

// observeShares exports metrics of the requests that wait for the turn of their callers.
func (s *Server) observeShares() {
	if s.Registry == nil {
		return
	}
	of := s.Shares
	if of == nil { // callers are not identified, and no request waits
		of = shares.New(shares.Options{Now: s.catalog.Now})
	}
	s.Registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_caller_requests_waiting", Help: "Requests that wait for the turn of their caller.",
		}, func() float64 { return float64(of.Waiting()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "headwater_caller_requests_refused_total", Help: "Requests refused because their caller had too many.",
		}, func() float64 { return float64(of.Refused()) }),
	)
}

// share waits for the turn of the caller before any of the body is read. Unknown callers can only make cheap
// requests, and have no shares.
func (s *Server) share(c *gin.Context) {
	caller := requestinfo.CallerOf(c.Request.Context())
	if s.Shares == nil || caller.Means == requestinfo.NoMeans {
		return
	}
	enter := s.Shares.Enter
	if s.unbounded(c) != nil {
		enter = s.Shares.EnterLong
	}
	leave, err := enter(c.Request.Context(), cmp.Or(caller.Actor, string(caller.Means)))
	if c.Request.Context().Err() != nil { // the client has gone
		c.AbortWithStatus(http.StatusServiceUnavailable)
	} else if err != nil {
		s.call(c).Fail(err)
	}
	if err != nil {
		return
	}
	defer leave()
	c.Next()
}
