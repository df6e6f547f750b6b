package removal

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// RunEffect is an aspect that a run wrote and that is still current.
type RunEffect struct {
	RunRow
	// Before is the value of the version before the run's, nil if no such version is kept. It is
	// read if values are asked for.
	Before json.RawMessage
}

// RunPage is a page of the effects of a run.
type RunPage struct {
	RunOverview
	// Total counts the effects.
	Total   int64
	Effects []RunEffect
}

// Run returns the effects of a run that are still current, those on soft-deleted entities included.
// If values are asked for, each effect has the values before and after it, and a page ends early
// when they reach limits.MaxRunBytes. Run returns nil for an unknown run.
func (s *Service) Run(ctx context.Context, q RunQuery) (*RunPage, error) {
	if q.Count > limits.MaxRunCount {
		return nil, catalog.Errorf(catalog.Invalid, "a page of what a run wrote has at most %d rows", limits.MaxRunCount)
	}
	values := q.IncludeAspect
	q.IncludeAspect, q.IncludeSoft = false, true
	rows, err := s.DescribeRun(ctx, q)
	if err != nil {
		return nil, err
	}
	run, total, err := s.RunNamed(ctx, q.RunID)
	if run == nil || err != nil {
		return nil, err
	}
	page := &RunPage{RunOverview: *run, Total: total, Effects: make([]RunEffect, len(rows))}
	if err := s.markCreated(ctx, q.RunID, rows); err != nil {
		return nil, err
	}
	for i := range rows {
		page.Effects[i].RunRow = rows[i]
	}
	if values {
		if page.Effects, err = s.withValues(ctx, q.RunID, page.Effects); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// markCreated marks the rows of the entities that a run created.
func (s *Service) markCreated(ctx context.Context, runID string, rows []RunRow) error {
	urns := make([]string, 0, len(rows))
	for i := range rows {
		urns = append(urns, rows[i].URN)
	}
	slices.Sort(urns)
	stored, err := s.store.RowsOf(ctx, slices.Compact(urns))
	if err != nil {
		return catalog.StoreFailure(err)
	}
	created := map[string]bool{}
	for i := range stored {
		if row := s.runRow(&stored[i]); row.KeyAspect && row.RunID == runID {
			created[row.URN] = true
		}
	}
	for i := range rows {
		rows[i].Created = created[rows[i].URN]
	}
	return nil
}

// valuesAtOnce is for how many rows the values are read at a time. Each value may be as large as an
// aspect.
const valuesAtOnce = 10

// withValues reads the values of versions and of their predecessors, until the values are too large
// for a page.
func (s *Service) withValues(ctx context.Context, runID string, effects []RunEffect) ([]RunEffect, error) {
	size := 0
	for low := 0; low < len(effects); low += valuesAtOnce {
		some := effects[low:min(low+valuesAtOnce, len(effects))]
		rows, keys := make([]RunRow, len(some)), make([]graphstore.AspectKey, len(some))
		for i := range some {
			rows[i], keys[i] = some[i].RunRow, graphstore.AspectKey{URN: some[i].URN, Name: some[i].AspectName}
		}
		if err := s.fillRows(ctx, rows); err != nil {
			return nil, err
		}
		before, err := s.store.VersionsBefore(ctx, keys, graphstore.Origin{RunID: runID})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i := range some {
			some[i].Aspect = rows[i].Aspect
			if before[i] != nil {
				some[i].Before = before[i].Value
			}
			if size += len(some[i].Aspect) + len(some[i].Before); size > limits.MaxRunBytes && low+i > 0 {
				return effects[:low+i], nil
			}
		}
	}
	return effects, nil
}
