// Package obs sets up logs, metrics and traces.
package obs

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
)

// Logger returns a structured logger. requestID returns the request id in a context, "" for
// none.
func Logger(w io.Writer, level slog.Leveler, format string, requestID func(context.Context) string) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(w, options)
	if format == "json" {
		h = slog.NewJSONHandler(w, options)
	}
	return slog.New(requestHandler{h, requestID})
}

// requestHandler adds the request id to log lines that are written while a request is
// answered.
type requestHandler struct {
	slog.Handler
	requestID func(context.Context) string
}

func (h requestHandler) Handle(ctx context.Context, r slog.Record) error {
	if id := h.requestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h requestHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestHandler{h.Handler.WithAttrs(attrs), h.requestID}
}

func (h requestHandler) WithGroup(name string) slog.Handler {
	return requestHandler{h.Handler.WithGroup(name), h.requestID}
}

// Metrics returns a registry with the metrics that every process has.
func Metrics(version, commit string) *prometheus.Registry {
	r := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "headwater_build_info", Help: "Always 1; the labels say which build runs.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit},
	})
	build.Set(1)
	r.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Tracing sends traces to an OTLP endpoint over HTTP, in batches. Its Shutdown sends the
// remaining traces.
func Tracing(ctx context.Context, endpoint, version string) (*sdktrace.TracerProvider, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint))
	if err != nil {
		return nil, err
	}
	return sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(resource.NewSchemaless(semconv.ServiceName("headwater"), semconv.ServiceVersion(version))),
	), nil
}

// IndexReporter reports the state of a search index.
type IndexReporter interface {
	Lag(ctx context.Context) (int64, error)
	Building() bool
	RefusedCounts() (now, ever int64)
	HeldWrites() int64
}

// lagTimeout bounds the time for reading a lag.
const lagTimeout = 2 * time.Second

// Index exports the lag of the search index, -1 if it is unknown.
func Index(r prometheus.Registerer, index IndexReporter) {
	r.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_index_lag_changes", Help: "Changes that the search index does not have yet; -1 if unknown.",
		}, func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), lagTimeout)
			defer cancel()
			lag, err := index.Lag(ctx)
			if err != nil {
				return -1
			}
			return float64(lag)
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_index_building", Help: "1 while the search index is being rebuilt.",
		}, func() float64 {
			if index.Building() {
				return 1
			}
			return 0
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_index_held_writes", Help: "Writes whose answers are held back because the search index is too far behind.",
		}, func() float64 { return float64(index.HeldWrites()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "headwater_index_refused_documents", Help: "Documents that the search engine does not take and that are set aside.",
		}, func() float64 {
			now, _ := index.RefusedCounts()
			return float64(now)
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "headwater_index_refusals_total", Help: "Refusals of a document by the search engine since the start.",
		}, func() float64 {
			_, ever := index.RefusedCounts()
			return float64(ever)
		}),
	)
}

// UnknownReporter counts the accepted values with parts that the model lacks.
type UnknownReporter interface{ KeptUnknown() int64 }

// Unknown exports the number of accepted values with fields or aspects that the model
// lacks.
func Unknown(r prometheus.Registerer, c UnknownReporter) {
	r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "headwater_unknown_fields_kept_total", Help: "Values accepted with fields, or of aspects, that the model does not have.",
	}, func() float64 { return float64(c.KeptUnknown()) }))
}
