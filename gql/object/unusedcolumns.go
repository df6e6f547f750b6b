package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog/unused"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
)

// UnusedColumns returns a page of columns that nobody reads.
func (s *Session) UnusedColumns(ctx context.Context, input UnusedColumnsInput) (*UnusedColumns, error) {
	datasets, err := s.URNs(input.Datasets)
	if err != nil {
		return nil, err
	}
	platforms, err := s.URNs(input.Platforms)
	if err != nil {
		return nil, err
	}
	found, err := s.Catalog.Unused.Columns(ctx, unused.Request{
		Datasets: datasets, Platforms: platforms, Query: optional.Or(input.Query, ""), Days: optional.Or(input.Days, limits.DefaultUnusedDays),
		All: optional.Or(input.All, false), Start: optional.Or(input.Start, 0), Count: optional.Or(input.Count, limits.DefaultUnusedColumns),
	})
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	items := len(found.Columns)
	for i := range found.Columns {
		items += len(found.Columns[i].Readers) + len(found.Columns[i].Doubts)
	}
	if err := s.take(items); err != nil {
		return nil, err
	}
	refs := s.NewRefs()
	page := &UnusedColumns{
		Since: found.Since, Columns: make([]*UnusedColumn, len(found.Columns)), Datasets: found.Datasets, Judged: found.Judged, Partial: given(found.Partial),
	}
	if found.Next != 0 {
		page.Next = &found.Next
	}
	for i := range found.Columns {
		page.Columns[i] = unusedColumn(&found.Columns[i], refs)
	}
	return page, refs.Read(ctx)
}

var unusedVerdicts = map[string]UnusedVerdict{
	unused.VerdictUnused: UnusedVerdictUnused, unused.VerdictNotKnown: UnusedVerdictNotKnown, unused.VerdictRead: UnusedVerdictRead,
}

func unusedColumn(of *unused.Column, refs *Refs) *UnusedColumn {
	c := &UnusedColumn{
		Column: refs.Of(of.URN), Dataset: refs.Of(of.Dataset), Path: of.Path, NativeDataType: given(of.Type), Verdict: unusedVerdicts[of.Verdict],
		Doubts: append([]string{}, of.Doubts...), Readers: make([]*UnusedColumnReader, len(of.Readers)), ReaderCount: of.ReaderCount,
		Basis: &UnusedColumnBasis{UsageDays: of.Basis.UsageDays, UsageQueries: of.Basis.UsageQueries, UsageColumns: of.Basis.UsageColumns, Queries: of.Basis.Queries},
	}
	for i := range of.Readers {
		r := &of.Readers[i]
		c.Readers[i] = &UnusedColumnReader{Entity: refs.Of(r.URN), Why: r.Why, Clauses: append([]string{}, r.Clauses...)}
	}
	return c
}
