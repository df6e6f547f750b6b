package removal

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

// RollbackRequest asks to roll back the writes of an origin.
type RollbackRequest struct {
	Origin
	// Hard deletes the entities that the origin created, with all their aspects. Otherwise these
	// entities are soft-deleted and keep their key.
	Hard bool
	// DryRun counts and changes nothing.
	DryRun bool
	// Limit, if it is greater than 0, ends the work after about that many rows. The same request
	// with After set to Next of the answer continues.
	Limit int
	After string
}

// Rollback rolls back the writes of an origin, entity by entity. If the origin wrote the latest
// version of an aspect, the newest version of another origin becomes the latest, with its own
// stamps. Each aspect is rolled back completely or not at all, also if the rollback fails. The same
// request continues an interrupted rollback.
func (s *Service) Rollback(ctx context.Context, r RollbackRequest, o catalog.WriteOptions) (*Rollback, error) {
	if err := s.writer.RequireWritableUnless(ctx, r.DryRun); err != nil {
		return nil, err
	}
	job, err := s.rollBack(ctx, r, o)
	if job == nil {
		return nil, err
	}
	return job.result, err
}

// rollBack returns the work that was done, nil if it did not begin.
func (s *Service) rollBack(ctx context.Context, r RollbackRequest, o catalog.WriteOptions) (*rollback, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if !r.DryRun {
		if err := permission.Require(ctx, mayRollBack, manageIngestion); err != nil {
			return nil, err
		}
	}
	first := r.After == ""
	if !r.DryRun && first {
		if err := s.setRollbackStatus(ctx, r.RunID, rollingBack, o); err != nil {
			return nil, err
		}
	}
	job := &rollback{
		c: s, RollbackRequest: r, o: o, shown: time.Now(),
		result: &Rollback{Rows: []RunRow{}, UnsafeEntities: []UnsafeEntity{}},
	}
	err := safely.Do(func() error { return job.run(ctx) }) // a panic is recorded too
	job.finished = err == nil
	job.complete(ctx)
	switch {
	case r.DryRun:
	case err != nil && !first && job.done == 0 && catalog.CodeOf(err) == catalog.Invalid: // a made-up After
	case err != nil:
		// The caller or the store may be gone, so the status may not be stored.
		away, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackStatusTimeout)
		defer cancel()
		if failure := s.setRollbackStatus(away, r.RunID, rollbackFailed, o); failure != nil {
			s.logger.WarnContext(ctx, "the status of a failed rollback cannot be stored", "run", r.RunID, "error", failure)
		}
	case job.result.Next == "":
		if err = s.setRollbackStatus(ctx, r.RunID, rolledBack, o); err == nil && s.rolledBack != nil {
			err = s.rolledBack(ctx, r.RunID)
		}
	}
	if err != nil || r.DryRun {
		return job, err
	}
	return job, s.writer.Settle(ctx, o)
}

// OnRolledBack registers a function that is called with the id of each run that was rolled back wholly. It is called
// before the service is used.
func (s *Service) OnRolledBack(after func(ctx context.Context, runID string) error) {
	s.rolledBack = after
}

// RollbackPart rolls back about limits.RollbackPart rows of a run, for a caller who has typed the
// id of the run once more. A part that fails after its first rows answers how many it rolled back,
// and where to continue.
func (s *Service) RollbackPart(ctx context.Context, r RollbackRequest, confirm string, o catalog.WriteOptions) (*Rollback, error) {
	if confirm != r.RunID {
		return nil, catalog.Errorf(catalog.Invalid, "confirm must be the id of the run, %s", r.RunID)
	}
	if err := s.writer.RequireWritableUnless(ctx, false); err != nil {
		return nil, err
	}
	r.Limit = limits.RollbackPart
	job, err := s.rollBack(ctx, r, o)
	switch {
	case job == nil:
		return nil, err
	case err == nil || !job.finished && job.reached == "":
		return job.result, err
	}
	// The answer counts the rows that were rolled back, and has the place to continue: if the cause of the
	// failure lasts, the next part fails with it. If the part is finished, only its status or the wait for
	// the index failed.
	s.logger.WarnContext(ctx, "a part of a rollback failed after it had rolled back something", "run", r.RunID, "error", err)
	if !job.finished {
		job.result.Next = job.reached
	}
	return job.result, nil
}

// RollbackPreview counts the effects that one part of a rollback of a run would have, of about
// limits.RollbackPreview rows. After is the end of the former part. The counts of all parts add up to those
// of the rollback.
func (s *Service) RollbackPreview(ctx context.Context, r RollbackRequest) (*Rollback, error) {
	r.DryRun, r.Limit = true, limits.RollbackPreview
	return s.Rollback(ctx, r, catalog.WriteOptions{})
}

// StartRollback starts a soft rollback of a run and does not wait for its end,
// which is recorded on the run's execution request and in the log.
func (s *Service) StartRollback(of context.Context, runID string, o catalog.WriteOptions) error {
	r := RollbackRequest{Origin: Origin{RunID: runID}}
	if err := r.check(); err != nil {
		return err
	}
	if err := permission.Require(of, mayRollBack, manageIngestion); err != nil {
		return err
	}
	return s.writer.Background("rollback", func(ctx context.Context) {
		ctx = write.OnBehalfOf(ctx, of)
		var result *Rollback
		err := safely.Do(func() (err error) {
			result, err = s.Rollback(ctx, r, o)
			return err
		})
		if err != nil {
			s.logger.ErrorContext(ctx, "the rollback failed", "run", r.RunID, "error", err)
			return
		}
		s.logger.InfoContext(ctx, "rolled back", "run", r.RunID, "aspects", result.AspectsReverted, "entities", result.EntitiesAffected)
	})
}

// manageIngestion is the privilege to roll runs back, and mayRollBack the text of its refusal.
const (
	manageIngestion = "MANAGE_INGESTION"
	mayRollBack     = "roll runs back"
)

func (r *RollbackRequest) check() error {
	switch {
	case r.RunID == catalog.NoRunID:
		return catalog.Errorf(catalog.Invalid, "%s is the run of writes that do not name one; it cannot be rolled back", catalog.NoRunID)
	case r.RunID == "" && r.Registry == RegistryVersion{}:
		return catalog.Errorf(catalog.Invalid, "parameter runId is required")
	case r.Limit < 0:
		return catalog.Errorf(catalog.Invalid, "parameter limit must not be negative")
	}
	return nil
}

// rollback is one request being processed.
type rollback struct {
	RollbackRequest
	c      *Service
	o      catalog.WriteOptions
	result *Rollback
	// done counts rows, shown is when the progress was last logged.
	done  int
	shown time.Time
	// last is the entity that was rolled back last. The next page may begin with more of its rows.
	last string
	// finished: everything that was asked for is rolled back. Otherwise reached is the position up
	// to which the work is done, "" if no page is done.
	finished bool
	reached  string
	// record is the record of this rollback, nil until something is rolled back.
	record *write.RollbackRecord
}

// rollbackRows is the number of rows that are read at once and rolled back in one transaction.
const rollbackRows = 500

// Positions begin with one of these, in the order of the work. Time series are
// counted and deleted first, because they are deleted with their entities.
const (
	inSeries = "series:"
	inRows   = "rows:"
)

func (j *rollback) run(ctx context.Context) error {
	phase, after, ok := strings.Cut(j.After, ":")
	if j.After != "" && (!ok || phase+":" != inSeries && phase+":" != inRows) {
		return catalog.Errorf(catalog.Invalid, "%q is not a position of a rollback", j.After)
	}
	if phase+":" != inRows && j.RunID != "" {
		if err := j.series(ctx, after); err != nil || j.result.Next != "" {
			return err
		}
		after = ""
	}
	if j.DryRun {
		last, rest, ok := strings.Cut(after, " ")
		entity, err := base64.RawURLEncoding.DecodeString(last)
		if after != "" && !ok || err != nil {
			return catalog.Errorf(catalog.Invalid, "%q is not a position of a dry run", j.After)
		}
		j.last, after = string(entity), rest
	}
	return j.versions(ctx, after)
}

// at makes a position among the rows. A dry run leaves the rows of the last entity in place, so the
// next part may begin with them: the position names that entity.
func (j *rollback) at(next string) string {
	if j.DryRun {
		next = base64.RawURLEncoding.EncodeToString([]byte(j.last)) + " " + next
	}
	return inRows + next
}

// versions rolls back latest versions, page by page.
func (j *rollback) versions(ctx context.Context, after string) error {
	for {
		rows, next, err := j.c.store.Rows(ctx, graphstore.RowQuery{Origin: j.Stored(), After: after, Limit: j.room()})
		if err != nil {
			return catalog.StoreFailure(err)
		}
		if rows, err = j.whole(ctx, rows, next == ""); err != nil {
			return err
		}
		if err := j.rollBackPage(ctx, rows); err != nil {
			return err
		}
		if after = next; next == "" {
			return nil
		}
		j.reached = j.at(next)
		if j.full() {
			j.result.Next = j.reached
			return nil
		}
		j.progress(ctx)
	}
}

// whole extends a page of rows to whole entities. An entity must be rolled back in one transaction:
// after a transaction for some of its rows, the others would not be found.
func (j *rollback) whole(ctx context.Context, rows []graphstore.Row, end bool) ([]graphstore.Row, error) {
	rows = slices.DeleteFunc(rows, func(r graphstore.Row) bool { return r.URN == j.last })
	if end || len(rows) == 0 {
		return rows, nil
	}
	urn := rows[len(rows)-1].URN
	all, err := j.c.store.RowsOf(ctx, []string{urn})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	rows = slices.DeleteFunc(rows, func(r graphstore.Row) bool { return r.URN == urn })
	for i := range all {
		if j.Stored().OfRow(&all[i]) {
			rows = append(rows, all[i])
		}
	}
	return rows, nil
}

// room returns how many rows may be read next.
func (j *rollback) room() int {
	if j.Limit > 0 {
		return min(rollbackRows, max(j.Limit-j.done, 1))
	}
	return rollbackRows
}

func (j *rollback) full() bool { return j.Limit > 0 && j.done >= j.Limit }

// rollbackLog is the time between two logs of the progress of a long rollback.
const rollbackLog = 10 * time.Second

func (j *rollback) progress(ctx context.Context) {
	if time.Since(j.shown) < rollbackLog {
		return
	}
	j.shown = time.Now()
	j.c.logger.InfoContext(ctx, "rolling back", "run", j.RunID, "dryRun", j.DryRun, "rows", j.done, "entities", j.result.EntitiesAffected)
}

// rollBackPage rolls back a page of rows in one transaction.
func (j *rollback) rollBackPage(ctx context.Context, rows []graphstore.Row) error {
	j.done += max(len(rows), 1) // so that a limited request ends
	if len(rows) == 0 {
		return nil
	}
	j.last = rows[len(rows)-1].URN
	entities := j.byEntity(rows)
	if len(entities) == 0 {
		return nil
	}
	uncounted := *j.result
	if err := j.count(ctx, entities); err != nil || j.DryRun {
		return err
	}
	if err := j.change(ctx, entities); err != nil {
		*j.result = uncounted
		return err
	}
	return nil
}

// change rolls back the rows of some entities of a page.
func (j *rollback) change(ctx context.Context, entities []write.EntityRows) error {
	first := &entities[0].Rows[0]
	if err := j.begin(ctx, graphstore.AspectKey{URN: first.URN, Name: first.Aspect}, latestOf(entities)); err != nil {
		return err
	}
	others, err := j.c.writer.RollBackEntities(ctx, entities, j.Stored(), j.Hard, j.actor(entities[0].URN))
	if err != nil {
		return err
	}
	j.result.AspectsReverted += others
	for i := range entities {
		j.written(entities[i].Rows...)
	}
	return nil
}

// latestOf is when the newest of some rows was written.
func latestOf(entities []write.EntityRows) int64 {
	latest := int64(0)
	for i := range entities {
		for k := range entities[i].Rows {
			latest = max(latest, entities[i].Rows[k].CreatedOn)
		}
	}
	return latest
}

func (j *rollback) actor(urn string) string {
	d, ok := j.c.names.Registry().DialectOf(model.StoredURN(urn))
	if !ok { // the aspect is of a model that is not loaded
		d = j.c.names.Registry().Dialects()[0]
	}
	return j.o.ActorIn(d)
}

// series deletes the time-series values of the run.
func (j *rollback) series(ctx context.Context, after string) error {
	for {
		rows, next, err := j.c.store.RunTimeSeries(ctx, j.RunID, after, j.room())
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for i := range rows {
			if err := j.deleteSeries(ctx, &rows[i]); err != nil {
				return err
			}
		}
		j.done += len(rows)
		if after = next; next == "" {
			j.reached = inRows
			if j.full() {
				j.result.Next = inRows
			}
			return nil
		}
		j.reached = inSeries + next
		if j.full() {
			j.result.Next = inSeries + next
			return nil
		}
		j.progress(ctx)
	}
}

func (j *rollback) deleteSeries(ctx context.Context, row *graphstore.TimeSeriesRow) error {
	if row.Aspect == model.AspectDatahubIngestionCheckpoint {
		if err := j.noteLaterCheckpoint(ctx, row.URN); err != nil {
			return err
		}
	}
	j.result.TimeSeriesRows += row.Values
	if j.DryRun {
		return nil
	}
	if err := j.begin(ctx, graphstore.AspectKey{}, row.Latest); err != nil { // values of time series name no writer
		return err
	}
	err := j.c.writer.DeleteValues(ctx, graphstore.TimeSeriesRange{URN: row.URN, Aspect: row.Aspect, RunID: j.RunID}, j.actor(row.URN))
	if err == nil && j.record != nil {
		j.record.TimeSeriesRows += row.Values
		j.record.Latest = max(j.record.Latest, row.Latest)
	}
	return err
}

// noteLaterCheckpoint adds the run that wrote a recipe's checkpoint after this run to the result,
// if there is one.
func (j *rollback) noteLaterCheckpoint(ctx context.Context, urn string) error {
	latest, err := j.c.store.LatestTimeSeries(ctx, []string{urn}, []string{model.AspectDatahubIngestionCheckpoint})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	if found := latest[urn]; len(found) > 0 && found[0].System.RunID != j.RunID {
		j.result.addLater(found[0].System.RunID)
	}
	return nil
}
