package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog/removal"
)

// Runs are a page of runs.
func (s *Session) Runs(ctx context.Context, start, count int) (*RunList, error) {
	found, total, err := s.Catalog.Removal.ListRuns(ctx, removal.RunsRequest{Start: start, Count: count, WithoutRemoved: true})
	if err != nil {
		return nil, err
	}
	refs, list := s.NewRefs(), &RunList{Start: start, Count: len(found), Total: int(total), Runs: make([]*RunSummary, len(found))}
	for i := range found {
		list.Runs[i] = overviewOf(&found[i], refs)
	}
	return list, refs.Read(ctx)
}

// overviewOf describes a run as the other lists of runs do, without the rows of entities that
// others soft-deleted. If there are such rows, it is not known to how many entities the
// remaining rows belong.
func overviewOf(r *removal.RunOverview, refs *Refs) *RunSummary {
	summary := &RunSummary{
		RunID: r.RunID, Started: moment(r.Started), Ended: moment(r.Ended), Rows: r.Summary(false).Rows, TimeSeriesRows: r.TimeSeriesRows,
		Actor: refs.Of(r.Actor), Pipeline: given(r.Pipeline), RolledBack: r.RolledBack,
		RolledBackAt: moment(r.RolledBackAt), RolledBackBy: refs.Of(r.RolledBackBy),
	}
	if r.Entities >= 0 && r.Removed == 0 {
		summary.Entities = new(int(r.Entities))
	}
	return summary
}

// Run returns the metadata that a run wrote, nil for an unknown run.
func (s *Session) Run(ctx context.Context, q removal.RunQuery) (*Run, error) {
	found, err := s.Catalog.Removal.Run(ctx, q)
	if found == nil || err != nil {
		return nil, err
	}
	bytes := 0
	for i := range found.Effects {
		bytes += len(found.Effects[i].Before) + len(found.Effects[i].Aspect)
	}
	if err := s.take(bytes / bytesOfField); err != nil {
		return nil, err
	}
	refs := s.NewRefs()
	run := &Run{Summary: overviewOf(&found.RunOverview, refs), Start: q.Start, Count: len(found.Effects), Total: int(found.Total), Effects: make([]*RunEffect, len(found.Effects))}
	for i := range found.Effects {
		e := &found.Effects[i]
		run.Effects[i] = effectOf(&e.RunRow, refs)
		run.Effects[i].Before, run.Effects[i].After = jsonText(e.Before), jsonText(e.Aspect)
	}
	return run, refs.Read(ctx)
}

func effectOf(r *removal.RunRow, refs *Refs) *RunEffect {
	return &RunEffect{Entity: refs.Of(r.URN), Aspect: r.AspectName, Time: r.Timestamp, Created: r.Created, TimeSeriesRows: r.TimeSeriesRows}
}

// shownUnsafe is the number of shown entities among those to which other runs or actors also wrote.
const shownUnsafe = 100

// Rollback converts the effects that a rollback had, or would have, to the form of the schema.
func (s *Session) Rollback(ctx context.Context, r *removal.RollbackRequest, done *removal.Rollback) (*RollbackEffects, error) {
	refs := s.NewRefs()
	effects := &RollbackEffects{
		RunID: r.RunID, Hard: r.Hard, EntitiesAffected: done.EntitiesAffected, AspectsReverted: done.AspectsReverted, AspectsAffected: done.AspectsAffected,
		EntitiesDeleted: done.EntitiesDeleted, TimeSeriesRows: done.TimeSeriesRows, UnsafeEntities: done.UnsafeEntitiesCount,
		Rows: make([]*RunEffect, len(done.Rows)), Unsafe: []*EntityRef{}, Next: given(done.Next),
	}
	for i := range done.Rows {
		effects.Rows[i] = effectOf(&done.Rows[i], refs)
	}
	for _, e := range done.UnsafeEntities[:min(len(done.UnsafeEntities), shownUnsafe)] {
		effects.Unsafe = append(effects.Unsafe, refs.Of(e.URN))
	}
	return effects, refs.Read(ctx)
}
