package write

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Deletion counts the things that a hard delete removed, or would remove in a dry run.
type Deletion struct {
	URN string `json:"urn"`
	// Rows counts versions of aspects, archived ones too.
	Rows int64 `json:"rows"`
	// TimeSeriesRows counts time-series values.
	TimeSeriesRows int64 `json:"timeseriesRows"`
}

// DeleteEntities removes entities in one transaction.
func (w *Writer) DeleteEntities(ctx context.Context, entities []model.URN, dryRun bool, o catalog.WriteOptions) ([]Deletion, error) {
	changes := make([]*change, len(entities))
	for i, u := range entities {
		var err error
		if changes[i], err = w.deletionOf(u); err != nil {
			return nil, err
		}
	}
	if dryRun {
		held, err := w.shown.Holdings(ctx, urnsOf(changes))
		return deletionsOf(changes, held), catalog.StoreFailure(err)
	}
	a := attemptOf(changes, o)
	a.whole = true // a deletion that is refused fails, and none of the others is made
	var held map[string]graphstore.Holdings
	a.rules = func(s *session) (err error) {
		if held, err = s.tx.Holdings(a.urns); err != nil {
			return err
		}
		return a.applyChanges(s)
	}
	if err := w.write(ctx, a, o); err != nil {
		return nil, err
	}
	deed := requestinfo.DeedOf(ctx)
	for i := range a.outcomes {
		if !a.outcomes[i].changed {
			delete(held, changes[i].urn.String())
			continue
		}
		deed.Changes(changes[i].urn)
	}
	return deletionsOf(changes, held), nil
}

// OnDelete registers a function that is called after an entity of a type was deleted completely,
// and before the deletion is answered. The function changes other entities as the deletion
// requires. A type may have several functions. OnDelete is called before the writer is used.
func (w *Writer) OnDelete(entityType string, after func(context.Context, model.URN, catalog.WriteOptions) error) {
	if w.afterDelete == nil {
		w.afterDelete = map[string][]func(context.Context, model.URN, catalog.WriteOptions) error{}
	}
	w.afterDelete[entityType] = append(w.afterDelete[entityType], after)
}

// finishDeletions calls the functions registered with OnDelete and OnUnversioned for the deletions
// of an attempt that was committed.
func (w *Writer) finishDeletions(ctx context.Context, a *attempt, o catalog.WriteOptions) error {
	failure := func(u model.URN, err error) error {
		return catalog.Errorf(catalog.CodeOf(err), "%s is deleted, but not yet everything that follows from that; delete it again: %w", u, err)
	}
	ctx = permission.Decided(ctx) // the privilege to delete an entity includes the effects of the deletion
	deleted, unversioned := a.deleted, a.unversioned
	for _, u := range catalog.Distinct(deleted) {
		var errs []error
		for _, after := range w.afterDelete[u.EntityType()] {
			errs = append(errs, after(ctx, u, o.WithoutWait()))
		}
		if err := errors.Join(errs...); err != nil {
			return failure(u, err)
		}
	}
	for _, one := range unversioned {
		if err := w.afterUnversioned(ctx, one.set, one.version, o.WithoutWait()); err != nil {
			return failure(one.version, err)
		}
	}
	return nil
}

// deletionOf returns the change that deletes an entity: the deletion of its key
// aspect.
func (w *Writer) deletionOf(u model.URN) (*change, error) {
	entity, err := w.EntityType(u.EntityType())
	if err != nil {
		return nil, err
	}
	return w.changeAbout(u, &Proposal{ChangeType: Delete, AspectName: entity.KeyAspect})
}

// deleteEntity deletes an entity: all its versions and values, and the edges that it states.
func (s *session) deleteEntity(ch *change, key *graphstore.Aspect) error {
	if s.isPending(ch.urn.String()) { // a batch deletes before it writes
		if err := s.flush(); err != nil {
			return err
		}
	}
	if ch.entity.Has(model.AspectVersionProperties) {
		if err := s.noteUnversioned(ch.urn); err != nil {
			return err
		}
	}
	s.pending.DeleteEntities = append(s.pending.DeleteEntities, ch.urn.String())
	if s.w.afterDelete[ch.entity.Name] != nil {
		s.attempt.deleted = append(s.attempt.deleted, ch.urn)
	}
	for _, told := range ch.toldOfDeletion() {
		if state := s.states[told]; state != nil && state.Latest != nil {
			record := s.deletionRecord(ch, state.Latest)
			record.Aspect = told.Name
			s.pending.Changes = append(s.pending.Changes, record)
		}
	}
	s.pending.Changes = append(s.pending.Changes, s.deletionRecord(ch, key))
	for other, state := range s.states {
		if other.URN == ch.urn.String() {
			*state = graphstore.AspectState{NextSeq: 1}
		}
	}
	for _, name := range defaultsOf(ch.entity) {
		s.states[graphstore.AspectKey{URN: ch.urn.String(), Name: name}] = &graphstore.AspectState{NextSeq: 1}
	}
	delete(s.defaulted, ch.urn.String())
	return nil
}

// deletionRecord is the record of the deletion of an aspect with its entity. The record contains
// the value, because the version is deleted too.
func (s *session) deletionRecord(ch *change, latest *graphstore.Aspect) graphstore.Change {
	record := s.record(ch, graphstore.ChangeDelete)
	record.PreviousSeq, record.Previous, record.PreviousSystem = latest.Seq, latest.Value, &latest.System
	record.System = &ch.system
	return record
}

func deletionsOf(changes []*change, held map[string]graphstore.Holdings) []Deletion {
	deletions := make([]Deletion, len(changes))
	for i, ch := range changes {
		h := held[ch.urn.String()]
		delete(h.TimeSeries, catalog.RolledBackSeries) // no caller wrote these
		delete(h.TimeSeries, catalog.RollbacksSeries)
		deletions[i] = Deletion{URN: ch.urn.String(), Rows: h.Versions, TimeSeriesRows: h.Values()}
	}
	return deletions
}

// DeleteValues deletes the values of a time series in a range, in one
// transaction.
func (w *Writer) DeleteValues(ctx context.Context, values graphstore.TimeSeriesRange, actor string) error {
	if err := w.firstRefusal(ctx, []Want{{URN: model.StoredURN(values.URN), Aspect: values.Aspect, Kind: Deletes}}); err != nil {
		return err
	}
	err := w.commit(ctx, []string{values.URN}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			DeleteTimeSeries: []graphstore.TimeSeriesRange{values},
			Changes: []graphstore.Change{{
				Time: tx.Now(), Actor: actor, Kind: graphstore.ChangeDelete, URN: values.URN,
				EntityType: model.StoredURN(values.URN).EntityType(), Aspect: values.Aspect,
			}},
		})
	})
	if err == nil {
		w.written.Signal()
	}
	return catalog.StoreFailure(err)
}

// Mark says how [Writer.MarkRemoved] marks entities.
type Mark struct {
	// Removed sets the soft-delete mark; otherwise the mark is removed.
	Removed bool
	// DryRun counts and changes nothing.
	DryRun bool
	// System is the system metadata of the write.
	System *catalog.SystemMetadata
}

// MarkRemoved sets or removes the soft-delete mark of entities in one transaction. It returns the
// entities whose mark it changed. Entities that do not exist are left out.
func (w *Writer) MarkRemoved(ctx context.Context, urns []model.URN, m Mark, o catalog.WriteOptions) ([]string, error) {
	if !m.DryRun { // also for entities that do not exist, because the answer must not tell that
		wants := make([]Want, len(urns))
		for i, u := range urns {
			wants[i] = Want{URN: u, Aspect: model.AspectStatus, Kind: Changes}
		}
		if err := w.firstRefusal(ctx, wants); err != nil {
			return nil, err
		}
	}
	nodes, err := w.store.Entities(ctx, catalog.Texts(urns))
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	value, err := json.Marshal(catalog.Tree{"removed": m.Removed})
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "status: %w", err)
	}
	var (
		changes []*change
		marked  []string
	)
	for i := range nodes {
		if !nodes[i].Exists || nodes[i].Removed == m.Removed {
			continue
		}
		ch, err := w.changeAbout(model.StoredURN(nodes[i].URN), &Proposal{
			AspectName: model.AspectStatus, System: m.System,
			Aspect: &GenericAspect{Value: value, ContentType: "application/json"},
		})
		if err != nil {
			return nil, err
		}
		changes, marked = append(changes, ch), append(marked, nodes[i].URN)
	}
	if m.DryRun {
		return marked, nil
	}
	return marked, w.together(ctx, changes, o)
}
