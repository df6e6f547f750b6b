package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Deletion counts what a hard delete removed, or would remove in a dry run.
type Deletion struct {
	URN string `json:"urn"`
	// Rows counts versions of aspects, archived ones too.
	Rows int64 `json:"rows"`
	// TimeSeriesRows counts time-series values.
	TimeSeriesRows int64 `json:"timeseriesRows"`
}

// Delete removes an entity completely: every version, every time-series value,
// and every edge that it states. What other entities state about it stays, and
// then refers to a placeholder. Deleting an entity that does not exist removes
// nothing.
func (c *Catalog) Delete(ctx context.Context, urn string, dryRun bool, o WriteOptions) (Deletion, error) {
	deletions, err := c.deleteEntities(ctx, []string{urn}, dryRun, o)
	if err != nil {
		return Deletion{}, err
	}
	if dryRun || deletions[0].Rows == 0 {
		return deletions[0], nil
	}
	return deletions[0], c.Settle(ctx, o)
}

// deleteEntities removes entities in one transaction.
func (c *Catalog) deleteEntities(ctx context.Context, texts []string, dryRun bool, o WriteOptions) ([]Deletion, error) {
	changes := make([]*change, len(texts))
	for i, text := range texts {
		u, _, err := c.parseURN(text)
		if err != nil {
			return nil, err
		}
		if changes[i], err = c.deletionOf(u); err != nil {
			return nil, err
		}
	}
	urns := urnsOf(changes)
	if dryRun {
		held, err := c.store.Holdings(ctx, urns)
		return deletionsOf(changes, held), storeFailure(err)
	}
	var held map[string]graphstore.Holdings
	w := newWork()
	err := c.transact(ctx, urns, w, false, nil, func(tx graphstore.Tx) error {
		var err error
		if held, err = tx.Holdings(urns); err != nil {
			return err
		}
		outcomes, err := c.applyAll(tx, changes, o.actorIn(changes[0].dialect), w)
		for i := range outcomes {
			if !outcomes[i].changed {
				delete(held, changes[i].urn.String())
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.written.signal()
	return deletionsOf(changes, held), nil
}

// deletionOf returns the change that deletes an entity: the deletion of its key
// aspect.
func (c *Catalog) deletionOf(u model.URN) (*change, error) {
	entity, err := c.entityType(u.EntityType())
	if err != nil {
		return nil, err
	}
	return c.prepare(&Proposal{EntityType: entity.Name, EntityURN: u.String(), ChangeType: Delete, AspectName: entity.KeyAspect})
}

func deletionsOf(changes []*change, held map[string]graphstore.Holdings) []Deletion {
	deletions := make([]Deletion, len(changes))
	for i, ch := range changes {
		h := held[ch.urn.String()]
		delete(h.TimeSeries, rolledBackSeries) // nobody wrote those
		deletions[i] = Deletion{URN: ch.urn.String(), Rows: h.Versions, TimeSeriesRows: h.Values()}
	}
	return deletions
}

// TimeSeriesDeletion asks to delete values of a time-series aspect.
type TimeSeriesDeletion struct {
	URN, Aspect string
	// Start and End bound timestampMillis, both included; nil leaves a side open.
	Start, End *int64
	DryRun     bool
}

// timeSeriesDeletions is how many values are deleted in one transaction.
const timeSeriesDeletions = 1000

// DeleteTimeSeries removes values of a time-series aspect, and returns how many
// it removed.
func (c *Catalog) DeleteTimeSeries(ctx context.Context, d TimeSeriesDeletion, o WriteOptions) (int64, error) {
	u, dialect, err := c.parseURN(d.URN)
	if err != nil {
		return 0, err
	}
	entity, _ := c.registry.Entity(u.EntityType()) // parseURN refuses unknown types
	aspect, ok := c.registry.Aspect(d.Aspect)
	switch {
	case !ok || !entity.Has(d.Aspect):
		return 0, Errorf(Invalid, "Unknown aspect %s for entity %s", d.Aspect, entity.Name)
	case !aspect.TimeSeries:
		return 0, Errorf(Invalid, "only values of time-series aspects are deleted by time, %s has versions; delete the entity, or the aspect with a DELETE proposal, or roll a run back", d.Aspect)
	case d.Start != nil && d.End != nil && *d.Start > *d.End:
		return 0, Errorf(Invalid, "the start, %d, is after the end, %d", *d.Start, *d.End)
	case d.End != nil && *d.End == 0: // the store's sign for no bound
		return 0, Errorf(Invalid, "the end must not be 0; leave it out to delete up to the newest value")
	}
	values := graphstore.TimeSeriesRange{URN: u.String(), Aspect: d.Aspect, From: valueOr(d.Start, 0), To: valueOr(d.End, 0)}
	if d.DryRun {
		n, err := c.store.CountTimeSeries(ctx, values)
		return n, storeFailure(err)
	}
	actor := o.actorIn(dialect)
	var deleted int64
	for {
		n, err := c.deleteOldest(ctx, values, actor)
		deleted += n
		if err != nil || n == 0 {
			return deleted, err
		}
	}
}

// deleteOldest removes the oldest values of a range, all those of one moment
// together, and reports how many.
func (c *Catalog) deleteOldest(ctx context.Context, values graphstore.TimeSeriesRange, actor string) (int64, error) {
	page, err := c.store.TimeSeries(ctx, graphstore.TimeSeriesQuery{
		URN: values.URN, Aspect: values.Aspect, From: values.From, To: values.To, Ascending: true, Limit: timeSeriesDeletions,
	})
	if err != nil || len(page) == 0 {
		return 0, storeFailure(err)
	}
	if len(page) == timeSeriesDeletions {
		if values.To = page[len(page)-1].Timestamp; values.To == 0 {
			values.To = 1 // 0 would be no bound, and what is asked for ends later
		}
	}
	n, err := c.store.CountTimeSeries(ctx, values)
	if err != nil {
		return 0, storeFailure(err)
	}
	if err := c.DeleteValues(ctx, values, actor); err != nil {
		return 0, err
	}
	return n, nil
}

// DeleteValues deletes the values of a time series in a range, in one
// transaction.
func (c *Catalog) DeleteValues(ctx context.Context, values graphstore.TimeSeriesRange, actor string) error {
	err := c.store.Update(ctx, []string{values.URN}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			DeleteTimeSeries: []graphstore.TimeSeriesRange{values},
			Changes: []graphstore.Change{{
				Time: tx.Now(), Actor: actor, Kind: graphstore.ChangeDelete, URN: values.URN,
				EntityType: graphstore.TypeOf(values.URN), Aspect: values.Aspect,
			}},
		})
	})
	if err == nil {
		c.written.signal()
	}
	return storeFailure(err)
}

// DeleteEntity deletes an entity of one of some types, and what other entities
// say of it.
func (c *Catalog) DeleteEntity(ctx context.Context, urn string, types []string, o WriteOptions) error {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return err
	}
	if !slices.Contains(types, u.EntityType()) {
		return Errorf(Invalid, "%s is not a %s", u, strings.Join(types, " or "))
	}
	exists, err := c.Exists(ctx, urn)
	if err != nil {
		return err
	}
	if !exists {
		return Errorf(NotFound, "%s does not exist.", u)
	}
	if _, err := c.DeleteReferences(ctx, u.String(), false, o.withoutWait()); err != nil {
		return err
	}
	_, err = c.Delete(ctx, urn, false, o)
	return err
}

// maxBatchDelete is how many entities one request may delete.
const maxBatchDelete = limits.MaxBatchDelete

// deletionsAtOnce is how many entities are deleted in one transaction.
const deletionsAtOnce = 50

// BatchDeletion asks to delete several entities.
type BatchDeletion struct {
	URNs []string
	// Soft marks the entities as removed, and Undo removes that mark. Without
	// Soft they are removed completely.
	Soft, Undo bool
	// References also removes what other entities state about them.
	References bool
	DryRun     bool
	// System is the system metadata of soft deletes.
	System *SystemMetadata
}

// BatchDeletionResult counts what a batch deleted.
type BatchDeletionResult struct {
	// Entities counts the entities that existed and were deleted, or would be
	// in a dry run. For a soft delete it counts those whose mark changed.
	Entities       int64 `json:"entities"`
	Rows           int64 `json:"rows"`
	TimeSeriesRows int64 `json:"timeseriesRows"`
	// References counts the removed relationships that other entities stated to
	// them.
	References int64 `json:"references"`
}

// BatchDelete deletes entities, several in each transaction. An entity counts
// once, however often it is named. The call may be repeated after a failure:
// entities that are already deleted are not counted again.
func (c *Catalog) BatchDelete(ctx context.Context, d BatchDeletion, o WriteOptions) (BatchDeletionResult, error) {
	var result BatchDeletionResult
	switch {
	case len(d.URNs) > maxBatchDelete:
		return result, Errorf(Invalid, "%d entities in one request, at most %d are allowed", len(d.URNs), maxBatchDelete)
	case d.Undo && !d.Soft:
		return result, Errorf(Invalid, "only a soft delete can be undone")
	}
	distinct, err := c.urnsOfType(d.URNs)
	if err != nil {
		return result, err
	}
	slices.Sort(distinct)
	for urns := range slices.Chunk(distinct, deletionsAtOnce) {
		if err := c.deleteChunk(ctx, &d, urns, &result, o.withoutWait()); err != nil {
			return result, err
		}
	}
	if d.DryRun {
		return result, nil
	}
	return result, c.Settle(ctx, o)
}

func (c *Catalog) deleteChunk(ctx context.Context, d *BatchDeletion, urns []string, result *BatchDeletionResult, o WriteOptions) error {
	if d.Soft {
		n, err := c.MarkRemoved(ctx, urns, Mark{Removed: !d.Undo, DryRun: d.DryRun, System: d.System}, o)
		result.Entities += n
		result.Rows += n
		return err
	}
	if d.References {
		for _, urn := range urns {
			references, err := c.DeleteReferences(ctx, urn, d.DryRun, o)
			if err != nil {
				return err
			}
			result.References += references.Total
		}
	}
	deletions, err := c.deleteEntities(ctx, urns, d.DryRun, o)
	for i := range deletions {
		if deletions[i].Rows > 0 {
			result.Entities++
		}
		result.Rows += deletions[i].Rows
		result.TimeSeriesRows += deletions[i].TimeSeriesRows
	}
	return err
}

// Mark says how [Catalog.MarkRemoved] marks entities.
type Mark struct {
	// Removed sets the soft-delete mark; otherwise it is taken away.
	Removed bool
	// DryRun counts and changes nothing.
	DryRun bool
	// System is the bookkeeping of the write.
	System *SystemMetadata
}

// MarkRemoved sets or takes away the soft-delete mark of those entities that
// exist and are marked otherwise, in one transaction, and counts them.
func (c *Catalog) MarkRemoved(ctx context.Context, urns []string, m Mark, o WriteOptions) (int64, error) {
	nodes, err := c.store.Entities(ctx, urns)
	if err != nil {
		return 0, storeFailure(err)
	}
	value, err := json.Marshal(Tree{"removed": m.Removed})
	if err != nil {
		return 0, Errorf(Internal, "status: %w", err)
	}
	var changes []*change
	for i := range nodes {
		if !nodes[i].Exists || nodes[i].Removed == m.Removed {
			continue
		}
		ch, err := c.prepare(&Proposal{
			EntityType: nodes[i].Type, EntityURN: nodes[i].URN, AspectName: model.AspectStatus, System: m.System,
			Aspect: &GenericAspect{Value: value, ContentType: "application/json"},
		})
		if err != nil {
			return 0, err
		}
		changes = append(changes, ch)
	}
	if m.DryRun {
		return int64(len(changes)), nil
	}
	return int64(len(changes)), c.together(ctx, changes, o)
}
