package visible

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// Rows reads latest versions without their values. A page of which nothing is visible is not the last
// one: reading goes on.
func (s *Store) Rows(ctx context.Context, q graphstore.RowQuery) ([]graphstore.Row, string, error) {
	view, err := s.someHidden(ctx)
	if err != nil {
		return nil, "", err
	}
	for {
		rows, next, err := s.Store.Rows(ctx, q)
		if err != nil || view == nil {
			return rows, next, err
		}
		if rows, err = view.rows(ctx, rows); err != nil || len(rows) > 0 || next == "" {
			return rows, next, err
		}
		q.After = next
	}
}

func (s *sight) rows(ctx context.Context, rows []graphstore.Row) ([]graphstore.Row, error) {
	var n named
	for i := range rows {
		n.add(rows[i].URN)
	}
	visible, err := s.of(ctx, n.urns)
	return slices.DeleteFunc(rows, func(r graphstore.Row) bool { return !visible[r.URN] }), err
}

// RowsOf reads the latest versions of entities without their values.
func (s *Store) RowsOf(ctx context.Context, urns []string) ([]graphstore.Row, error) {
	if view := of(ctx); view != nil {
		var err error
		if urns, err = view.asked(ctx, urns); err != nil {
			return nil, err
		}
	}
	return s.Store.RowsOf(ctx, urns)
}

// RunTimeSeries finds the time series to which a run wrote.
func (s *Store) RunTimeSeries(ctx context.Context, runID, after string, limit int) ([]graphstore.TimeSeriesRow, string, error) {
	view, err := s.someHidden(ctx)
	if err != nil {
		return nil, "", err
	}
	for {
		rows, next, err := s.Store.RunTimeSeries(ctx, runID, after, limit)
		if err != nil || view == nil {
			return rows, next, err
		}
		var n named
		for i := range rows {
			n.add(rows[i].URN)
		}
		visible, err := view.of(ctx, n.urns)
		if err != nil {
			return nil, "", err
		}
		rows = slices.DeleteFunc(rows, func(r graphstore.TimeSeriesRow) bool { return !visible[r.URN] })
		if len(rows) > 0 || next == "" {
			return rows, next, nil
		}
		after = next
	}
}

// VersionsBefore reads the newest versions of other origins.
func (s *Store) VersionsBefore(ctx context.Context, keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error) {
	found, err := s.Store.VersionsBefore(ctx, keys, origin)
	view := of(ctx)
	if view == nil || err != nil {
		return found, err
	}
	lists := make([][]graphstore.Aspect, len(found))
	urns := make([]string, len(found))
	for i, a := range found {
		urns[i] = keys[i].URN
		if a != nil {
			lists[i] = []graphstore.Aspect{*a}
		}
	}
	visible, err := view.of(ctx, urns)
	if err != nil {
		return nil, err
	}
	if lists, err = view.aspects(ctx, lists...); err != nil {
		return nil, err
	}
	clean := make([]*graphstore.Aspect, len(found))
	for i := range lists {
		if visible[urns[i]] && len(lists[i]) > 0 {
			clean[i] = &lists[i][0]
		}
	}
	return clean, nil
}

// Runs lists runs with the visible part of each. Runs without a visible part are absent.
func (s *Store) Runs(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	view, err := s.someHidden(ctx)
	if err != nil {
		return nil, 0, err
	}
	if view == nil {
		return s.Store.Runs(ctx, q)
	}
	page, looked := q.Page, 0
	all := []graphstore.Run{}
	for q.Page = (graphstore.Page{Count: rowsAtOnce}); ; q.Start += rowsAtOnce {
		runs, total, err := s.Store.Runs(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for i := range runs {
			visible, err := s.visibleRun(ctx, &q, &runs[i], &looked)
			if err != nil {
				return nil, 0, err
			}
			if visible {
				all = append(all, runs[i])
			}
		}
		if int64(q.Start+rowsAtOnce) >= total {
			break
		}
	}
	slices.SortStableFunc(all, compareRuns)
	from := min(max(page.Start, 0), len(all))
	return all[from:min(from+max(page.Count, 0), len(all))], int64(len(all)), nil
}

// visibleRun counts in a run only the visible writes, and reports whether there are any. A run that is
// visible as a whole stays unchanged.
func (s *Store) visibleRun(ctx context.Context, q *graphstore.RunsQuery, run *graphstore.Run, looked *int) (bool, error) {
	left := graphstore.Run{ID: run.ID}
	entities := map[string]bool{}
	moment := func(at int64) {
		if left.First == 0 || at < left.First {
			left.First = at
		}
		left.Latest = max(left.Latest, at)
	}
	for after := ""; ; {
		rows, next, err := s.Rows(ctx, graphstore.RowQuery{Origin: graphstore.Origin{RunID: run.ID}, After: after, Limit: rowsAtOnce})
		if err != nil {
			return false, err
		}
		marked := map[string]bool{}
		for i := range rows {
			marked[rows[i].URN] = marked[rows[i].URN] || rows[i].Aspect == q.Mark
		}
		for i := range rows {
			r := &rows[i]
			if left.Rows++; left.Rows == 1 {
				left.Example = graphstore.AspectKey{URN: r.URN, Name: r.Aspect}
			}
			if r.Removed && !marked[r.URN] {
				left.Removed++
			}
			entities[r.URN] = true
			moment(r.CreatedOn)
		}
		if *looked += len(rows); *looked > limits.VisibleRows {
			return false, tooMany("rows")
		}
		if after = next; next == "" {
			break
		}
	}
	for after := ""; ; {
		rows, next, err := s.RunTimeSeries(ctx, run.ID, after, rowsAtOnce)
		if err != nil {
			return false, err
		}
		for i := range rows {
			left.TimeSeries += rows[i].Values
			left.Series++
			entities[rows[i].URN] = true
			moment(rows[i].Latest)
		}
		if *looked += len(rows); *looked > limits.VisibleRows {
			return false, tooMany("rows")
		}
		if after = next; next == "" {
			break
		}
	}
	if left.Entities = int64(len(entities)); len(q.IDs) == 0 {
		left.Entities, left.Series = 0, 0
	}
	switch {
	case left.Rows == run.Rows && left.TimeSeries == run.TimeSeries:
		return true, nil
	case left.Rows+left.TimeSeries == 0, !q.IncludeRemoved && left.TimeSeries == 0 && left.Removed == left.Rows:
		return false, nil
	}
	*run = left
	return true, nil
}

// compareRuns orders the newest runs first, then by name.
func compareRuns(a, b graphstore.Run) int {
	return cmp.Or(cmp.Compare(b.Latest, a.Latest), cmp.Compare(a.ID, b.ID))
}
