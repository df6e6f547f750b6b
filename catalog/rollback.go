package catalog

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/safely"
)

// RollbackRequest asks to take back what an origin wrote.
type RollbackRequest struct {
	Origin
	// Hard: entities that the origin made are deleted with all they have;
	// otherwise they are soft-deleted and keep their key.
	Hard bool
	// DryRun counts and changes nothing.
	DryRun bool
	// Limit, when greater than 0, ends the work after about so many rows, to be
	// gone on with After, the earlier answer's Next.
	Limit int
	After string
}

// Bounds of what a rollback tells one by one.
const (
	maxRollbackRows   = 100
	maxUnsafeEntities = 10_000
)

// Rollback says what was, or with a dry run would be, taken back.
type Rollback struct {
	// Rows are some of the rows.
	Rows []RunRow `json:"aspectRowSummaries"`
	// EntitiesAffected counts the entities that had any of the rows.
	EntitiesAffected int64 `json:"entitiesAffected"`
	// AspectsReverted counts the aspects that an older version or nothing took
	// the place of; of a hard rollback also what else the entities had that it
	// deleted.
	AspectsReverted int64 `json:"aspectsReverted"`
	// AspectsAffected counts the aspects, beside keys and status, that others
	// wrote of entities that are deleted.
	AspectsAffected int64 `json:"aspectsAffected"`
	// EntitiesDeleted counts the entities that the origin made.
	EntitiesDeleted int64 `json:"entitiesDeleted"`
	// UnsafeEntitiesCount counts those among them of which others wrote
	// something, and UnsafeEntities are some of them.
	UnsafeEntitiesCount int64          `json:"unsafeEntitiesCount"`
	UnsafeEntities      []UnsafeEntity `json:"unsafeEntities"`
	// TimeSeriesRows counts the time-series values of the run.
	TimeSeriesRows int64 `json:"timeseriesRows"`
	// Next is where to go on after a limit; empty at the end.
	Next string `json:"next,omitempty"`
}

// Add adds what a further part of the same rollback did.
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
// something of it.
type UnsafeEntity struct {
	URN string `json:"urn"`
}

// Rollback takes back what an origin wrote, entity by entity: of each aspect
// whose latest version is the origin's, the newest version that is not takes
// its place, with its own stamps. Each aspect is wholly as it was or wholly
// taken back, whatever happens; after an interruption the same request goes on.
func (c *Catalog) Rollback(ctx context.Context, r RollbackRequest, o WriteOptions) (*Rollback, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	first := r.After == ""
	if !r.DryRun && first {
		if err := c.noteRollback(ctx, r.RunID, rollingBack, o); err != nil {
			return nil, err
		}
	}
	job := &rollback{
		c: c, RollbackRequest: r, o: o, shown: time.Now(),
		result: &Rollback{Rows: []RunRow{}, UnsafeEntities: []UnsafeEntity{}},
	}
	err := safely.Do(func() error { return job.run(ctx) }) // what breaks it is noted, too
	switch {
	case r.DryRun:
	case err != nil && !first && job.done == 0 && CodeOf(err) == Invalid: // a made-up After
	case err != nil:
		// The caller may be gone, or the store: what can be said is said.
		away, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
		defer cancel()
		if failure := c.noteRollback(away, r.RunID, rollbackFailed, o); failure != nil {
			c.logger.WarnContext(ctx, "a failed rollback cannot be noted", "run", r.RunID, "error", failure)
		}
	case job.result.Next == "":
		err = c.noteRollback(ctx, r.RunID, rolledBack, o)
	}
	if err != nil || r.DryRun {
		return job.result, err
	}
	return job.result, c.settle(ctx, o)
}

// StartRollback begins to take back what a run wrote, softly, and does not wait
// for the end, which is noted on the run's execution request and in the log.
func (c *Catalog) StartRollback(runID string, o WriteOptions) error {
	r := RollbackRequest{Origin: Origin{RunID: runID}}
	if err := r.check(); err != nil {
		return err
	}
	return c.work.run(func(ctx context.Context) {
		var result *Rollback
		err := safely.Do(func() (err error) {
			result, err = c.Rollback(ctx, r, o)
			return err
		})
		if err != nil {
			c.logger.ErrorContext(ctx, "the rollback failed", "run", r.RunID, "error", err)
			return
		}
		c.logger.InfoContext(ctx, "rolled back", "run", r.RunID, "aspects", result.AspectsReverted, "entities", result.EntitiesAffected)
	})
}

func (r *RollbackRequest) check() error {
	switch {
	case r.RunID == NoRunID:
		return Errorf(Invalid, "%s is what writes have that name no run; it cannot be rolled back", NoRunID)
	case r.RunID == "" && r.Registry == RegistryVersion{}:
		return Errorf(Invalid, "parameter runId is required")
	case r.Limit < 0:
		return Errorf(Invalid, "parameter limit must not be negative")
	case r.DryRun && r.Limit > 0:
		return Errorf(Invalid, "a dry run has no limit")
	}
	return nil
}

// rollback is one request on its way.
type rollback struct {
	RollbackRequest
	c      *Catalog
	o      WriteOptions
	result *Rollback
	// done counts rows, shown is when that was last logged.
	done  int
	shown time.Time
	// last is the entity that was dealt with last: the next page may begin with
	// rows of it.
	last string
}

// rollbackRows is how many rows are read, and changed in one transaction.
const rollbackRows = 500

// What the positions begin with, in the order of the work: entities that are
// deleted take their time series along, so these are counted and go before.
const (
	inSeries = "series:"
	inRows   = "rows:"
)

func (j *rollback) run(ctx context.Context) error {
	phase, after, ok := strings.Cut(j.After, ":")
	if j.After != "" && (!ok || phase+":" != inSeries && phase+":" != inRows) {
		return Errorf(Invalid, "%q is not where a rollback left off", j.After)
	}
	if phase+":" != inRows && j.RunID != "" {
		if err := j.series(ctx, after); err != nil || j.result.Next != "" {
			return err
		}
		after = ""
	}
	return j.versions(ctx, after)
}

// versions takes back latest versions, page by page.
func (j *rollback) versions(ctx context.Context, after string) error {
	for {
		rows, next, err := j.c.store.Rows(ctx, graphstore.RowQuery{Origin: j.stored(), After: after, Limit: j.room()})
		if err != nil {
			return storeFailure(err)
		}
		if rows, err = j.whole(ctx, rows, next == ""); err != nil {
			return err
		}
		if err := j.takeBack(ctx, rows); err != nil {
			return err
		}
		if after = next; next == "" {
			return nil
		}
		if j.full() {
			j.result.Next = inRows + next
			return nil
		}
		j.progress(ctx)
	}
}

// whole makes a page of rows one of whole entities: one is taken back in one
// transaction, or else what was done first would hide the rest.
func (j *rollback) whole(ctx context.Context, rows []graphstore.Row, end bool) ([]graphstore.Row, error) {
	rows = slices.DeleteFunc(rows, func(r graphstore.Row) bool { return r.URN == j.last })
	if end || len(rows) == 0 {
		return rows, nil
	}
	urn := rows[len(rows)-1].URN
	all, err := j.c.store.RowsOf(ctx, []string{urn})
	if err != nil {
		return nil, storeFailure(err)
	}
	rows = slices.DeleteFunc(rows, func(r graphstore.Row) bool { return r.URN == urn })
	for i := range all {
		if j.stored().OfRow(&all[i]) {
			rows = append(rows, all[i])
		}
	}
	return rows, nil
}

// room is how many rows may be read next.
func (j *rollback) room() int {
	if j.Limit > 0 {
		return min(rollbackRows, max(j.Limit-j.done, 1))
	}
	return rollbackRows
}

func (j *rollback) full() bool { return j.Limit > 0 && j.done >= j.Limit }

// rollbackLog is how often a long rollback says how far it is.
const rollbackLog = 10 * time.Second

func (j *rollback) progress(ctx context.Context) {
	if time.Since(j.shown) < rollbackLog {
		return
	}
	j.shown = time.Now()
	j.c.logger.InfoContext(ctx, "rolling back", "run", j.RunID, "dryRun", j.DryRun, "rows", j.done, "entities", j.result.EntitiesAffected)
}

// entityRows are the rows of one entity.
type entityRows struct {
	urn  string
	rows []graphstore.Row
	// made: the entity's key is among them, marked: its status.
	made, marked bool
	// hidden: it is soft-deleted.
	hidden bool
}

// takeBack takes back a page of rows in one transaction.
func (j *rollback) takeBack(ctx context.Context, rows []graphstore.Row) error {
	j.done += max(len(rows), 1) // so that a limited request comes to its end
	if len(rows) == 0 {
		return nil
	}
	j.last = rows[len(rows)-1].URN
	entities := j.byEntity(rows)
	if len(entities) == 0 {
		return nil
	}
	if err := j.count(ctx, entities); err != nil {
		return err
	}
	if j.DryRun {
		return nil
	}
	urns := make([]string, len(entities))
	for i := range entities {
		urns[i] = entities[i].urn
	}
	var others int64
	w := newWork()
	err := j.c.transact(ctx, urns, w, false, nil, func(tx graphstore.Tx) error {
		s := j.c.newSession(tx, j.actor(urns[0]), w)
		var err error
		if others, err = s.takeBack(entities, j.stored(), j.Hard); err != nil {
			return err
		}
		return s.flush()
	})
	if err != nil {
		return err
	}
	j.result.AspectsReverted += others
	j.c.written.signal()
	return nil
}

func (j *rollback) actor(urn string) string {
	_, d, err := j.c.parseURN(urn)
	if err != nil { // of a model that is not loaded
		d = j.c.registry.Dialects()[0]
	}
	return j.o.actorIn(d)
}

// byEntity groups rows. A soft rollback passes over entities that are
// soft-deleted, unless the origin did that.
func (j *rollback) byEntity(rows []graphstore.Row) []entityRows {
	var entities []entityRows
	for i := range rows {
		if n := len(entities); n == 0 || entities[n-1].urn != rows[i].URN {
			entities = append(entities, entityRows{urn: rows[i].URN})
		}
		e := &entities[len(entities)-1]
		e.rows = append(e.rows, rows[i])
		e.made = e.made || j.isKey(rows[i].Aspect)
		e.hidden = e.hidden || rows[i].Removed
		e.marked = e.marked || rows[i].Aspect == statusAspect
	}
	if j.Hard {
		return entities
	}
	return slices.DeleteFunc(entities, func(e entityRows) bool { return e.hidden && !e.marked })
}

func (j *rollback) isKey(aspect string) bool {
	a, ok := j.c.registry.Aspect(aspect)
	return ok && a.IsKey
}

// count adds the rows to the result, and looks for what others wrote of the
// entities that are to be deleted.
func (j *rollback) count(ctx context.Context, entities []entityRows) error {
	var made []string
	for i := range entities {
		e := &entities[i]
		j.result.EntitiesAffected++
		if e.made {
			made = append(made, e.urn)
		}
		for k := range e.rows {
			row := j.c.runRow(&e.rows[k])
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
		return storeFailure(err)
	}
	j.countUnsafe(all)
	return nil
}

func (j *rollback) countUnsafe(rows []graphstore.Row) {
	last := ""
	for i := range rows {
		if j.stored().OfRow(&rows[i]) || j.isKey(rows[i].Aspect) || rows[i].Aspect == statusAspect {
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
			return storeFailure(err)
		}
		for i := range rows {
			if err := j.deleteValues(ctx, &rows[i]); err != nil {
				return err
			}
		}
		j.done += len(rows)
		if after = next; next == "" {
			if j.full() {
				j.result.Next = inRows
			}
			return nil
		}
		if j.full() {
			j.result.Next = inSeries + next
			return nil
		}
		j.progress(ctx)
	}
}

func (j *rollback) deleteValues(ctx context.Context, row *graphstore.TimeSeriesRow) error {
	j.result.TimeSeriesRows += row.Values
	if j.DryRun {
		return nil
	}
	err := j.c.store.Update(ctx, []string{row.URN}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			DeleteTimeSeries: []graphstore.TimeSeriesRange{{URN: row.URN, Aspect: row.Aspect, RunID: j.RunID}},
			Changes: []graphstore.Change{{
				Time: tx.Now(), Actor: j.actor(row.URN), Kind: graphstore.ChangeDelete, URN: row.URN,
				EntityType: graphstore.TypeOf(row.URN), Aspect: row.Aspect,
			}},
		})
	})
	if err == nil {
		j.c.written.signal()
	}
	return storeFailure(err)
}
