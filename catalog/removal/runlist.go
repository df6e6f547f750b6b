package removal

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// RunOverview is a run with what is current of it or, if it was rolled back, with what
// was when that happened.
type RunOverview struct {
	RunID string
	// Started and Ended are when it wrote the first and the last of that, epoch
	// milliseconds, 0 if that is not known.
	Started, Ended int64
	// Rows counts latest versions, TimeSeriesRows values, and Entities the entities that
	// have any of these; Entities is negative if they were not counted.
	Rows, TimeSeriesRows, Entities int64
	// Actor wrote one of the versions, in a run of the pipeline; both may be empty.
	Actor, Pipeline string
	// RolledBack: the run was rolled back, and nothing of it is current but what belongs
	// to soft-deleted entities. RolledBackAt and RolledBackBy tell of its last rollback,
	// also if something is current again.
	RolledBack   bool
	RolledBackAt int64
	RolledBackBy string
}

// countedRows is up to how many rows and values the runs of a page may have for their
// entities to be counted.
const countedRows = 200_000

// unlisted are runs of nobody: that of writes without one, and that of what every catalog
// has.
var unlisted = []string{catalog.NoRunID, catalog.PlatformsRun}

// ListRuns lists the runs that wrote to the catalog, rolled-back ones included, the
// newest first, and returns how many there are. What was written without a run, and what
// every catalog has, is not listed. Of the rollbacks, the newest
// limits.MaxRollbackRecords are known, and those of releases before they were recorded
// are not.
func (s *Service) ListRuns(ctx context.Context, start, count int) ([]RunOverview, int64, error) {
	if start < 0 || count < 0 || count > limits.MaxRunCount || start+count > MaxRunPage {
		return nil, 0, catalog.Errorf(catalog.Invalid, "a page of runs has at most %d of them and is among the newest %d", limits.MaxRunCount, MaxRunPage)
	}
	records, err := s.rollbacks(ctx)
	if err != nil {
		return nil, 0, err
	}
	// Those with records have a place in the list that the store does not know: all of
	// them are merged into the others.
	others := slices.AppendSeq(slices.Clone(unlisted), maps.Keys(records))
	current, total, err := s.store.Runs(ctx, graphstore.RunsQuery{Except: others, IncludeRemoved: true, Page: graphstore.Page{Count: start + count}})
	if err != nil {
		return nil, 0, catalog.StoreFailure(err)
	}
	recorded, err := s.recordedRuns(ctx, records)
	if err != nil {
		return nil, 0, err
	}
	all := make([]RunOverview, 0, len(current)+len(records))
	for i := range current {
		all = append(all, overviewOf(&current[i], nil))
	}
	for i := range recorded {
		all = append(all, overviewOf(&recorded[i], records[recorded[i].ID]))
		delete(records, recorded[i].ID)
	}
	total += int64(len(recorded) + len(records))
	for _, record := range records { // of which nothing is current
		all = append(all, *record)
	}
	slices.SortFunc(all, func(a, b RunOverview) int {
		return cmp.Or(cmp.Compare(b.Ended, a.Ended), cmp.Compare(a.RunID, b.RunID))
	})
	page := all[min(start, len(all)):]
	page = page[:min(count, len(page))]
	return page, total, s.fillOverviews(ctx, page, append(current, recorded...))
}

// rollbacks returns what the newest record of each run that was rolled back tells: an
// older one is of rows that the run has written again, or of an attempt that failed.
func (s *Service) rollbacks(ctx context.Context) (map[string]*RunOverview, error) {
	records, err := s.catalog.RollbackRecords(ctx)
	if err != nil {
		return nil, err
	}
	runs := map[string]*RunOverview{}
	for i := range records { // the newest first
		r := &records[i]
		if runs[r.RunID] == nil && !slices.Contains(unlisted, r.RunID) {
			runs[r.RunID] = &RunOverview{
				RunID: r.RunID, Started: r.First, Ended: r.Latest, Rows: r.Rows, TimeSeriesRows: r.TimeSeriesRows, Entities: r.Entities,
				Actor: r.Actor, Pipeline: r.Pipeline, RolledBack: r.Rows+r.TimeSeriesRows > 0, RolledBackAt: r.At, RolledBackBy: r.By,
			}
		}
	}
	return runs, nil
}

// recordedRuns returns those of rolled-back runs of which something is stored.
func (s *Service) recordedRuns(ctx context.Context, records map[string]*RunOverview) ([]graphstore.Run, error) {
	if len(records) == 0 {
		return nil, nil
	}
	query := graphstore.RunsQuery{IDs: slices.Collect(maps.Keys(records)), IncludeRemoved: true, Page: graphstore.Page{Count: len(records)}}
	runs, _, err := s.store.Runs(ctx, query)
	return runs, catalog.StoreFailure(err)
}

// overviewOf describes a run of which something is stored; record is nil if it was not
// rolled back. What is stored of one that was rolled back belongs to soft-deleted
// entities and was there before; a record without rows is of a rollback that was
// interrupted before its first.
func overviewOf(r *graphstore.Run, record *RunOverview) RunOverview {
	if record != nil && record.RolledBack && r.Rows == r.Removed && r.TimeSeries == 0 && r.Latest <= record.RolledBackAt {
		return *record
	}
	run := RunOverview{RunID: r.ID, Started: r.First, Ended: r.Latest, Rows: r.Rows, TimeSeriesRows: r.TimeSeries, Entities: -1}
	if record != nil {
		run.RolledBackAt, run.RolledBackBy = record.RolledBackAt, record.RolledBackBy
	}
	return run
}

// fillOverviews adds who wrote the runs of a page, and counts their entities if there are
// not too many.
func (s *Service) fillOverviews(ctx context.Context, page []RunOverview, current []graphstore.Run) error {
	examples := make(map[string]graphstore.AspectKey, len(current))
	for i := range current {
		examples[current[i].ID] = current[i].Example
	}
	var ids, urns, names []string
	rows := int64(0)
	for i := range page {
		if page[i].Entities >= 0 {
			continue
		}
		ids, rows = append(ids, page[i].RunID), rows+page[i].Rows+page[i].TimeSeriesRows
		if e := examples[page[i].RunID]; e.URN != "" {
			urns, names = append(urns, e.URN), append(names, e.Name)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(urns)
	slices.Sort(names)
	written, err := s.store.LatestAspects(ctx, slices.Compact(urns), slices.Compact(names))
	if err != nil {
		return catalog.StoreFailure(err)
	}
	counted := map[string]int64{}
	if rows <= countedRows {
		runs, _, err := s.store.Runs(ctx, graphstore.RunsQuery{IDs: ids, IncludeRemoved: true, Page: graphstore.Page{Count: len(ids)}})
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for i := range runs {
			counted[runs[i].ID] = runs[i].Entities
		}
	}
	for i := range page {
		run := &page[i]
		if run.Entities >= 0 {
			continue
		}
		if n, ok := counted[run.RunID]; ok {
			run.Entities = n
		}
		for _, a := range written[examples[run.RunID].URN] {
			if a.Name == examples[run.RunID].Name {
				run.Actor, run.Pipeline = a.CreatedBy, a.System.PipelineName
			}
		}
	}
	return nil
}

// RunEffect is an aspect that a run wrote and that is still current.
type RunEffect struct {
	RunRow
	// Before is the version before the run's, nil if there is none that is kept. It is
	// read with the values.
	Before json.RawMessage
}

// RunPage is a part of what a run wrote.
type RunPage struct {
	RunOverview
	// Total counts the effects.
	Total   int64
	Effects []RunEffect
}

// Run returns what a run wrote that is still current, soft-deleted entities included:
// with values before and after if they are asked for, in which case a page ends early
// when they reach limits.MaxRunBytes. It returns nil for a run of which nothing is
// known.
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
	records, err := s.rollbacks(ctx)
	if err != nil {
		return nil, err
	}
	runs, _, err := s.store.Runs(ctx, graphstore.RunsQuery{IDs: []string{q.RunID}, IncludeRemoved: true, Page: graphstore.Page{Count: 1}})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	page := &RunPage{Effects: make([]RunEffect, len(rows))}
	switch record := records[q.RunID]; {
	case len(runs) > 0:
		page.RunOverview, page.Total = overviewOf(&runs[0], record), runs[0].Rows+runs[0].Series
		if page.Entities < 0 {
			page.Entities = runs[0].Entities
			page.Actor, page.Pipeline, err = s.writerOf(ctx, runs[0].Example)
		}
	case record != nil:
		page.RunOverview = *record
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
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

// markCreated marks the rows of entities that a run created.
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

// valuesAtOnce is of how many rows the values are read at a time: each may be as large
// as an aspect.
const valuesAtOnce = 10

// withValues reads the values of versions, and of those before them, until they are too
// large for a page.
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
