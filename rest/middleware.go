package rest

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/catalog"
)

// requestIDHeader contains the id by which a request is found in the logs.
const requestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// RequestID returns the id of the request that a context belongs to.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// identify uses the caller's request id if it is harmless, and otherwise
// generates one.
func (s *Server) identify(c *gin.Context) {
	id := c.GetHeader(requestIDHeader)
	if !harmlessID(id) {
		id = rand.Text()
	}
	c.Header(requestIDHeader, id)
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), requestIDKey{}, id))
}

func harmlessID(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_.:", r) {
			return false
		}
	}
	return id != "" && len(id) <= 128
}

// observe logs and counts every request, never a body.
func (s *Server) observe() gin.HandlerFunc {
	labels := []string{"method", "route", "status"}
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "headwater_http_requests_total", Help: "Requests answered.",
	}, labels)
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "headwater_http_request_duration_seconds", Help: "Time to answer a request.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2.5, 12),
	}, labels[:2])
	sizes := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "headwater_http_request_size_bytes", Help: "Declared size of request bodies.",
		Buckets: prometheus.ExponentialBuckets(256, 8, 7),
	}, labels[:2])
	if s.Registry != nil {
		s.Registry.MustRegister(requests, seconds, sizes)
	}
	return func(c *gin.Context) {
		began := time.Now()
		c.Next()
		method, route := methodOf(c), routeOf(c)
		if action := c.GetString(actionKey); action != "" {
			route += "?action=" + action
		}
		status := c.Writer.Status()
		elapsed := time.Since(began)
		requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
		seconds.WithLabelValues(method, route).Observe(elapsed.Seconds())
		sizes.WithLabelValues(method, route).Observe(float64(max(c.Request.ContentLength, 0)))
		s.logger.InfoContext(c.Request.Context(), "request",
			"method", method, "route", route, "status", status, "duration_ms", float64(elapsed.Microseconds())/1000,
			"bytes_out", c.Writer.Size(), "remote", c.Request.RemoteAddr)
	}
}

// knownMethods are the methods that metrics, traces and logs distinguish. A
// caller may invent others.
var knownMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

func methodOf(c *gin.Context) string {
	if slices.Contains(knownMethods, c.Request.Method) {
		return c.Request.Method
	}
	return "other"
}

// routeOf returns the route of a request in the form of the table.
func routeOf(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return "none"
}

// spanName returns the name of a span, which contains nothing that a caller may
// invent.
func spanName(c *gin.Context) string { return methodOf(c) + " " + routeOf(c) }

// recover turns a panic into an error of this request alone.
func (s *Server) recover(c *gin.Context) {
	defer func() {
		if cause := recover(); cause != nil {
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(cause) // net/http closes the connection with this
			}
			s.logger.ErrorContext(c.Request.Context(), "handler panicked", "cause", cause, "stack", string(debug.Stack()))
			s.call(c).fail(catalog.Errorf(catalog.Internal, "internal error, request id %s", RequestID(c.Request.Context())))
		}
	}()
	c.Next()
}

// unbounded finds the endpoint of a request that has no time limit.
func (s *Server) unbounded(c *gin.Context) *endpoint {
	if wantsStream(c) {
		return &endpoint{long: true}
	}
	of := s.long[routeKey{c.Request.Method, strings.TrimSuffix(c.FullPath(), "/")}]
	if of == nil {
		return nil
	}
	return of[c.Query("action")]
}

// longEndpoints are the endpoints without a time limit, by route and action.
func longEndpoints(endpoints []endpoint) map[routeKey]map[string]*endpoint {
	long := map[routeKey]map[string]*endpoint{}
	for i := range endpoints {
		e := &endpoints[i]
		if !e.long {
			continue
		}
		key := routeKey{e.method, e.path}
		if long[key] == nil {
			long[key] = map[string]*endpoint{}
		}
		long[key][e.action] = e
	}
	return long
}
