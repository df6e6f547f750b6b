package removal

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
)

// This file stores the records of rollbacks. Nothing of a run that is rolled back stays current, so
// without a record the store would not tell of the run.

// begin stores the record before the first row of the run is rolled back, so that an interrupted
// rollback has one too. first names the first row, or value, that is rolled back now, and written
// is when it was written. A further part of a rollback continues the record of the first part:
// counting the run again for each part would take long.
func (j *rollback) begin(ctx context.Context, first graphstore.AspectKey, written int64) error {
	if j.record != nil || j.RunID == "" {
		return nil
	}
	record := &write.RollbackRecord{RunID: j.RunID, Hard: j.Hard}
	if j.After != "" {
		former, err := j.former(ctx)
		if err != nil {
			return err
		}
		// A record that is older than the row is of another rollback.
		if former != nil && former.At >= written {
			j.record = former
			return nil
		}
	} else {
		runs, _, err := j.c.storedRuns(ctx, graphstore.RunsQuery{IDs: []string{j.RunID}, IncludeRemoved: true, Page: graphstore.Page{Count: 1}})
		if err != nil {
			return err
		}
		if len(runs) > 0 {
			record.First, record.Latest, record.Entities, first = runs[0].First, runs[0].Latest, runs[0].Entities, runs[0].Example
		}
	}
	var err error
	if record.Actor, record.Pipeline, err = j.c.writerOf(ctx, first); err != nil {
		return err
	}
	if err := j.c.writer.RecordRollback(ctx, record, j.actor("")); err != nil {
		return err
	}
	j.record = record
	return nil
}

// former returns the newest record of the run, or nil if that record is of a rollback of the other
// kind.
func (j *rollback) former(ctx context.Context) (*write.RollbackRecord, error) {
	records, err := j.c.writer.RollbackRecords(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(records, func(r write.RollbackRecord) bool { return r.RunID == j.RunID })
	if i < 0 || records[i].Hard != j.Hard {
		return nil, nil
	}
	return &records[i], nil
}

// written adds rows that were rolled back to the record.
func (j *rollback) written(rows ...graphstore.Row) {
	if j.record == nil {
		return
	}
	j.record.Rows += int64(len(rows))
	for i := range rows {
		at := rows[i].CreatedOn
		j.record.First, j.record.Latest = min(cmp.Or(j.record.First, at), at), max(j.record.Latest, at)
	}
}

// complete stores the counts, also if the rollback failed, its caller is gone, or the catalog
// became read-only meanwhile. If the counts cannot be stored, the rollback does not fail.
func (j *rollback) complete(ctx context.Context) {
	ended := j.finished && j.result.Next == "" && !j.DryRun
	if j.record == nil && (!ended || j.After == "" || j.RunID == "") {
		return
	}
	away, cancel := context.WithTimeout(write.OwnWork(context.WithoutCancel(ctx)), rollbackStatusTimeout)
	defer cancel()
	var err error
	if j.record == nil { // the last part found nothing
		j.record, err = j.former(away)
	}
	if j.record != nil {
		j.record.Finished = ended
		err = j.c.writer.RecordRollback(away, j.record, j.record.By)
	}
	if err != nil {
		j.c.logger.WarnContext(ctx, "what a rollback did cannot be recorded", "run", j.RunID, "error", err)
	}
}

// writerOf returns the actor and the pipeline of a latest version, "" if it is gone.
func (s *Service) writerOf(ctx context.Context, example graphstore.AspectKey) (actor, pipeline string, err error) {
	if example.URN == "" {
		return "", "", nil
	}
	found, err := s.store.LatestAspects(ctx, []string{example.URN}, []string{example.Name})
	if err != nil {
		return "", "", catalog.StoreFailure(err)
	}
	for _, a := range found[example.URN] {
		actor, pipeline = a.CreatedBy, a.System.PipelineName
	}
	return actor, pipeline, nil
}
