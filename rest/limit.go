package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/pace"
)

// bodyGrace is how much longer than the request the reading of its body may take. So the
// request ends first, and the caller gets its error.
const bodyGrace = 10 * time.Second

// observeMemory exports metrics of the memory that requests in flight use.
func (s *Server) observeMemory() {
	if s.Registry == nil || s.Memory == nil {
		return
	}
	s.Registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_request_memory_bytes", Help: "Estimated memory of requests in flight.",
		}, func() float64 { return float64(s.Memory.Held()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "headwater_request_memory_refused_total", Help: "Requests refused because other requests used the memory.",
		}, func() float64 { return float64(s.Memory.Refused()) }),
	)
}

// limit bounds the time, the body and the memory of a request, and decompresses
// its body.
func (s *Server) limit(c *gin.Context) {
	unbounded := s.unbounded(c)
	streams := unbounded != nil && unbounded.Streams
	share := s.Memory.Share()
	defer share.Release()
	ctx := intake.WithShare(c.Request.Context(), share)
	if unbounded == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.RequestTimeout)
		defer cancel()
	}
	c.Request = c.Request.WithContext(ctx)
	if c.Request.Body != nil && c.Request.Body != http.NoBody {
		total := s.RequestTimeout + bodyGrace
		if streams {
			total = 0
		}
		body := pace.NewBody(c.Writer, c.Request.Body, s.IdleTimeout, total)
		defer body.Finish()
		unpacked, err := intake.Unpack(body, c.Request.Header)
		if err != nil {
			s.call(c).Fail(err)
			return
		}
		if c.Request.Body = unpacked; !streams {
			c.Request.Body = http.MaxBytesReader(c.Writer, unpacked, s.MaxBodyBytes)
		}
	} else {
		c.Request.Body = http.NoBody
	}
	c.Next()
}
