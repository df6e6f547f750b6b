package write

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// EntityRows are the latest versions of one entity that an origin wrote.
type EntityRows struct {
	URN  string
	Rows []graphstore.Row
	// Made: the origin created the entity; its key is among the rows.
	Made bool
}

// RollBackEntities rolls back, in one transaction, the rows of an origin. In each aspect the newest
// version of another origin becomes the latest, with its own stamps. An entity that the origin
// created is deleted completely if the rollback is hard, and soft-deleted otherwise.
// RollBackEntities returns how many aspects of others were deleted with entities.
func (w *Writer) RollBackEntities(ctx context.Context, entities []EntityRows, origin graphstore.Origin, hard bool, actor string) (others int64, err error) {
	if err := w.protectRows(ctx, entities); err != nil {
		return 0, err
	}
	urns := make([]string, len(entities))
	for i := range entities {
		urns[i] = entities[i].URN
	}
	a := newAttempt(actor, urns)
	a.rules = func(s *session) (err error) {
		if others, err = s.rollBackEntities(entities, origin, hard); err != nil {
			return err
		}
		return s.flush()
	}
	err = w.write(ctx, a, catalog.WriteOptions{Actor: actor})
	return others, err
}

// rollBackEntities rolls back those rows of entities that are still the latest. It returns how many
// aspects of others were deleted with entities.
func (s *session) rollBackEntities(entities []EntityRows, origin graphstore.Origin, hard bool) (others int64, err error) {
	predecessors, err := s.predecessors(entities, origin, hard)
	if err != nil {
		return 0, err
	}
	var lacks *lacking // the loop continues, so that all the work that is lacking is known
	for i := range entities {
		n, err := s.rollBackEntity(&entities[i], predecessors, origin, hard)
		if err != nil && !errors.As(err, &lacks) {
			return 0, err
		}
		others += n
	}
	if lacks != nil {
		return 0, lacks
	}
	return others, nil
}

// predecessors reads the states of the rows' aspects, and the versions that
// replace them.
func (s *session) predecessors(entities []EntityRows, origin graphstore.Origin, hard bool) (map[graphstore.AspectKey]*graphstore.Aspect, error) {
	var states, replaced []graphstore.AspectKey
	for i := range entities {
		e := &entities[i]
		for k := range e.Rows {
			key := graphstore.AspectKey{URN: e.URN, Name: e.Rows[k].Aspect}
			states = append(states, key)
			if key, depends := overruledKey(&change{urn: model.StoredURN(e.URN), aspect: s.w.Registry().AnyAspect(key.Name)}); depends {
				states = append(states, key)
			}
			if !hard || !e.Made {
				replaced = append(replaced, key)
			}
		}
		if e.Made && !hard {
			states = append(states, graphstore.AspectKey{URN: e.URN, Name: model.AspectStatus})
		}
	}
	if err := s.read(states); err != nil {
		return nil, err
	}
	found, err := s.tx.Predecessors(replaced, origin)
	if err != nil {
		return nil, err
	}
	predecessors := make(map[graphstore.AspectKey]*graphstore.Aspect, len(found))
	for i, key := range replaced {
		predecessors[key] = found[i]
	}
	return predecessors, nil
}

func (s *session) rollBackEntity(e *EntityRows, predecessors map[graphstore.AspectKey]*graphstore.Aspect, origin graphstore.Origin, hard bool) (others int64, err error) {
	key, err := s.w.deletionOf(model.StoredURN(e.URN))
	if err != nil {
		return 0, err
	}
	made := s.latestOf(key.aspectKey(), origin)
	if made != nil && hard {
		latest, err := s.tx.Latest([]string{e.URN})
		if err != nil {
			return 0, err
		}
		for i := range latest[e.URN] {
			if !origin.Of(&latest[e.URN][i].System) {
				others++
			}
		}
		return others, s.deleteEntity(key, made)
	}
	var lacks *lacking
	for i := range e.Rows {
		name := e.Rows[i].Aspect
		aspect := s.w.Registry().AnyAspect(name)
		if aspect.IsKey {
			continue
		}
		ch := *key
		ch.aspect = aspect
		if latest := s.latestOf(ch.aspectKey(), origin); latest != nil {
			err := s.rollBackAspect(&ch, latest, predecessors[ch.aspectKey()])
			if err != nil && !errors.As(err, &lacks) {
				return 0, err
			}
		}
	}
	if lacks != nil {
		return 0, lacks
	}
	if made == nil {
		return 0, nil
	}
	return 0, s.softDelete(key)
}

// latestOf returns an aspect's latest version if the origin wrote it.
func (s *session) latestOf(key graphstore.AspectKey, origin graphstore.Origin) *graphstore.Aspect {
	state := s.states[key]
	if state == nil || state.Latest == nil || !origin.Of(&state.Latest.System) {
		return nil
	}
	return state.Latest
}

// rollBackAspect removes the latest version of an aspect, and the archived versions above its
// predecessor. The predecessor becomes the latest version; when it is nil, the aspect is deleted.
func (s *session) rollBackAspect(ch *change, latest, predecessor *graphstore.Aspect) error {
	key := ch.aspectKey()
	t, err := s.transitionBack(ch, latest, predecessor)
	if err != nil {
		return err
	}
	if err := s.makeRoom(key); err != nil {
		return err
	}
	record := s.record(ch, graphstore.ChangeDelete)
	// The version is deleted, so the record contains its value.
	record.PreviousSeq, record.Previous, record.PreviousSystem = latest.Seq, latest.Value, &latest.System
	gone := graphstore.VersionRange{Key: key, FromSeq: 1, ToSeq: latest.Seq}
	state := graphstore.AspectState{NextSeq: 1}
	if predecessor != nil {
		gone.FromSeq = predecessor.Seq + 1
		record.Kind = graphstore.ChangeUpsert
		record.Becomes(predecessor)
		state = graphstore.AspectState{Latest: predecessor, NextSeq: predecessor.Seq + 1}
		s.pending.Restore = append(s.pending.Restore, graphstore.VersionKey{Key: key, Seq: predecessor.Seq})
	} else {
		record.System = &ch.system
	}
	s.pending.DeleteVersions = append(s.pending.DeleteVersions, gone)
	s.pending.Changes = append(s.pending.Changes, record)
	if err := s.keepRolledBack(ch, latest, predecessor); err != nil {
		return err
	}
	edges, err := s.preferred(ch, t.former, t.value, t.edges)
	if err != nil {
		return err
	}
	if edges, err = s.resumedEdges(edges, predecessor); err != nil {
		return err
	}
	writeEdges(&s.pending, &edges, s.edgeStamp(ch))
	*s.states[key] = state
	return s.updateNode(ch, t.former, t.value)
}

// resumedEdges gives the statements that a rollback makes current again their former stamps. A
// statement whose former stamp the store no longer has gets the stamp of the version.
func (s *session) resumedEdges(diff edgeDiff, version *graphstore.Aspect) (edgeDiff, error) {
	if version == nil || len(diff.added)+len(diff.ensured) == 0 {
		return diff, nil
	}
	asked := make([]graphstore.StatementAt, len(diff.added))
	for i := range diff.added {
		asked[i] = graphstore.StatementAt{EdgeID: diff.added[i].EdgeID, At: version.CreatedOn}
	}
	ended, err := s.tx.Ended(asked)
	if err != nil {
		return diff, err
	}
	diff.known = make(map[graphstore.EdgeID]edgeStamp, len(diff.added)+len(diff.ensured))
	for i := range diff.ensured { // they have held meanwhile
		diff.known[diff.ensured[i].EdgeID] = edgeStampOf(version)
	}
	for i := range diff.added {
		stamp := edgeStampOf(version)
		if ended[i] != nil {
			stamp = edgeStampOfStatement(&ended[i].EdgeStatement)
		}
		stamp.resumed, stamp.resumedActor = s.tx.Now(), s.actor
		diff.known[diff.added[i].EdgeID] = stamp
	}
	return diff, nil
}

// transitionBack returns the transition from the latest version to a predecessor. If the values
// are too large, the transition is lacking.
func (s *session) transitionBack(ch *change, latest, predecessor *graphstore.Aspect) (*transition, error) {
	r := returning{ch, textOf(latest), textOf(predecessor)}
	if t := s.attempt.transitions[ch.aspectKey()]; t.is(r.before, r.after) {
		return t, nil
	}
	if err := s.spend(len(r.before) + len(r.after)); err != nil {
		s.lacks.returns = append(s.lacks.returns, r)
		return nil, err
	}
	return s.w.returned(r)
}

// returned computes the transition of a rollback.
func (w *Writer) returned(r returning) (_ *transition, err error) {
	var value *model.Value
	if r.after != nil {
		if value, err = w.Registry().ParseStored(r.ch.aspect.Name, r.after); err != nil {
			return nil, err
		}
	}
	return w.transitionTo(r.ch, r.before, value)
}

// softDelete soft-deletes the entity of a change.
func (s *session) softDelete(ch *change) error {
	if !ch.entity.Has(model.AspectStatus) {
		return nil
	}
	removed, err := s.w.changeAbout(ch.urn, &Proposal{
		AspectName: model.AspectStatus,
		Aspect:     &GenericAspect{Value: []byte(`{"removed":true}`), ContentType: "application/json"},
	})
	if err != nil {
		return err
	}
	// The mark may replace one that this batch rolls back. A batch deletes and restores versions
	// before it writes new ones, so both fit into one batch.
	delete(s.pendingAspects, removed.aspectKey())
	_, err = s.put(removed, removed.value)
	return err
}

// keepRolledBack keeps, for timelines, a version that is rolled back. Aspects that timelines do not
// cover are left out.
func (s *session) keepRolledBack(ch *change, latest, predecessor *graphstore.Aspect) error {
	if s.w.keepRolledBack == nil || !s.w.keepRolledBack(ch.aspect) {
		return nil
	}
	gone := catalog.RolledBackVersion{
		Aspect: ch.aspect.Name, CreatedOn: latest.CreatedOn, CreatedBy: latest.CreatedBy, Run: latest.System.RunID, Value: latest.Value,
	}
	if predecessor != nil {
		gone.Before = predecessor.Seq
	}
	value, err := json.Marshal(gone)
	if err != nil {
		return catalog.Errorf(catalog.Internal, "a version that is rolled back: %w", err)
	}
	now := s.tx.Now()
	s.pending.PutTimeSeries = append(s.pending.PutTimeSeries, graphstore.TimeSeriesValue{
		URN: ch.urn.String(), Aspect: catalog.RolledBackSeries, Key: strconv.FormatInt(now, 10) + " " + ch.aspect.Name, Timestamp: now,
		Value: value, CreatedOn: now, CreatedBy: s.actor,
	})
	s.noteLast(ch.entity.Name)
	return nil
}
