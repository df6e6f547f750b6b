package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/pace"
)

// bodyGrace is how much longer than a request its body may take, so that the
// caller learns of the end of the request first.
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
	streams := unbounded != nil && unbounded.streams
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
			s.call(c).fail(err)
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

// body decodes the JSON body of a request that is not a batch of writes. Unknown
// top-level members are ignored.
func (c *call) body(into any) error { return c.bodyOf(intake.Request, into) }

// bodyOf decodes the JSON body of a request.
func (c *call) bodyOf(kind intake.Kind, into any) error {
	text, err := intake.ReadJSON(c.Request.Context(), c.Request.Body, kind)
	if err != nil {
		return err
	}
	return decodeBody(text, into)
}

func decodeBody(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrongType):
		return catalog.Errorf(catalog.Invalid, "parameter %s: a JSON %s is not accepted here", wrongType.Field, wrongType.Value)
	case len(bytes.TrimSpace(text)) == 0:
		return catalog.Errorf(catalog.Invalid, "the request has no body")
	}
	return catalog.Errorf(catalog.Invalid, "the body is not valid JSON for this request: %w", err)
}

// holdValues reserves memory for the values of proposals, which are decoded some
// at a time. The weight before is to be restored afterwards.
func (c *call) holdValues(proposals []write.Proposal) error {
	ctx := c.Request.Context()
	return intake.ShareOf(ctx).HoldMore(ctx, intake.ValuesWeight(func(yield func([]byte) bool) {
		for i := range proposals {
			if proposals[i].Aspect != nil && !yield(proposals[i].Aspect.Value) {
				return
			}
		}
	}))
}
