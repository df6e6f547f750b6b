package rest

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/durations"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// requestIDHeader contains the id of a request, by which the logs can be searched.
const requestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// RequestID returns the id of the request to which a context belongs.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// identify returns the context of the request with an id: the caller's request id if it is
// harmless, otherwise a new one.
func identify(w http.ResponseWriter, r *http.Request) context.Context {
	id := r.Header.Get(requestIDHeader)
	if !harmlessID(id) {
		id = rand.Text()
	}
	w.Header().Set(requestIDHeader, id)
	return context.WithValue(r.Context(), requestIDKey{}, id)
}

func harmlessID(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_.:", r) {
			return false
		}
	}
	return id != "" && len(id) <= 128
}

// observe logs and counts every request. It never logs a body or a token.
func (s *Server) observe() gin.HandlerFunc {
	labels := []string{"method", "route", "status"}
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "headwater_http_requests_total", Help: "Requests answered.",
	}, labels)
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "headwater_http_request_duration_seconds", Help: "Time to answer a request.",
		Buckets: durations.Buckets,
	}, labels[:2])
	sizes := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "headwater_http_request_size_bytes", Help: "Declared size of request bodies.",
		Buckets: prometheus.ExponentialBuckets(256, 8, 7),
	}, labels[:2])
	inFlight := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "headwater_http_requests_in_flight", Help: "Requests that are being answered, open event streams included.",
	})
	if s.Registry != nil {
		s.Registry.MustRegister(requests, seconds, sizes, inFlight)
	}
	var routes sync.Map // *routeMetrics by routeOutcome
	return func(c *gin.Context) {
		began := time.Now()
		inFlight.Inc()
		defer inFlight.Dec()
		ctx, subject := requestinfo.WithSubject(c.Request.Context())
		c.Request = c.Request.WithContext(ctx)
		c.Next()
		method, route := methodOf(c), routeOf(c)
		if action := c.GetString(call.ActionKey); action != "" {
			route += "?action=" + action
		}
		status := c.Writer.Status()
		elapsed := time.Since(began)
		outcome := routeOutcome{method, route, status}
		known, ok := routes.Load(outcome)
		if !ok {
			known, _ = routes.LoadOrStore(outcome, &routeMetrics{
				requests: requests.WithLabelValues(method, route, strconv.Itoa(status)),
				seconds:  seconds.WithLabelValues(method, route), sizes: sizes.WithLabelValues(method, route),
			})
		}
		metrics, _ := known.(*routeMetrics)
		metrics.requests.Inc()
		metrics.seconds.Observe(elapsed.Seconds())
		metrics.sizes.Observe(float64(max(c.Request.ContentLength, 0)))
		if ctx, level := c.Request.Context(), levelOf(route, status); s.logger.Enabled(ctx, level) {
			s.logger.Log(ctx, level, "request", append([]any{
				"method", method, "route", route, "status", status, "duration_ms", float64(elapsed.Microseconds()) / 1000,
				"bytes_out", c.Writer.Size(), "remote", c.Request.RemoteAddr,
			}, s.whoAndWhat(c, subject)...)...)
		}
	}
}

// whoAndWhat returns log attributes with the actor and the entity of a request. Both are URNs
// that the registry has checked, so their length is bounded.
func (s *Server) whoAndWhat(c *gin.Context, subject *requestinfo.Subject) (attributes []any) {
	if actor, err := s.call(c).Actor(); err == nil && actor != "" {
		attributes = append(attributes, "actor", actor)
	}
	if entity, others := subject.Entity(); entity != "" {
		if attributes = append(attributes, "entity", entity); others {
			attributes = append(attributes, "more_entities", true)
		}
	}
	return attributes
}

// probes are the routes that machines request again and again, and whose answers tell little.
var probes = []string{"/health", "/health/ready", "/health/check/ready", "/ingestion/claim", "/metrics"}

// levelOf returns the level at which a request is logged. A probe that succeeds is logged
// at debug level.
func levelOf(route string, status int) slog.Level {
	if status < http.StatusBadRequest && slices.Contains(probes, strings.TrimSuffix(route, "/")) {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// routeOutcome are the labels of a request. routeMetrics are the metrics with these labels,
// looked up once. Routes come from the route table, so there are few label values.
type routeOutcome struct {
	method, route string
	status        int
}

type routeMetrics struct {
	requests       prometheus.Counter
	seconds, sizes prometheus.Observer
}

// knownMethods are the methods that metrics, traces and logs distinguish. Callers may
// invent other methods.
var knownMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

func methodOf(c *gin.Context) string {
	if slices.Contains(knownMethods, c.Request.Method) {
		return c.Request.Method
	}
	return "other"
}

// routeOf returns the route of a request as the route table spells it.
func routeOf(c *gin.Context) string {
	if route := c.GetString(call.RouteShownKey); route != "" {
		return route
	}
	if route := c.FullPath(); route != "" {
		return route
	}
	return "none"
}

// spanName returns the name of a span. It contains no text that a caller can choose.
func spanName(c *gin.Context) string { return methodOf(c) + " " + routeOf(c) }

// recover turns a panic of a handler into an error of its request.
func (s *Server) recover(c *gin.Context) {
	defer func() {
		if cause := recover(); cause != nil {
			if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(cause) // net/http closes the connection after this panic
			}
			s.logger.ErrorContext(c.Request.Context(), "handler panicked", "cause", cause, "stack", string(debug.Stack()))
			s.call(c).Fail(catalog.Errorf(catalog.Internal, "internal error, request id %s", RequestID(c.Request.Context())))
		}
	}()
	c.Next()
}

// unbounded returns the endpoint of a request without a time limit, or nil if the request
// has one.
func (s *Server) unbounded(c *gin.Context) *call.Endpoint {
	if sse.Wanted(c.Request) {
		return &call.Endpoint{Long: true}
	}
	of := s.long[routeKey{c.Request.Method, strings.TrimSuffix(c.FullPath(), "/")}]
	if of == nil {
		return nil
	}
	return of[c.Query("action")]
}

// longEndpoints returns the endpoints without a time limit, by route and action.
func longEndpoints(endpoints []call.Endpoint) map[routeKey]map[string]*call.Endpoint {
	long := map[routeKey]map[string]*call.Endpoint{}
	for i := range endpoints {
		e := &endpoints[i]
		if !e.Long {
			continue
		}
		key := routeKey{e.Method, e.Path}
		if long[key] == nil {
			long[key] = map[string]*call.Endpoint{}
		}
		long[key][e.Action] = e
	}
	return long
}
