package removal

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// This file counts the effects of a rollback, or of its dry run.

// These bound the lists in the answer of a rollback.
const (
	maxRollbackRows   = 100
	maxUnsafeEntities = 10_000
	maxLater          = 100
)

// Rollback counts the effects of a rollback; for a dry run, the effects that it would have.
type Rollback struct {
	// Rows contains some of the rows.
	Rows []RunRow `json:"aspectRowSummaries"`
	// RowsOfRun counts the latest versions of the origin that are rolled back, keys included. The
	// list of runs shows the same number for the run; if the rollback is hard, it is the number
	// with the rows of soft-deleted entities.
	RowsOfRun int64 `json:"rows"`
	// EntitiesAffected counts the entities that had any of these rows.
	EntitiesAffected int64 `json:"entitiesAffected"`
	// AspectsReverted counts the aspects that got an older version again or were removed. In a hard
	// rollback it also counts the other aspects of the deleted entities.
	AspectsReverted int64 `json:"aspectsReverted"`
	// AspectsAffected counts the aspects of deleted entities that others wrote, without keys and
	// status.
	AspectsAffected int64 `json:"aspectsAffected"`
	// EntitiesDeleted counts the entities that the origin created.
	EntitiesDeleted int64 `json:"entitiesDeleted"`
	// UnsafeEntitiesCount counts the deleted entities about which others wrote something.
	// UnsafeEntities has some of them.
	UnsafeEntitiesCount int64          `json:"unsafeEntitiesCount"`
	UnsafeEntities      []UnsafeEntity `json:"unsafeEntities"`
	// TimeSeriesRows counts the time-series values of the run.
	TimeSeriesRows int64 `json:"timeseriesRows"`
	// LaterCheckpoints are some later runs of the same stateful recipe that wrote a checkpoint. Their
	// checkpoints stay, so the next run of the recipe does not soft-delete the entities that this rollback
	// makes visible.
	LaterCheckpoints []string `json:"laterCheckpoints,omitempty"`
	// Next is the After of the request that continues a limited rollback; it is empty at the end.
	Next string `json:"next,omitempty"`
}

// Add adds the result of a further part of the same rollback.
func (r *Rollback) Add(part *Rollback) {
	r.Rows = append(r.Rows, part.Rows[:min(len(part.Rows), maxRollbackRows-len(r.Rows))]...)
	r.RowsOfRun += part.RowsOfRun
	r.EntitiesAffected += part.EntitiesAffected
	r.AspectsReverted += part.AspectsReverted
	r.AspectsAffected += part.AspectsAffected
	r.EntitiesDeleted += part.EntitiesDeleted
	r.UnsafeEntitiesCount += part.UnsafeEntitiesCount
	r.UnsafeEntities = append(r.UnsafeEntities, part.UnsafeEntities[:min(len(part.UnsafeEntities), maxUnsafeEntities-len(r.UnsafeEntities))]...)
	r.TimeSeriesRows += part.TimeSeriesRows
	for _, run := range part.LaterCheckpoints {
		r.addLater(run)
	}
}

func (r *Rollback) addLater(run string) {
	if len(r.LaterCheckpoints) < maxLater && !slices.Contains(r.LaterCheckpoints, run) {
		r.LaterCheckpoints = append(r.LaterCheckpoints, run)
	}
}

// UnsafeEntity is an entity that a rollback deletes although others wrote
// something about it.
type UnsafeEntity struct {
	URN string `json:"urn"`
}

// byEntity groups rows. A soft rollback skips entities that are soft-deleted,
// unless the origin did that.
func (j *rollback) byEntity(rows []graphstore.Row) []write.EntityRows {
	var entities []write.EntityRows
	for i := range rows {
		if n := len(entities); n == 0 || entities[n-1].URN != rows[i].URN {
			entities = append(entities, write.EntityRows{URN: rows[i].URN})
		}
		e := &entities[len(entities)-1]
		e.Rows = append(e.Rows, rows[i])
		e.Made = e.Made || j.isKey(rows[i].Aspect)
	}
	if j.Hard {
		return entities
	}
	return slices.DeleteFunc(entities, func(e write.EntityRows) bool { return removedByOthers(e.Rows) })
}

func (j *rollback) isKey(aspect string) bool {
	a, ok := j.c.names.Registry().Aspect(aspect)
	return ok && a.IsKey
}

// count adds the rows to the result. Of the entities that will be deleted, it also counts the
// aspects that others wrote.
func (j *rollback) count(ctx context.Context, entities []write.EntityRows) error {
	var made []string
	for i := range entities {
		e := &entities[i]
		j.result.EntitiesAffected++
		j.result.RowsOfRun += int64(len(e.Rows))
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
