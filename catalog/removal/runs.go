package removal

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// MaxRunPage is the largest page of runs, and of the values of a run.
const MaxRunPage = limits.MaxPageCount

// RunSummary counts the current rows of an ingestion run.
type RunSummary struct {
	RunID string `json:"runId"`
	// Rows counts the aspects whose latest version the run wrote.
	Rows int64 `json:"rows"`
	// Timestamp is when the run wrote the last of these rows, epoch milliseconds.
	Timestamp int64 `json:"timestamp"`
	// TimeSeriesRows counts the time-series values that the run wrote.
	TimeSeriesRows int64 `json:"timeseriesRows,omitempty"`
	// The other members are set by [Service.ListRuns] and are as in [RunOverview].
	Pipeline     string `json:"pipeline,omitempty"`
	RolledBack   bool   `json:"rolledBack,omitempty"`
	RolledBackAt int64  `json:"rolledBackAt,omitempty"`
	RolledBackBy string `json:"rolledBackBy,omitempty"`
}

// Runs lists the runs with current rows, the newest first, and returns how many there are. Without
// includeSoft, the rows of entities that others soft-deleted do not count, because a soft rollback
// leaves them unchanged too.
func (s *Service) Runs(ctx context.Context, start, count int, includeSoft bool) ([]RunSummary, int64, error) {
	if err := checkRunPage(start, count); err != nil {
		return nil, 0, err
	}
	runs, total, err := s.storedRuns(ctx, graphstore.RunsQuery{IncludeRemoved: includeSoft, Page: graphstore.Page{Start: start, Count: count}})
	if err != nil {
		return nil, 0, err
	}
	summaries := make([]RunSummary, len(runs))
	for i, r := range runs {
		summaries[i] = RunSummary{RunID: r.ID, Rows: r.Rows, Timestamp: r.Latest, TimeSeriesRows: r.TimeSeries}
		if !includeSoft {
			summaries[i].Rows -= r.Removed
		}
	}
	return summaries, total, nil
}

// storedRuns asks the store for runs.
func (s *Service) storedRuns(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	q.Mark = model.AspectStatus
	runs, total, err := s.store.Runs(ctx, q)
	return runs, total, catalog.StoreFailure(err)
}

func checkRunPage(start, count int) error {
	if start < 0 || start > limits.MaxPageStart || count < 0 || count > MaxRunPage {
		return catalog.Errorf(catalog.Invalid, "a page must begin at 0 to %d and have at most %d rows", limits.MaxPageStart, MaxRunPage)
	}
	return nil
}

// RunRow is an aspect whose latest version, or some of whose time-series values, a run wrote.
type RunRow struct {
	RunID      string `json:"runId"`
	AspectName string `json:"aspectName"`
	URN        string `json:"urn"`
	// Timestamp is when the row was written, epoch milliseconds.
	Timestamp int64 `json:"timestamp"`
	// KeyAspect: the run created the entity.
	KeyAspect bool `json:"keyAspect"`
	// TimeSeriesRows counts the values of a time-series aspect.
	TimeSeriesRows int64 `json:"timeseriesRows,omitempty"`
	// Aspect is the value, if it was asked for.
	Aspect json.RawMessage `json:"aspect,omitempty"`
	// Created: the run created the entity of the row. It is set in the rows of a
	// rollback and of [Service.Run].
	Created bool `json:"-"`
}

// RunQuery asks for the current rows of a run.
type RunQuery struct {
	RunID        string
	Start, Count int
	// IncludeSoft includes entities that others soft-deleted.
	IncludeSoft bool
	// IncludeAspect includes the values.
	IncludeAspect bool
}

// rowsAtOnce is the number of rows that are read at once.
const rowsAtOnce = 1000

// DescribeRun returns the current rows of a run: first versions, entity by entity, then time
// series.
func (s *Service) DescribeRun(ctx context.Context, q RunQuery) ([]RunRow, error) {
	if q.RunID == "" {
		return nil, catalog.Errorf(catalog.Invalid, "parameter runId is required")
	}
	if err := checkRunPage(q.Start, q.Count); err != nil {
		return nil, err
	}
	rows, skip := []RunRow{}, q.Start
	take := func(row RunRow) (enough bool) {
		if skip > 0 {
			skip--
			return false
		}
		if len(rows) < q.Count {
			rows = append(rows, row)
		}
		return len(rows) >= q.Count
	}
	enough, err := s.eachEntity(ctx, graphstore.Origin{RunID: q.RunID}, func(entity []graphstore.Row) (enough bool) {
		if !q.IncludeSoft && removedByOthers(entity) {
			return false
		}
		for i := range entity {
			if take(s.runRow(&entity[i])) {
				return true
			}
		}
		return false
	})
	if err == nil && !enough {
		_, err = s.eachSeries(ctx, q.RunID, func(row *graphstore.TimeSeriesRow) bool {
			return take(RunRow{RunID: q.RunID, AspectName: row.Aspect, URN: row.URN, Timestamp: row.Latest, TimeSeriesRows: row.Values})
		})
	}
	if err == nil && q.IncludeAspect {
		err = s.fillRows(ctx, rows)
	}
	return rows, err
}

// eachRow calls a function with the latest versions of an origin, until the function has enough.
func (s *Service) eachRow(ctx context.Context, origin graphstore.Origin, visit func(*graphstore.Row) (enough bool)) (enough bool, err error) {
	return eachOf(visit, func(after string) ([]graphstore.Row, string, error) {
		return s.store.Rows(ctx, graphstore.RowQuery{Origin: origin, After: after, Limit: rowsAtOnce})
	})
}

// eachEntity calls a function with the latest versions of an origin, one entity at a time, until
// the function has enough.
func (s *Service) eachEntity(ctx context.Context, origin graphstore.Origin, visit func([]graphstore.Row) (enough bool)) (enough bool, err error) {
	var entity []graphstore.Row
	enough, err = s.eachRow(ctx, origin, func(row *graphstore.Row) bool {
		if len(entity) > 0 && entity[0].URN != row.URN {
			if visit(entity) {
				return true
			}
			entity = entity[:0]
		}
		entity = append(entity, *row)
		return false
	})
	if err != nil || enough || len(entity) == 0 {
		return enough, err
	}
	return visit(entity), nil
}

// removedByOthers reports whether an entity is soft-deleted and its rows, which one origin wrote,
// do not have the mark.
func removedByOthers(rows []graphstore.Row) bool {
	mark := func(r graphstore.Row) bool { return r.Aspect == model.AspectStatus }
	return rows[0].Removed && !slices.ContainsFunc(rows, mark)
}

// eachSeries calls a function with the time series of a run, until the function has enough.
func (s *Service) eachSeries(ctx context.Context, runID string, visit func(*graphstore.TimeSeriesRow) (enough bool)) (enough bool, err error) {
	return eachOf(visit, func(after string) ([]graphstore.TimeSeriesRow, string, error) {
		return s.store.RunTimeSeries(ctx, runID, after, rowsAtOnce)
	})
}

// eachOf calls a function with the items of pages, until the function has enough.
func eachOf[T any](visit func(*T) (enough bool), page func(after string) (items []T, next string, err error)) (enough bool, err error) {
	for after := ""; ; {
		items, next, err := page(after)
		if err != nil {
			return false, catalog.StoreFailure(err)
		}
		for i := range items {
			if visit(&items[i]) {
				return true, nil
			}
		}
		if after = next; next == "" {
			return false, nil
		}
	}
}

func (s *Service) runRow(row *graphstore.Row) RunRow {
	aspect, ok := s.names.Registry().Aspect(row.Aspect)
	return RunRow{
		RunID: row.RunID, AspectName: row.Aspect, URN: row.URN, Timestamp: row.CreatedOn, KeyAspect: ok && aspect.IsKey,
	}
}

// fillRows reads the values of versions.
func (s *Service) fillRows(ctx context.Context, rows []RunRow) error {
	for low := 0; low < len(rows); low += rowsAtOnce {
		page := rows[low:min(low+rowsAtOnce, len(rows))]
		urns := make([]string, 0, len(page))
		for i := range page {
			if len(urns) == 0 || urns[len(urns)-1] != page[i].URN {
				urns = append(urns, page[i].URN)
			}
		}
		latest, err := s.store.LatestAspects(ctx, urns, nil)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for i := range page {
			for _, a := range latest[page[i].URN] {
				if a.Name == page[i].AspectName {
					page[i].Aspect = a.Value
				}
			}
		}
	}
	return nil
}
