package removal

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

// RollbackRequest asks to roll back what an origin wrote.
type RollbackRequest struct {
	catalog.Origin
	// Hard deletes the entities that the origin created, with everything they
	// have. Otherwise they are soft-deleted and keep their key.
	Hard bool
	// DryRun counts and changes nothing.
	DryRun bool
	// Limit, when greater than 0, ends the work after about that many rows. To
	// continue, repeat the request with After set to Next of the answer.
	Limit int
	After string
}

// These bound the lists in the answer of a rollback.
const (
	maxRollbackRows   = 100
	maxUnsafeEntities = 10_000
)

// Rollback is what was rolled back, or would be in a dry run.
type Rollback struct {
	// Rows contains some of the rows.
	Rows []RunRow `json:"aspectRowSummaries"`
	// EntitiesAffected counts the entities that had any of the rows.
	EntitiesAffected int64 `json:"entitiesAffected"`
	// AspectsReverted counts the aspects that were replaced by an older version
	// or removed. In a hard rollback it also counts the other aspects of the
	// entities that were deleted.
	AspectsReverted int64 `json:"aspectsReverted"`
	// AspectsAffected counts the aspects, without keys and status, of deleted
	// entities that others wrote.
	AspectsAffected int64 `json:"aspectsAffected"`
	// EntitiesDeleted counts the entities that the origin created.
	EntitiesDeleted int64 `json:"entitiesDeleted"`
	// UnsafeEntitiesCount counts those of them about which others wrote
	// something. UnsafeEntities contains some of them.
	UnsafeEntitiesCount int64          `json:"unsafeEntitiesCount"`
	UnsafeEntities      []UnsafeEntity `json:"unsafeEntities"`
	// TimeSeriesRows counts the time-series values of the run.
	TimeSeriesRows int64 `json:"timeseriesRows"`
	// Next is where to continue after a limit; empty at the end.
	Next string `json:"next,omitempty"`
}

// Add adds the result of a further part of the same rollback.
func (r *Rollback) Add(part *Rollback) {
	r.Rows = append(r.Rows, part.Rows[:min(len(part.Rows), maxRollbackRows-len(r.Rows))]...)
	r.EntitiesAffected += part.EntitiesAffected
	r.AspectsReverted += part.AspectsReverted
	r.AspectsAffected += part.AspectsAffected
	r.EntitiesDeleted += part.EntitiesDeleted
	r.UnsafeEntitiesCount += part.UnsafeEntitiesCount
	r.UnsafeEntities = append(r.UnsafeEntities, part.UnsafeEntities[:min(len(part.UnsafeEntities), maxUnsafeEntities-len(r.UnsafeEntities))]...)
	r.TimeSeriesRows += part.TimeSeriesRows
}

// UnsafeEntity is an entity that a rollback deletes although others wrote
// something about it.
type UnsafeEntity struct {
	URN string `json:"urn"`
}

// Rollback rolls back what an origin wrote, entity by entity: the latest version
// of an aspect, if the origin wrote it, is replaced by the newest version of
// another origin, with its own stamps. After a failure, too, each aspect is
// either unchanged or completely rolled back. After an interruption the same
// request continues.
func (s *Service) Rollback(ctx context.Context, r RollbackRequest, o catalog.WriteOptions) (*Rollback, error) {
	if err := s.catalog.RequireWritableUnless(ctx, r.DryRun); err != nil {
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
	job.complete(ctx)
	job.finished = err == nil
	switch {
	case r.DryRun:
	case err != nil && !first && job.done == 0 && catalog.CodeOf(err) == catalog.Invalid: // a made-up After
	case err != nil:
		// The caller or the store may be gone, so this is only an attempt.
		away, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackStatusTimeout)
		defer cancel()
		if failure := s.setRollbackStatus(away, r.RunID, rollbackFailed, o); failure != nil {
			s.logger.WarnContext(ctx, "the status of a failed rollback cannot be stored", "run", r.RunID, "error", failure)
		}
	case job.result.Next == "":
		err = s.setRollbackStatus(ctx, r.RunID, rolledBack, o)
	}
	if err != nil || r.DryRun {
		return job, err
	}
	return job, s.catalog.Settle(ctx, o)
}

// RollbackPart rolls back a part of a run, of about limits.RollbackPart rows, for a caller
// who has typed the id of the run once more. A part that fails after it has rolled back
// something answers what that was, with where to continue.
func (s *Service) RollbackPart(ctx context.Context, r RollbackRequest, confirm string, o catalog.WriteOptions) (*Rollback, error) {
	if confirm != r.RunID {
		return nil, catalog.Errorf(catalog.Invalid, "confirm must be the id of the run, %s", r.RunID)
	}
	if err := s.catalog.RequireWritableUnless(ctx, false); err != nil {
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
	// What was rolled back is answered, with where to continue: if the cause lasts, the next
	// part fails with it. After a part that is finished, only its status or the wait for the
	// index failed.
	s.logger.WarnContext(ctx, "a part of a rollback failed after it had rolled back something", "run", r.RunID, "error", err)
	if !job.finished {
		job.result.Next = job.reached
	}
	return job.result, nil
}

// RollbackPreview counts what a part of a rollback of a run would do, of about
// limits.RollbackPreview rows; After is where the part before it ended. The counts of the
// parts add up to those of the rollback.
func (s *Service) RollbackPreview(ctx context.Context, r RollbackRequest) (*Rollback, error) {
	r.DryRun, r.Limit = true, limits.RollbackPreview
	return s.Rollback(ctx, r, catalog.WriteOptions{})
}

// StartRollback starts a soft rollback of a run and does not wait for its end,
// which is recorded on the run's execution request and in the log.
func (s *Service) StartRollback(runID string, o catalog.WriteOptions) error {
	r := RollbackRequest{Origin: catalog.Origin{RunID: runID}}
	if err := r.check(); err != nil {
		return err
	}
	return s.catalog.Background(func(ctx context.Context) {
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

func (r *RollbackRequest) check() error {
	switch {
	case r.RunID == catalog.NoRunID:
		return catalog.Errorf(catalog.Invalid, "%s is the run of writes that do not name one; it cannot be rolled back", catalog.NoRunID)
	case r.RunID == "" && r.Registry == catalog.RegistryVersion{}:
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
	// done counts rows, shown is when this was last logged.
	done  int
	shown time.Time
	// last is the entity that was rolled back last: the next page may begin
	// with rows of it.
	last string
	// finished: all that was asked for is rolled back. Otherwise reached is the position up
	// to which it is, "" if it is not even a page.
	finished bool
	reached  string
	// record is what stays of this, nil until something is rolled back.
	record *catalog.RollbackRecord
}

// rollbackRows is how many rows are read, and changed in one transaction.
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

// at is a position among the rows. After a dry run, the rows of the last entity are still
// there, and the next part may begin with them: its URN is a part of the position.
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

// whole turns a page of rows into a page of whole entities. Each entity is rolled
// back in one transaction, because otherwise the part that is rolled back first
// would hide the rest.
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

// rollbackLog is how often a long rollback logs its progress.
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

// change rolls back what a page has of some entities.
func (j *rollback) change(ctx context.Context, entities []catalog.EntityRows) error {
	first := &entities[0].Rows[0]
	if err := j.begin(ctx, graphstore.AspectKey{URN: first.URN, Name: first.Aspect}, latestOf(entities)); err != nil {
		return err
	}
	others, err := j.c.catalog.RollBackEntities(ctx, entities, j.Stored(), j.Hard, j.actor(entities[0].URN))
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
func latestOf(entities []catalog.EntityRows) int64 {
	latest := int64(0)
	for i := range entities {
		for k := range entities[i].Rows {
			latest = max(latest, entities[i].Rows[k].CreatedOn)
		}
	}
	return latest
}

func (j *rollback) actor(urn string) string {
	d, ok := j.c.registry.DialectOf(model.StoredURN(urn))
	if !ok { // of a model that is not loaded
		d = j.c.registry.Dialects()[0]
	}
	return j.o.ActorIn(d)
}

// byEntity groups rows. A soft rollback skips entities that are soft-deleted,
// unless the origin did that.
func (j *rollback) byEntity(rows []graphstore.Row) []catalog.EntityRows {
	var entities []catalog.EntityRows
	for i := range rows {
		if n := len(entities); n == 0 || entities[n-1].URN != rows[i].URN {
			entities = append(entities, catalog.EntityRows{URN: rows[i].URN})
		}
		e := &entities[len(entities)-1]
		e.Rows = append(e.Rows, rows[i])
		e.Made = e.Made || j.isKey(rows[i].Aspect)
	}
	if j.Hard {
		return entities
	}
	removed := func(r graphstore.Row) bool { return r.Removed }
	status := func(r graphstore.Row) bool { return r.Aspect == model.AspectStatus }
	return slices.DeleteFunc(entities, func(e catalog.EntityRows) bool {
		return slices.ContainsFunc(e.Rows, removed) && !slices.ContainsFunc(e.Rows, status)
	})
}

func (j *rollback) isKey(aspect string) bool {
	a, ok := j.c.registry.Aspect(aspect)
	return ok && a.IsKey
}

// count adds the rows to the result, and looks for what others wrote about the
// entities that will be deleted.
func (j *rollback) count(ctx context.Context, entities []catalog.EntityRows) error {
	var made []string
	for i := range entities {
		e := &entities[i]
		j.result.EntitiesAffected++
		if e.Made {
			made = append(made, e.URN)
		}
		for k := range e.Rows {
			row := j.c.runRow(&e.Rows[k])
			row.Created = e.Made
			if row.KeyAspect && !j.Hard {
				continue
			}
			j.result.AspectsReverted++
			if len(j.result.Rows) < maxRollbackRows {
				j.result.Rows = append(j.result.Rows, row)
			}
		}
	}
	j.result.EntitiesDeleted += int64(len(made))
	if len(made) == 0 {
		return nil
	}
	all, err := j.c.store.RowsOf(ctx, made)
	if err != nil {
		return catalog.StoreFailure(err)
	}
	j.countUnsafe(all)
	return nil
}

func (j *rollback) countUnsafe(rows []graphstore.Row) {
	last := ""
	for i := range rows {
		if j.Stored().OfRow(&rows[i]) || j.isKey(rows[i].Aspect) || rows[i].Aspect == model.AspectStatus {
			continue
		}
		j.result.AspectsAffected++
		if rows[i].URN == last {
			continue
		}
		last = rows[i].URN
		j.result.UnsafeEntitiesCount++
		if len(j.result.UnsafeEntities) < maxUnsafeEntities {
			j.result.UnsafeEntities = append(j.result.UnsafeEntities, UnsafeEntity{last})
		}
	}
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
	j.result.TimeSeriesRows += row.Values
	if j.DryRun {
		return nil
	}
	if err := j.begin(ctx, graphstore.AspectKey{}, row.Latest); err != nil { // no version is known to have a writer
		return err
	}
	err := j.c.catalog.DeleteValues(ctx, graphstore.TimeSeriesRange{URN: row.URN, Aspect: row.Aspect, RunID: j.RunID}, j.actor(row.URN))
	if err == nil && j.record != nil {
		j.record.TimeSeriesRows += row.Values
		j.record.Latest = max(j.record.Latest, row.Latest)
	}
	return err
}
