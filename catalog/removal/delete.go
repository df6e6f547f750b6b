package removal

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Delete removes an entity completely: all its versions and time-series values, and the edges that
// it states. Edges that other entities state about it stay, and lead to a placeholder. Deleting an
// entity that does not exist removes nothing.
func (s *Service) Delete(ctx context.Context, u model.URN, dryRun bool, o catalog.WriteOptions) (write.Deletion, error) {
	if err := s.writer.RequireWritableUnless(ctx, dryRun); err != nil {
		return write.Deletion{}, err
	}
	deletions, err := s.writer.DeleteEntities(ctx, []model.URN{u}, dryRun, o)
	if err != nil {
		return write.Deletion{}, err
	}
	if dryRun {
		return deletions[0], nil
	}
	if deletions[0].Rows == 0 && u.EntityType() == model.EntityStructuredProperty { // an earlier deletion may not have got to the end
		if err := s.RemoveValues(ctx, u, o.WithoutWait()); err != nil {
			return write.Deletion{}, err
		}
	}
	return deletions[0], s.writer.SettleIf(ctx, deletions[0].Rows > 0, o)
}

// TimeSeriesDeletion asks to delete values of a time-series aspect.
type TimeSeriesDeletion struct {
	URN    model.URN
	Aspect string
	// Start and End bound timestampMillis, both included; nil leaves a side open.
	Start, End *int64
	DryRun     bool
}

// timeSeriesDeletions bounds the values that one transaction deletes.
const timeSeriesDeletions = 1000

// DeleteTimeSeries removes values of a time-series aspect, and returns how many
// it removed.
func (s *Service) DeleteTimeSeries(ctx context.Context, d TimeSeriesDeletion, o catalog.WriteOptions) (int64, error) {
	if err := s.writer.RequireWritableUnless(ctx, d.DryRun); err != nil {
		return 0, err
	}
	entity, err := s.names.EntityType(d.URN.EntityType())
	if err != nil {
		return 0, err
	}
	aspect, ok := s.names.Registry().Aspect(d.Aspect)
	switch {
	case !ok || !entity.Has(d.Aspect):
		return 0, catalog.Errorf(catalog.Invalid, "Unknown aspect %s for entity %s", d.Aspect, entity.Name)
	case !aspect.TimeSeries:
		return 0, catalog.Errorf(catalog.Invalid, "only values of time-series aspects are deleted by time, %s has versions; delete the entity, or the aspect with a DELETE proposal, or roll a run back", d.Aspect)
	case d.Start != nil && d.End != nil && *d.Start > *d.End:
		return 0, catalog.Errorf(catalog.Invalid, "the start, %d, is after the end, %d", *d.Start, *d.End)
	case d.End != nil && *d.End == 0: // 0 is no bound in the store
		return 0, catalog.Errorf(catalog.Invalid, "the end must not be 0; leave it out to delete up to the newest value")
	}
	values := graphstore.TimeSeriesRange{URN: d.URN.String(), Aspect: d.Aspect, From: optional.Or(d.Start, 0), To: optional.Or(d.End, 0)}
	if d.DryRun {
		n, err := s.store.CountTimeSeries(ctx, values)
		return n, catalog.StoreFailure(err)
	}
	dialect, _ := s.names.Registry().DialectOf(d.URN)
	actor := o.ActorIn(dialect)
	var deleted int64
	for {
		n, err := s.deleteOldest(ctx, values, actor)
		deleted += n
		if err != nil || n == 0 {
			return deleted, err
		}
	}
}

// deleteOldest removes the oldest values of a range and returns how many. Values with the same
// timestamp are removed together.
func (s *Service) deleteOldest(ctx context.Context, values graphstore.TimeSeriesRange, actor string) (int64, error) {
	page, err := s.store.TimeSeries(ctx, graphstore.TimeSeriesQuery{
		URN: values.URN, Aspect: values.Aspect, From: values.From, To: values.To, Ascending: true, Limit: timeSeriesDeletions,
	})
	if err != nil || len(page) == 0 {
		return 0, catalog.StoreFailure(err)
	}
	if len(page) == timeSeriesDeletions {
		if values.To = page[len(page)-1].Timestamp; values.To == 0 {
			values.To = 1 // 0 would be no bound, and the range ends later
		}
	}
	n, err := s.store.CountTimeSeries(ctx, values)
	if err != nil {
		return 0, catalog.StoreFailure(err)
	}
	if err := s.writer.DeleteValues(ctx, values, actor); err != nil {
		return 0, err
	}
	return n, nil
}

// DeleteEntity deletes an entity of one of the given types, with the references of other entities
// to it.
func (s *Service) DeleteEntity(ctx context.Context, u model.URN, types []string, o catalog.WriteOptions) error {
	if err := catalog.RequireType(u, types...); err != nil {
		return err
	}
	exists, err := s.writer.Exists(ctx, u)
	if err != nil {
		return err
	}
	if !exists {
		return catalog.Errorf(catalog.NotFound, "%s does not exist.", u)
	}
	requestinfo.DeedOf(ctx).Changes(u) // u is named before the entities that refer to it
	if _, err := s.DeleteReferences(ctx, u, false, o.WithoutWait()); err != nil {
		return err
	}
	_, err = s.Delete(ctx, u, false, o)
	return err
}

// maxBatchDelete bounds the entities that one request may delete.
const maxBatchDelete = limits.MaxBatchDelete

// DeletionsAtOnce bounds the entities that one transaction deletes.
const DeletionsAtOnce = 50

// BatchDeletion asks to delete several entities.
type BatchDeletion struct {
	URNs []model.URN
	// Soft sets the soft-delete mark of the entities, and Undo removes it. Without Soft the
	// entities are deleted completely.
	Soft, Undo bool
	// References: the references of other entities to the deleted ones are removed too.
	References bool
	DryRun     bool
	// System is the system metadata of soft deletes.
	System *catalog.SystemMetadata
}

// BatchDeletionResult counts the deletions of a batch.
type BatchDeletionResult struct {
	// Entities counts the entities that existed and were deleted, or would be in a dry run. For a
	// soft delete, it counts the entities whose mark changed.
	Entities       int64 `json:"entities"`
	Rows           int64 `json:"rows"`
	TimeSeriesRows int64 `json:"timeseriesRows"`
	// References counts the removed relationships of other entities to the deleted ones.
	References int64 `json:"references"`
	// Deletions count, for each entity in the order of the URNs, the deleted rows. A soft delete
	// lists only the entities whose mark changed.
	Deletions []write.Deletion `json:"-"`
}

// BatchDelete deletes entities, several in each transaction. An entity counts
// once, however often it is named. The call may be repeated after a failure:
// entities that are already deleted are not counted again.
func (s *Service) BatchDelete(ctx context.Context, d BatchDeletion, o catalog.WriteOptions) (BatchDeletionResult, error) {
	var result BatchDeletionResult
	if err := s.writer.RequireWritableUnless(ctx, d.DryRun); err != nil {
		return result, err
	}
	switch {
	case len(d.URNs) > maxBatchDelete:
		return result, catalog.Errorf(catalog.Invalid, "%d entities in one request, at most %d are allowed", len(d.URNs), maxBatchDelete)
	case d.Undo && !d.Soft:
		return result, catalog.Errorf(catalog.Invalid, "only a soft delete can be undone")
	}
	distinct := catalog.Distinct(d.URNs)
	slices.SortFunc(distinct, func(a, b model.URN) int { return strings.Compare(a.String(), b.String()) })
	if !d.DryRun && !d.Soft {
		if err := s.writer.RequireDeletable(ctx, distinct); err != nil {
			return result, err
		}
	}
	for urns := range slices.Chunk(distinct, DeletionsAtOnce) {
		if err := s.deleteChunk(ctx, &d, urns, &result, o.WithoutWait()); err != nil {
			return result, err
		}
	}
	if d.DryRun {
		return result, nil
	}
	return result, s.writer.Settle(ctx, o)
}

func (s *Service) deleteChunk(ctx context.Context, d *BatchDeletion, urns []model.URN, result *BatchDeletionResult, o catalog.WriteOptions) error {
	if d.Soft {
		marked, err := s.writer.MarkRemoved(ctx, urns, write.Mark{Removed: !d.Undo, DryRun: d.DryRun, System: d.System}, o)
		result.Entities += int64(len(marked))
		result.Rows += int64(len(marked))
		for _, urn := range marked {
			result.Deletions = append(result.Deletions, write.Deletion{URN: urn, Rows: 1})
		}
		return err
	}
	if d.References {
		for _, urn := range urns {
			references, err := s.DeleteReferences(ctx, urn, d.DryRun, o)
			if err != nil {
				return err
			}
			result.References += references.Total
		}
	}
	deletions, err := s.writer.DeleteEntities(ctx, urns, d.DryRun, o)
	result.Deletions = append(result.Deletions, deletions...)
	for i := range deletions {
		if deletions[i].Rows > 0 {
			result.Entities++
		}
		result.Rows += deletions[i].Rows
		result.TimeSeriesRows += deletions[i].TimeSeriesRows
	}
	return err
}
