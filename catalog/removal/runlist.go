package removal

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// RunOverview is a run with the counts of its current rows or, if it was rolled back, with the
// counts at that moment.
type RunOverview struct {
	RunID string
	// Started and Ended are when the run wrote the first and the last of these rows, epoch
	// milliseconds, 0 if that is not known.
	Started, Ended int64
	// Rows counts latest versions, TimeSeriesRows values, and Entities the entities that have any
	// of them. Entities is negative if it was not counted. Removed counts the rows of entities that
	// others soft-deleted.
	Rows, Removed, TimeSeriesRows, Entities int64
	// Actor wrote one of the versions, in a run of Pipeline. Both may be empty.
	Actor, Pipeline string
	// RolledBack: the run was rolled back and has written nothing since. Rows that are still
	// current then belong to soft-deleted entities, or are keys of entities that cannot be
	// soft-deleted. RolledBackAt and RolledBackBy tell of the last rollback, also if the run has
	// written again.
	RolledBack   bool
	RolledBackAt int64
	RolledBackBy string
}

// countedRows bounds the rows and values of the runs of a page whose entities are counted.
const countedRows = 200_000

// bookkeeping are the runs that nobody started: the run of writes that name no run, and the run of the
// entities that every catalog has.
var bookkeeping = []string{catalog.NoRunID, catalog.PlatformsRun}

// RunsRequest asks for a list of runs.
type RunsRequest struct {
	Start, Count int
	// Pipeline selects the runs of a pipeline, unless it is empty.
	Pipeline string
	// Bookkeeping: the runs that nobody started are listed too.
	Bookkeeping bool
	// WithoutRemoved: a run is not listed if it was not rolled back and all of its entities were soft-deleted
	// by others.
	WithoutRemoved bool
}

// ListRuns lists the runs that wrote to the catalog, the newest first, including rolled-back ones, and
// returns their number. It knows the newest limits.MaxRollbackRecords rollbacks; earlier releases recorded
// none. The runs of a pipeline are sought among the newest MaxRunPage runs.
func (s *Service) ListRuns(ctx context.Context, q RunsRequest) ([]RunOverview, int64, error) {
	if q.Start < 0 || q.Count < 0 || q.Count > limits.MaxRunCount || q.Start+q.Count > MaxRunPage {
		return nil, 0, catalog.Errorf(catalog.Invalid, "a page of runs has at most %d of them and is among the newest %d", limits.MaxRunCount, MaxRunPage)
	}
	all, stored, total, err := s.allRuns(ctx, &q)
	if err != nil {
		return nil, 0, err
	}
	if q.Pipeline != "" {
		if all, err = s.ofPipeline(ctx, all, stored, q.Pipeline); err != nil {
			return nil, 0, err
		}
		total = int64(len(all))
	}
	page := all[min(q.Start, len(all)):]
	page = page[:min(q.Count, len(page))]
	return page, total, s.fillOverviews(ctx, page, stored)
}

// allRuns returns the runs from the newest to the last of a page, with the counts that the store has, and the
// number of all runs. For a pipeline, it returns all runs that may belong to it.
func (s *Service) allRuns(ctx context.Context, q *RunsRequest) (all []RunOverview, stored []graphstore.Run, total int64, err error) {
	records, err := s.rollbacks(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	through := q.Start + q.Count
	if q.Pipeline != "" {
		through = MaxRunPage
	}
	var others []string
	if !q.Bookkeeping {
		others = slices.Clone(bookkeeping)
	}
	// The store does not know the place of a rolled-back run in the list. So all of these are
	// merged into the others.
	others = slices.AppendSeq(others, maps.Keys(records))
	current, total, err := s.storedRuns(ctx, graphstore.RunsQuery{Except: others, IncludeRemoved: !q.WithoutRemoved, Page: graphstore.Page{Count: through}})
	if err != nil {
		return nil, nil, 0, err
	}
	recorded, err := s.recordedRuns(ctx, records)
	if err != nil {
		return nil, nil, 0, err
	}
	all = make([]RunOverview, 0, len(current)+len(records))
	for i := range current {
		all = append(all, overviewOf(&current[i], nil))
	}
	for i := range recorded {
		run := overviewOf(&recorded[i], records[recorded[i].ID])
		delete(records, run.RunID)
		if !q.WithoutRemoved || run.RolledBack || run.Rows > run.Removed || run.TimeSeriesRows > 0 {
			all = append(all, run)
		}
	}
	for _, record := range records { // the recorded runs that have no current rows
		all = append(all, record.RunOverview)
	}
	total += int64(len(all) - len(current))
	slices.SortFunc(all, func(a, b RunOverview) int {
		return cmp.Or(cmp.Compare(b.Ended, a.Ended), cmp.Compare(a.RunID, b.RunID))
	})
	return all, append(current, recorded...), total, nil
}

// ofPipeline returns the runs that belong to a pipeline.
func (s *Service) ofPipeline(ctx context.Context, runs []RunOverview, stored []graphstore.Run, pipeline string) ([]RunOverview, error) {
	for low := 0; low < len(runs); low += limits.MaxRunCount {
		if err := s.fillWriters(ctx, runs[low:min(low+limits.MaxRunCount, len(runs))], stored); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(runs, func(r RunOverview) bool { return r.Pipeline != pipeline }), nil
}

// Summary converts a run to the form of Service.Runs. Without includeSoft, the rows of entities
// that others soft-deleted do not count.
func (r *RunOverview) Summary(includeSoft bool) RunSummary {
	summary := RunSummary{
		RunID: r.RunID, Rows: r.Rows, Timestamp: r.Ended, TimeSeriesRows: r.TimeSeriesRows,
		Pipeline: r.Pipeline, RolledBack: r.RolledBack, RolledBackAt: r.RolledBackAt, RolledBackBy: r.RolledBackBy,
	}
	if !includeSoft {
		summary.Rows -= r.Removed
	}
	return summary
}

// recordedRun is a run with the content of its newest record.
type recordedRun struct {
	RunOverview
	// finished: the rollback came to its end.
	finished bool
}

// rollbacks returns, for each run that was rolled back, its newest record. Older records are of
// rows that the run has written again, or of failed attempts.
func (s *Service) rollbacks(ctx context.Context) (map[string]*recordedRun, error) {
	records, err := s.writer.RollbackRecords(ctx)
	if err != nil {
		return nil, err
	}
	runs := map[string]*recordedRun{}
	for i := range records { // the newest first
		r := &records[i]
		if runs[r.RunID] == nil && !slices.Contains(bookkeeping, r.RunID) {
			runs[r.RunID] = &recordedRun{finished: r.Finished, RunOverview: RunOverview{
				RunID: r.RunID, Started: r.First, Ended: r.Latest, Rows: r.Rows, TimeSeriesRows: r.TimeSeriesRows, Entities: r.Entities,
				Actor: r.Actor, Pipeline: r.Pipeline, RolledBack: r.Rows+r.TimeSeriesRows > 0, RolledBackAt: r.At, RolledBackBy: r.By,
			}}
		}
	}
	return runs, nil
}

// recordedRuns returns the rolled-back runs of which the store still has something.
func (s *Service) recordedRuns(ctx context.Context, records map[string]*recordedRun) ([]graphstore.Run, error) {
	if len(records) == 0 {
		return nil, nil
	}
	query := graphstore.RunsQuery{IDs: slices.Collect(maps.Keys(records)), IncludeRemoved: true, Page: graphstore.Page{Count: len(records)}}
	runs, _, err := s.storedRuns(ctx, query)
	return runs, err
}

// overviewOf describes a run of which the store has something. record is nil if the run was not
// rolled back. The stored rows of a rolled-back run are older than the rollback; they belong to
// soft-deleted entities unless the rollback was interrupted. A record without rows is of a rollback
// that was interrupted before its first row.
func overviewOf(r *graphstore.Run, record *recordedRun) RunOverview {
	if record != nil && record.RolledBack && (record.finished || r.Rows == r.Removed) && r.TimeSeries == 0 && r.Latest <= record.RolledBackAt {
		return record.RunOverview
	}
	run := RunOverview{RunID: r.ID, Started: r.First, Ended: r.Latest, Rows: r.Rows, Removed: r.Removed, TimeSeriesRows: r.TimeSeries, Entities: -1}
	if record != nil {
		run.RolledBackAt, run.RolledBackBy = record.RolledBackAt, record.RolledBackBy
	}
	return run
}

// fillOverviews adds the writers of the runs of a page, and counts the entities of the runs if they
// are not too many.
func (s *Service) fillOverviews(ctx context.Context, page []RunOverview, stored []graphstore.Run) error {
	if err := s.fillWriters(ctx, page, stored); err != nil {
		return err
	}
	var ids []string
	rows := int64(0)
	for i := range page {
		if page[i].Entities < 0 {
			ids, rows = append(ids, page[i].RunID), rows+page[i].Rows+page[i].TimeSeriesRows
		}
	}
	if len(ids) == 0 || rows > countedRows {
		return nil
	}
	runs, _, err := s.storedRuns(ctx, graphstore.RunsQuery{IDs: ids, IncludeRemoved: true, Page: graphstore.Page{Count: len(ids)}})
	if err != nil {
		return err
	}
	counted := map[string]int64{}
	for i := range runs {
		counted[runs[i].ID] = runs[i].Entities
	}
	for i := range page {
		if n, ok := counted[page[i].RunID]; ok && page[i].Entities < 0 {
			page[i].Entities = n
		}
	}
	return nil
}

// fillWriters adds the actors and pipelines of runs that have current rows.
func (s *Service) fillWriters(ctx context.Context, page []RunOverview, stored []graphstore.Run) error {
	examples := make(map[string]graphstore.AspectKey, len(stored))
	for i := range stored {
		examples[stored[i].ID] = stored[i].Example
	}
	var urns, names []string
	for i := range page {
		if e := examples[page[i].RunID]; e.URN != "" && page[i].Entities < 0 {
			urns, names = append(urns, e.URN), append(names, e.Name)
		}
	}
	if len(urns) == 0 {
		return nil
	}
	slices.Sort(urns)
	slices.Sort(names)
	written, err := s.store.LatestAspects(ctx, slices.Compact(urns), slices.Compact(names))
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for i := range page {
		run := &page[i]
		example := examples[run.RunID]
		if run.Entities >= 0 {
			continue
		}
		for _, a := range written[example.URN] {
			if a.Name == example.Name {
				run.Actor, run.Pipeline = a.CreatedBy, a.System.PipelineName
			}
		}
	}
	return nil
}

// RunNamed returns a run, or nil if the catalog does not know it, and the number of its effects: latest
// versions, and time series with values.
func (s *Service) RunNamed(ctx context.Context, runID string) (run *RunOverview, effects int64, err error) {
	records, err := s.rollbacks(ctx)
	if err != nil {
		return nil, 0, err
	}
	runs, _, err := s.storedRuns(ctx, graphstore.RunsQuery{IDs: []string{runID}, IncludeRemoved: true, Page: graphstore.Page{Count: 1}})
	if err != nil {
		return nil, 0, err
	}
	record := records[runID]
	if len(runs) == 0 {
		if record == nil {
			return nil, 0, nil
		}
		return &record.RunOverview, 0, nil
	}
	overview := overviewOf(&runs[0], record)
	if overview.Entities < 0 {
		overview.Entities = runs[0].Entities
		overview.Actor, overview.Pipeline, err = s.writerOf(ctx, runs[0].Example)
	}
	return &overview, runs[0].Rows + runs[0].Series, err
}
