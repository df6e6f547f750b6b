// Package indexwrap is a decorator of search indexes. It counts and times every operation
// and, if tracing is on, records a span for it.
package indexwrap

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/durations"
)

// Options configure the decorator. A nil field turns its kind of observation off.
type Options struct {
	Metrics prometheus.Registerer
	Tracing trace.TracerProvider
}

// Index is a search index that observes an inner one.
type Index struct {
	inner   indexer.Index
	tracer  trace.Tracer
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	docs    prometheus.Counter
}

var _ indexer.Index = (*Index)(nil)

// New wraps an index.
func New(inner indexer.Index, o Options) *Index {
	if o.Tracing == nil {
		o.Tracing = noop.NewTracerProvider()
	}
	x := &Index{
		inner: inner, tracer: o.Tracing.Tracer("headwater/indexer"),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "headwater_index_calls_total", Help: "Calls of the search index by result.",
		}, []string{"operation", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "headwater_index_call_duration_seconds", Help: "Time of a call of the search index.",
			Buckets: durations.Buckets,
		}, []string{"operation"}),
		docs: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "headwater_index_documents_total", Help: "Documents written to and deleted from the search index.",
		}),
	}
	if o.Metrics != nil {
		o.Metrics.MustRegister(x.calls, x.seconds, x.docs)
	}
	return x
}

// observe runs one operation, and records its duration, its outcome and its span.
func (x *Index) observe(ctx context.Context, operation string, call func(ctx context.Context) error) error {
	ctx, span := x.tracer.Start(ctx, "indexer."+operation, trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	began := time.Now()
	err := call(ctx)
	x.seconds.WithLabelValues(operation).Observe(time.Since(began).Seconds())
	x.calls.WithLabelValues(operation, result(err)).Inc()
	if err != nil {
		span.SetStatus(codes.Error, result(err))
	}
	return err
}

func result(err error) string {
	var documents *indexer.RefusedError
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, indexer.ErrDamaged):
		return "damaged"
	case errors.As(err, &documents):
		return "refused"
	case errors.Is(err, indexer.ErrUnavailable), errors.Is(err, indexer.ErrUnwritable), errors.Is(err, indexer.ErrClosed):
		return "unavailable"
	case errors.Is(err, indexer.ErrBadToken), errors.Is(err, indexer.ErrTooComplex):
		return "refused"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "cancelled"
	}
	return "error"
}

// Search calls Search of the inner index.
func (x *Index) Search(ctx context.Context, q *indexer.Query) (found *indexer.Result, err error) {
	err = x.observe(ctx, "Search", func(ctx context.Context) (err error) {
		found, err = x.inner.Search(ctx, q)
		return err
	})
	return found, err
}

// SearchMany calls SearchMany of the inner index. The recorded outcome is that of the whole
// call; the error of a single query is only in the query's answer.
func (x *Index) SearchMany(ctx context.Context, queries []*indexer.Query) (answers []indexer.Answer, err error) {
	err = x.observe(ctx, "SearchMany", func(ctx context.Context) (err error) {
		answers, err = x.inner.SearchMany(ctx, queries)
		return err
	})
	return answers, err
}

// Suggest calls Suggest of the inner index.
func (x *Index) Suggest(ctx context.Context, q *indexer.SuggestQuery) (hits []indexer.Hit, err error) {
	err = x.observe(ctx, "Suggest", func(ctx context.Context) (err error) {
		hits, err = x.inner.Suggest(ctx, q)
		return err
	})
	return hits, err
}

// Groups calls Groups of the inner index.
func (x *Index) Groups(ctx context.Context, q *indexer.GroupQuery) (groups []indexer.Group, err error) {
	err = x.observe(ctx, "Groups", func(ctx context.Context) (err error) {
		groups, err = x.inner.Groups(ctx, q)
		return err
	})
	return groups, err
}

// Values calls Values of the inner index.
func (x *Index) Values(ctx context.Context, field string, most int) (values []string, err error) {
	err = x.observe(ctx, "Values", func(ctx context.Context) (err error) {
		values, err = x.inner.Values(ctx, field, most)
		return err
	})
	return values, err
}

// Write calls Write of the inner index.
func (x *Index) Write(ctx context.Context, batch indexer.Batch) error {
	return x.write(ctx, x.inner, batch)
}

func (x *Index) write(ctx context.Context, into indexer.Writer, batch indexer.Batch) error {
	err := x.observe(ctx, "Write", func(ctx context.Context) error { return into.Write(ctx, batch) })
	var refused *indexer.RefusedError
	switch {
	case err == nil:
		x.docs.Add(float64(len(batch.Put) + len(batch.Delete)))
	case errors.As(err, &refused):
		x.docs.Add(float64(len(batch.Put) + len(batch.Delete) - len(refused.Refusals)))
	}
	return err
}

// Cursor calls Cursor of the inner index.
func (x *Index) Cursor(ctx context.Context) (cursor string, err error) {
	err = x.observe(ctx, "Cursor", func(ctx context.Context) (err error) {
		cursor, err = x.inner.Cursor(ctx)
		return err
	})
	return cursor, err
}

// build observes an index under construction.
type build struct {
	indexer.Build
	index *Index
}

func (b build) Write(ctx context.Context, batch indexer.Batch) error {
	return b.index.write(ctx, b.Build, batch)
}

// Rebuild calls Rebuild of the inner index. The returned build is observed too.
func (x *Index) Rebuild(ctx context.Context) (indexer.Build, error) {
	var inner indexer.Build
	err := x.observe(ctx, "Rebuild", func(ctx context.Context) (err error) {
		inner, err = x.inner.Rebuild(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return build{inner, x}, nil
}

// Ping calls Ping of the inner index.
func (x *Index) Ping(ctx context.Context) error { return x.observe(ctx, "Ping", x.inner.Ping) }

// Close closes the inner index.
func (x *Index) Close() error { return x.inner.Close() }
