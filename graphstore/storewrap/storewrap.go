// Package storewrap observes a graph store: a decorator counts and times every operation and,
// if tracing is on, records a span for it.
package storewrap

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/durations"
)

// Options configure a Store. A nil field observes nothing.
type Options struct {
	Metrics prometheus.Registerer
	Tracing trace.TracerProvider
}

// Store is a graph store that observes another graph store.
type Store struct {
	inner graphstore.Store
	// tracer is nil if tracing is off.
	tracer  trace.Tracer
	calls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	rows    *prometheus.HistogramVec
	retries prometheus.Counter
	queue   queueMetrics
	// operations has the *operationMetrics of each operation, which are looked up once.
	operations sync.Map
}

// operationMetrics are the metrics with the label of one operation.
type operationMetrics struct {
	succeeded     prometheus.Counter
	seconds, rows prometheus.Observer
}

var _ graphstore.Store = (*Store)(nil)

// New wraps a store.
func New(inner graphstore.Store, o Options) *Store {
	s := &Store{
		inner: inner,
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "headwater_store_calls_total", Help: "Calls of the graph store by result.",
		}, []string{"operation", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "headwater_store_call_duration_seconds", Help: "Time of a call of the graph store.",
			Buckets: durations.Buckets,
		}, []string{"operation"}),
		rows: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "headwater_store_rows", Help: "Rows read, or written in one transaction.",
			Buckets: prometheus.ExponentialBuckets(1, 6, 7),
		}, []string{"operation"}),
		retries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "headwater_store_retries_total", Help: "Transactions that were run again after a transient failure.",
		}),
		queue: newQueueMetrics(),
	}
	if o.Tracing != nil {
		s.tracer = o.Tracing.Tracer("headwater/graphstore")
	}
	if o.Metrics != nil {
		o.Metrics.MustRegister(s.calls, s.seconds, s.rows, s.retries)
		s.queue.register(o.Metrics)
	}
	return s
}

// observe runs one operation, and observes it.
func (s *Store) observe(ctx context.Context, operation string, call func(ctx context.Context) (rows int, err error)) {
	if s.tracer == nil {
		_, _ = s.count(ctx, operation, call)
		return
	}
	ctx, span := s.tracer.Start(ctx, "graphstore."+operation, trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	rows, err := s.count(ctx, operation, call)
	span.SetAttributes(attribute.Int("rows", rows))
	if err != nil {
		span.SetStatus(codes.Error, result(err))
	}
}

// count runs one operation, and counts the call and its rows.
func (s *Store) count(ctx context.Context, operation string, call func(ctx context.Context) (rows int, err error)) (rows int, err error) {
	began := time.Now()
	rows, err = call(ctx)
	metrics := s.metricsOf(operation)
	metrics.seconds.Observe(time.Since(began).Seconds())
	metrics.rows.Observe(float64(rows))
	if err == nil {
		metrics.succeeded.Inc()
	} else {
		s.calls.WithLabelValues(operation, result(err)).Inc()
	}
	return rows, err
}

func (s *Store) metricsOf(operation string) *operationMetrics {
	known, ok := s.operations.Load(operation)
	if !ok {
		known, _ = s.operations.LoadOrStore(operation, &operationMetrics{
			succeeded: s.calls.WithLabelValues(operation, result(nil)),
			seconds:   s.seconds.WithLabelValues(operation), rows: s.rows.WithLabelValues(operation),
		})
	}
	metrics, _ := known.(*operationMetrics)
	return metrics
}

func result(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, graphstore.ErrUnavailable):
		return "unavailable"
	case errors.Is(err, graphstore.ErrBusy):
		return "busy"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "cancelled"
	}
	return "error"
}

// countingTx counts the rows of a transaction.
type countingTx struct {
	graphstore.Tx
	rows int
}

func (t *countingTx) Write(b graphstore.Batch) error {
	t.rows += b.Len()
	return t.Tx.Write(b)
}

// Update runs a transaction.
func (s *Store) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) (err error) {
	s.observe(ctx, "Update", func(ctx context.Context) (int, error) {
		rows, runs := 0, 0
		turn := s.queue.enter()
		defer func() { turn.over(err) }()
		err = s.inner.Update(ctx, urns, func(tx graphstore.Tx) error {
			if runs++; runs > 1 {
				s.retries.Inc()
			}
			turn.come()
			counting := &countingTx{Tx: tx}
			err := fn(counting)
			rows = counting.rows
			return err
		})
		return rows, err
	})
	return err
}

// Entities reads nodes.
func (s *Store) Entities(ctx context.Context, urns []string) (found []graphstore.Entity, err error) {
	s.observe(ctx, "Entities", func(ctx context.Context) (int, error) {
		found, err = s.inner.Entities(ctx, urns)
		return len(found), err
	})
	return found, err
}

// LatestAspects reads latest versions.
func (s *Store) LatestAspects(ctx context.Context, urns, names []string) (found map[string][]graphstore.Aspect, err error) {
	s.observe(ctx, "LatestAspects", func(ctx context.Context) (int, error) {
		found, err = s.inner.LatestAspects(ctx, urns, names)
		return len(found), err
	})
	return found, err
}

// AspectVersion reads one version.
func (s *Store) AspectVersion(ctx context.Context, key graphstore.AspectKey, version int64) (a graphstore.Aspect, ok bool, err error) {
	s.observe(ctx, "AspectVersion", func(ctx context.Context) (int, error) {
		a, ok, err = s.inner.AspectVersion(ctx, key, version)
		return 1, err
	})
	return a, ok, err
}

// AspectVersions reads the history of an aspect.
func (s *Store) AspectVersions(ctx context.Context, key graphstore.AspectKey, page graphstore.Page) (found []graphstore.Aspect, err error) {
	s.observe(ctx, "AspectVersions", func(ctx context.Context) (int, error) {
		found, err = s.inner.AspectVersions(ctx, key, page)
		return len(found), err
	})
	return found, err
}

// ListEntities lists entities of a type.
func (s *Store) ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error) {
	s.observe(ctx, "ListEntities", func(ctx context.Context) (int, error) {
		urns, total, err = s.inner.ListEntities(ctx, entityType, page)
		return len(urns), err
	})
	return urns, total, err
}

// ScanEntities reads all entities, in pages.
func (s *Store) ScanEntities(ctx context.Context, after string, limit int) (urns []string, err error) {
	s.observe(ctx, "ScanEntities", func(ctx context.Context) (int, error) {
		urns, err = s.inner.ScanEntities(ctx, after, limit)
		return len(urns), err
	})
	return urns, err
}

// ScanNodes reads all nodes, in pages.
func (s *Store) ScanNodes(ctx context.Context, after string, limit int) (urns []string, err error) {
	s.observe(ctx, "ScanNodes", func(ctx context.Context) (int, error) {
		urns, err = s.inner.ScanNodes(ctx, after, limit)
		return len(urns), err
	})
	return urns, err
}

// TimeSeriesOfMany reads time series of several entities.
func (s *Store) TimeSeriesOfMany(ctx context.Context, q graphstore.ManyTimeSeries) (found [][]graphstore.TimeSeriesValue, err error) {
	s.observe(ctx, "TimeSeriesOfMany", func(ctx context.Context) (int, error) {
		found, err = s.inner.TimeSeriesOfMany(ctx, q)
		return len(found), err
	})
	return found, err
}

// TimeSeriesOfAll reads values of all entities by time.
func (s *Store) TimeSeriesOfAll(ctx context.Context, q graphstore.SeriesOfAll) (values []graphstore.TimeSeriesValue, next string, err error) {
	s.observe(ctx, "TimeSeriesOfAll", func(ctx context.Context) (int, error) {
		values, next, err = s.inner.TimeSeriesOfAll(ctx, q)
		return len(values), err
	})
	return values, next, err
}

// LatestTimeSeries reads newest values.
func (s *Store) LatestTimeSeries(ctx context.Context, urns, aspects []string) (found map[string][]graphstore.TimeSeriesValue, err error) {
	s.observe(ctx, "LatestTimeSeries", func(ctx context.Context) (int, error) {
		found, err = s.inner.LatestTimeSeries(ctx, urns, aspects)
		return len(found), err
	})
	return found, err
}

// CountAspects counts latest versions.
func (s *Store) CountAspects(ctx context.Context, aspect, urnLike string) (n int64, err error) {
	s.observe(ctx, "CountAspects", func(ctx context.Context) (int, error) {
		n, err = s.inner.CountAspects(ctx, aspect, urnLike)
		return 1, err
	})
	return n, err
}

// Edges reads the edges of entities.
func (s *Store) Edges(ctx context.Context, q graphstore.EdgeQuery) (pages map[string]graphstore.EdgePage, err error) {
	s.observe(ctx, "Edges", func(ctx context.Context) (int, error) {
		pages, err = s.inner.Edges(ctx, q)
		return len(pages), err
	})
	return pages, err
}

// Walk follows edges.
func (s *Store) Walk(ctx context.Context, q graphstore.WalkQuery) (walk graphstore.Walk, err error) {
	s.observe(ctx, "Walk", func(ctx context.Context) (int, error) {
		walk, err = s.inner.Walk(ctx, q)
		return len(walk.Visits), err
	})
	return walk, err
}

// Feeders finds the near ends of hops.
func (s *Store) Feeders(ctx context.Context, q graphstore.FeederQuery) (found map[string][]string, err error) {
	s.observe(ctx, "Feeders", func(ctx context.Context) (int, error) {
		found, err = s.inner.Feeders(ctx, q)
		return len(found), err
	})
	return found, err
}

// RemovedAmong finds the entities that are soft-deleted.
func (s *Store) RemovedAmong(ctx context.Context, urns []string) (found map[string]bool, err error) {
	s.observe(ctx, "RemovedAmong", func(ctx context.Context) (int, error) {
		found, err = s.inner.RemovedAmong(ctx, urns)
		return len(found), err
	})
	return found, err
}

// FarEnds finds the entities to which relationships lead.
func (s *Store) FarEnds(ctx context.Context, q graphstore.EndQuery) (found map[string][]string, err error) {
	s.observe(ctx, "FarEnds", func(ctx context.Context) (int, error) {
		found, err = s.inner.FarEnds(ctx, q)
		return len(found), err
	})
	return found, err
}

// EdgesBetween reads the edges of pairs.
func (s *Store) EdgesBetween(ctx context.Context, q graphstore.PairQuery) (found map[graphstore.Pair][]graphstore.Edge, err error) {
	s.observe(ctx, "EdgesBetween", func(ctx context.Context) (int, error) {
		found, err = s.inner.EdgesBetween(ctx, q)
		return len(found), err
	})
	return found, err
}

// EdgesToParts finds the entities that state edges to parts of entities.
func (s *Store) EdgesToParts(ctx context.Context, q graphstore.PartQuery) (found graphstore.PartEdges, err error) {
	s.observe(ctx, "EdgesToParts", func(ctx context.Context) (int, error) {
		found, err = s.inner.EdgesToParts(ctx, q)
		return len(found.Edges), err
	})
	return found, err
}

// WithPrefix finds nodes by the beginning of their URN.
func (s *Store) WithPrefix(ctx context.Context, prefix string, limit int) (urns []string, err error) {
	s.observe(ctx, "WithPrefix", func(ctx context.Context) (int, error) {
		urns, err = s.inner.WithPrefix(ctx, prefix, limit)
		return len(urns), err
	})
	return urns, err
}

// TimeSeries reads values by time.
func (s *Store) TimeSeries(ctx context.Context, q graphstore.TimeSeriesQuery) (values []graphstore.TimeSeriesValue, err error) {
	s.observe(ctx, "TimeSeries", func(ctx context.Context) (int, error) {
		values, err = s.inner.TimeSeries(ctx, q)
		return len(values), err
	})
	return values, err
}

// Runs lists runs.
func (s *Store) Runs(ctx context.Context, q graphstore.RunsQuery) (runs []graphstore.Run, total int64, err error) {
	s.observe(ctx, "Runs", func(ctx context.Context) (int, error) {
		runs, total, err = s.inner.Runs(ctx, q)
		return len(runs), err
	})
	return runs, total, err
}

// Rows reads latest versions without their values.
func (s *Store) Rows(ctx context.Context, q graphstore.RowQuery) (rows []graphstore.Row, next string, err error) {
	s.observe(ctx, "Rows", func(ctx context.Context) (int, error) {
		rows, next, err = s.inner.Rows(ctx, q)
		return len(rows), err
	})
	return rows, next, err
}

// RowsOf reads the latest versions of entities without their values.
func (s *Store) RowsOf(ctx context.Context, urns []string) (rows []graphstore.Row, err error) {
	s.observe(ctx, "RowsOf", func(ctx context.Context) (int, error) {
		rows, err = s.inner.RowsOf(ctx, urns)
		return len(rows), err
	})
	return rows, err
}

// RunTimeSeries finds the time series to which a run wrote.
func (s *Store) RunTimeSeries(ctx context.Context, runID, after string, limit int) (rows []graphstore.TimeSeriesRow, next string, err error) {
	s.observe(ctx, "RunTimeSeries", func(ctx context.Context) (int, error) {
		rows, next, err = s.inner.RunTimeSeries(ctx, runID, after, limit)
		return len(rows), err
	})
	return rows, next, err
}

// VersionsBefore reads the newest versions of other origins.
func (s *Store) VersionsBefore(ctx context.Context, keys []graphstore.AspectKey, origin graphstore.Origin) (found []*graphstore.Aspect, err error) {
	s.observe(ctx, "VersionsBefore", func(ctx context.Context) (int, error) {
		found, err = s.inner.VersionsBefore(ctx, keys, origin)
		return len(found), err
	})
	return found, err
}

// Holdings counts the versions and values of entities.
func (s *Store) Holdings(ctx context.Context, urns []string) (found map[string]graphstore.Holdings, err error) {
	s.observe(ctx, "Holdings", func(ctx context.Context) (int, error) {
		found, err = s.inner.Holdings(ctx, urns)
		return len(found), err
	})
	return found, err
}

// History reads all that is stored of entities, except time series.
func (s *Store) History(ctx context.Context, urns []string) (found map[string]graphstore.History, err error) {
	s.observe(ctx, "History", func(ctx context.Context) (int, error) {
		found, err = s.inner.History(ctx, urns)
		return len(found), err
	})
	return found, err
}

// HistoryBytes adds up the sizes of versions.
func (s *Store) HistoryBytes(ctx context.Context, urns []string) (found map[string]int64, err error) {
	s.observe(ctx, "HistoryBytes", func(ctx context.Context) (int, error) {
		found, err = s.inner.HistoryBytes(ctx, urns)
		return len(found), err
	})
	return found, err
}

// CountTimeSeries counts values.
func (s *Store) CountTimeSeries(ctx context.Context, r graphstore.TimeSeriesRange) (n int64, err error) {
	s.observe(ctx, "CountTimeSeries", func(ctx context.Context) (int, error) {
		n, err = s.inner.CountTimeSeries(ctx, r)
		return 1, err
	})
	return n, err
}

// Changes reads the change log.
func (s *Store) Changes(ctx context.Context, after string, limit int) (changes []graphstore.Change, next string, err error) {
	s.observe(ctx, "Changes", func(ctx context.Context) (int, error) {
		changes, next, err = s.inner.Changes(ctx, after, limit)
		return len(changes), err
	})
	return changes, next, err
}

// ChangesWithoutValues reads the change log without values.
func (s *Store) ChangesWithoutValues(ctx context.Context, after string, limit int) (changes []graphstore.Change, next string, err error) {
	s.observe(ctx, "ChangesWithoutValues", func(ctx context.Context) (int, error) {
		changes, next, err = s.inner.ChangesWithoutValues(ctx, after, limit)
		return len(changes), err
	})
	return changes, next, err
}

// NewestChanges reads the change log from its end.
func (s *Store) NewestChanges(ctx context.Context, part graphstore.LogPart, limit int) (changes []graphstore.Change, rest string, err error) {
	s.observe(ctx, "NewestChanges", func(ctx context.Context) (int, error) {
		changes, rest, err = s.inner.NewestChanges(ctx, part, limit)
		return len(changes), err
	})
	return changes, rest, err
}

// EndCursor, NewestTime, Lag, Covers, Missing, LoadCursor, SaveCursor, Followers, DropCursor,
// Ping and Close are not observed.

// EndCursor returns the end of the change log.
func (s *Store) EndCursor(ctx context.Context) (string, error) { return s.inner.EndCursor(ctx) }

// NewestTime returns the time of the newest change.
func (s *Store) NewestTime(ctx context.Context) (int64, error) { return s.inner.NewestTime(ctx) }

// Lag counts changes after a cursor.
func (s *Store) Lag(ctx context.Context, after string) (int64, error) {
	return s.inner.Lag(ctx, after)
}

// Covers compares positions.
func (s *Store) Covers(at, target string) (bool, error) { return s.inner.Covers(at, target) }

// Missing counts the changes between positions.
func (s *Store) Missing(at, target string) (int64, error) { return s.inner.Missing(at, target) }

// LoadCursor reads a follower's position.
func (s *Store) LoadCursor(ctx context.Context, follower string) (string, error) {
	return s.inner.LoadCursor(ctx, follower)
}

// SaveCursor writes a follower's position.
func (s *Store) SaveCursor(ctx context.Context, follower, cursor string) error {
	return s.inner.SaveCursor(ctx, follower, cursor)
}

// Followers lists followers.
func (s *Store) Followers(ctx context.Context, prefix string) ([]graphstore.Follower, error) {
	return s.inner.Followers(ctx, prefix)
}

// DropCursor deletes a follower.
func (s *Store) DropCursor(ctx context.Context, follower string) error {
	return s.inner.DropCursor(ctx, follower)
}

// Ping checks the store.
func (s *Store) Ping(ctx context.Context) error { return s.inner.Ping(ctx) }

// Close closes the store.
func (s *Store) Close() error { return s.inner.Close() }
