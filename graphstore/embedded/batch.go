package embedded

import (
	"encoding/json"

	"github.com/headwater-io/headwater/graphstore"
)

// Write applies a batch in the order of its fields.
func (t *tx) Write(batch graphstore.Batch) error {
	if t.over {
		return errOver
	}
	if t.err != nil {
		return t.err
	}
	t.err = t.write(&batch)
	return t.err
}

func (t *tx) write(batch *graphstore.Batch) error {
	t.written = true
	t.nodes = make(map[string]*graphstore.NodeUpdate, len(batch.Nodes))
	for i := range batch.Nodes {
		t.nodes[batch.Nodes[i].URN] = &batch.Nodes[i]
	}
	return firstError(
		each(batch.DeleteEntities, t.deleteEntity),
		each(batch.DeleteVersions, t.deleteVersions),
		each(batch.Observe, t.observe),
		each(batch.Archive, t.archive),
		each(batch.Restore, t.restore),
		each(batch.PutArchived, t.putArchived),
		each(batch.PutVersions, t.putVersion),
		each(batch.Nodes, t.putNode),
		each(batch.EndEdges, t.endEdge),
		each(batch.UpdateEdges, t.updateEdge),
		each(batch.AddEdges, t.addEdge),
		each(batch.EnsureEdges, t.ensureEdge),
		each(batch.AddEnded, t.addEnded),
		each(batch.PutTimeSeries, t.putTimeSeries),
		each(batch.DeleteTimeSeries, t.deleteTimeSeries),
		each(batch.PutRecords, t.putRecord),
		each(batch.Changes, t.addChange),
	)
}

// each returns a step of a write that applies a function to every item.
func each[T any](items []T, apply func(*T) error) func() error {
	return func() error {
		for i := range items {
			if err := apply(&items[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) deleteEntity(urn *string) error {
	if err := t.refuse(*urn); err != nil {
		return err
	}
	id, err := t.w.entityID(*urn)
	if err != nil || id == 0 {
		return err
	}
	ends, err := t.edgeEnds(id)
	if err != nil {
		return err
	}
	s := &t.w.stmts
	low, high := id*maxAspectNames, (id+1)*maxAspectNames-1
	for _, step := range []struct {
		command *command
		args    []any
	}{
		{s.deleteEntityLatest, []any{low, high}},
		{s.deleteEntityVersions, []any{low, high}},
		{s.deleteEntityTimeSeries, []any{id}},
		{s.deleteEdgesFrom, []any{id}},
		{s.deleteEdgesElsewhere, []any{id}},
		{s.deleteEnded, []any{id}},
		{s.setState, []any{id, statePlaceholder}},
	} {
		if err := step.command.run(step.args...); err != nil {
			return err
		}
	}
	t.w.changedLatest[id] = true
	for _, end := range append(ends, id) {
		t.w.changedEnds[end] = true
		if err := t.dropUntouched(end); err != nil {
			return err
		}
	}
	return nil
}

// edgeEnds lists the entities at the ends of an owner's statements.
func (t *tx) edgeEnds(owner int64) ([]int64, error) {
	rows, err := t.w.stmts.edgeEnds.QueryContext(background, owner)
	if err != nil {
		return nil, storeError(err)
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, storeError(err)
		}
		ids = append(ids, id)
	}
	return ids, storeError(rows.Err())
}

// dropUntouched deletes a placeholder that is no end of an edge.
func (t *tx) dropUntouched(id int64) error {
	var touched bool
	if err := t.w.stmts.touching.QueryRowContext(background, id).Scan(&touched); err != nil || touched {
		return storeError(err)
	}
	t.w.someGone = true
	return t.w.stmts.dropUntouched.run(id)
}

func (t *tx) deleteVersions(r *graphstore.VersionRange) error {
	id, err := t.writableAspect(r.Key)
	if err != nil || id == 0 {
		return err
	}
	if err := t.w.stmts.deleteVersionRange.run(id, r.FromSeq, r.ToSeq); err != nil {
		return err
	}
	return t.w.stmts.deleteLatestRange.run(id, r.FromSeq, r.ToSeq)
}

// writableAspect returns the id of an aspect whose latest version the caller may change. The id
// is 0 if the aspect has no rows.
func (t *tx) writableAspect(key graphstore.AspectKey) (int64, error) {
	if err := t.refuse(key.URN); err != nil {
		return 0, err
	}
	id, err := t.w.aspectID(key)
	if id != 0 {
		t.w.changedLatest[id/maxAspectNames] = true
	}
	return id, err
}

func (t *tx) observe(o *graphstore.Observation) error {
	id, err := t.writableAspect(o.Key)
	if err != nil || id == 0 {
		return err
	}
	return t.w.stmts.observe.run(o.LastObserved, id)
}

func (t *tx) archive(key *graphstore.AspectKey) error {
	id, err := t.writableAspect(*key)
	if err != nil || id == 0 {
		return err
	}
	if err := t.w.stmts.archiveLatest.run(id); err != nil {
		return err
	}
	return t.w.stmts.deleteLatest.run(id)
}

func (t *tx) restore(v *graphstore.VersionKey) error {
	id, err := t.writableAspect(v.Key)
	if err != nil || id == 0 {
		return err
	}
	if err := t.w.stmts.restoreVersion.run(id, v.Seq); err != nil {
		return err
	}
	return t.w.stmts.deleteVersionRange.run(id, v.Seq, v.Seq)
}

func (t *tx) putVersion(a *graphstore.Aspect) error {
	id, row, err := t.versionRow(a)
	if err != nil {
		return err
	}
	if a.Seq > 1 {
		archived, err := t.w.stmts.archiveLatest.count(id)
		if err != nil {
			return err
		}
		if archived > 0 {
			return t.w.stmts.updateLatest.run(append(row, id)...)
		}
	}
	return t.w.stmts.insertLatest.run(append(row, id)...)
}

func (t *tx) putArchived(a *graphstore.Aspect) error {
	id, row, err := t.versionRow(a)
	if err != nil {
		return err
	}
	return t.w.stmts.putArchived.run(append(row, id)...)
}

// versionRow returns the id of the aspect, and the columns with the number and the stamp of a
// version.
func (t *tx) versionRow(a *graphstore.Aspect) (id int64, row []any, err error) {
	if err := t.refuse(a.URN); err != nil {
		return 0, nil, err
	}
	entity, err := t.entity(a.URN, "")
	if err != nil {
		return 0, nil, err
	}
	name, err := t.internAspect(a.Name)
	if err != nil {
		return 0, nil, err
	}
	t.w.changedLatest[entity] = true
	row, err = t.stamp(append(make([]any, 0, 12), a.Seq), a.CreatedOn, a.CreatedBy, &a.System)
	if err != nil {
		return 0, nil, err
	}
	if row, err = t.before(row, &a.System); err != nil {
		return 0, nil, err
	}
	return entity*maxAspectNames + name, append(row, string(a.Value)), nil
}

// before appends to a row the columns about the version that was replaced, NULL if there was
// none.
func (t *tx) before(row []any, system *graphstore.SystemMetadata) ([]any, error) {
	var lastRun, madeOn, madeBy any
	if system.LastRunID != "" {
		id, err := t.intern(system.LastRunID)
		if err != nil {
			return nil, err
		}
		lastRun = id
	}
	if made := system.AspectCreated; made != nil {
		id, err := t.intern(made.Actor)
		if err != nil {
			return nil, err
		}
		madeOn, madeBy = made.Time, id
	}
	return append(row, lastRun, madeOn, madeBy), nil
}

// stamp appends to a row the values of stampColumns up to the properties.
func (t *tx) stamp(row []any, createdOn int64, createdBy string, system *graphstore.SystemMetadata) ([]any, error) {
	by, err := t.intern(createdBy)
	if err != nil {
		return nil, err
	}
	runID, err := t.intern(system.RunID)
	if err != nil {
		return nil, err
	}
	registry, err := t.intern(system.RegistryName + registrySeparator + system.RegistryVersion)
	if err != nil {
		return nil, err
	}
	properties, err := detailsOf(system)
	if err != nil {
		return nil, err
	}
	return append(row, createdOn, by, system.LastObserved, runID, registry, properties), nil
}

func (t *tx) putNode(n *graphstore.NodeUpdate) error {
	if err := t.refuse(n.URN); err != nil {
		return err
	}
	id, err := t.entity(n.URN, n.Type)
	if err != nil {
		return err
	}
	if _, waiting := t.nodes[n.URN]; !waiting {
		return nil // the row was created with these values
	}
	properties, err := propertiesText(n.Properties, false)
	if err != nil {
		return err
	}
	typeID, err := t.intern(n.Type)
	if err != nil {
		return err
	}
	state := statePlaceholder
	if n.Exists {
		state = stateExists
	}
	var removed any
	if n.Removed != nil {
		removed = *n.Removed
	}
	// Most updates change only properties, which are in no index and which walks do not cache.
	same, err := t.w.stmts.updateProperties.count(properties, id, state, typeID, removed)
	if err != nil || same > 0 {
		return err
	}
	t.w.changedEnds[id] = true
	return t.w.stmts.updateEntity.run(state, removed, typeID, properties, id)
}

// identity returns the six columns that identify a statement.
func (t *tx) identity(e *graphstore.EdgeID, sourceType, destinationType string) ([]any, error) {
	if err := t.refuse(e.Owner); err != nil {
		return nil, err
	}
	var ids [6]any
	for i, get := range []func() (int64, error){
		func() (int64, error) { return t.entity(e.Source, sourceType) },
		func() (int64, error) { return t.intern(e.Type) },
		func() (int64, error) { return t.entity(e.Destination, destinationType) },
		func() (int64, error) { return t.entity(e.Owner, "") },
		func() (int64, error) { return t.internAspect(e.Aspect) },
		func() (int64, error) { return t.intern(e.Path) },
	} {
		id, err := get()
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids[:], nil
}

// markEndsChanged records that the edges of both ends of a statement change.
func (t *tx) markEndsChanged(identity []any) {
	t.w.changedEnds[identity[0].(int64)], t.w.changedEnds[identity[2].(int64)] = true, true
}

func (t *tx) interned(texts ...string) ([]any, error) {
	ids := make([]any, len(texts))
	for i, text := range texts {
		id, err := t.intern(text)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

func (t *tx) endEdge(e *graphstore.EdgeEnd) error {
	args, err := t.identity(&e.EdgeID, "", "")
	if err != nil {
		return err
	}
	by, err := t.interned(e.UntilRun, e.UntilActor)
	if err != nil {
		return err
	}
	t.markEndsChanged(args)
	if err := t.w.stmts.copyEnded.run(append([]any{e.Until, e.Until, by[0], by[1]}, args...)...); err != nil {
		return err
	}
	return t.w.stmts.deleteEdge.run(args...)
}

// attributes returns the columns with the attributes that an aspect states of an edge.
func (t *tx) attributes(a *graphstore.EdgeAttributes) ([]any, error) {
	actors, err := t.interned(a.CreatedActor, a.UpdatedActor)
	if err != nil {
		return nil, err
	}
	return []any{a.CreatedOn, actors[0], a.UpdatedOn, actors[1], nullable(a.Properties), nullable(json.RawMessage(a.Via))}, nil
}

func (t *tx) updateEdge(e *graphstore.EdgeStatement) error {
	args, err := t.identity(&e.EdgeID, e.SourceType, e.DestinationType)
	if err != nil {
		return err
	}
	attributes, err := t.attributes(&e.EdgeAttributes)
	if err != nil {
		return err
	}
	return t.w.stmts.updateEdge.run(append(attributes, args...)...)
}

func (t *tx) addEdge(e *graphstore.EdgeStatement) error {
	row, err := t.edgeRow(e)
	if err != nil {
		return err
	}
	return t.w.stmts.insertEdge.run(row...)
}

func (t *tx) ensureEdge(e *graphstore.EdgeStatement) error {
	row, err := t.edgeRow(e)
	if err != nil {
		return err
	}
	return t.w.stmts.ensureEdge.run(row...)
}

func (t *tx) addEnded(e *graphstore.EndedStatement) error {
	row, err := t.edgeRow(&e.EdgeStatement)
	if err != nil {
		return err
	}
	until, err := t.interned(e.UntilRun, e.UntilActor)
	if err != nil {
		return err
	}
	return t.w.stmts.insertEnded.run(append(row, e.Until, until[0], until[1])...)
}

// edgeRow returns the values of edgeColumns. edgeRow creates missing ends.
func (t *tx) edgeRow(e *graphstore.EdgeStatement) ([]any, error) {
	row, err := t.identity(&e.EdgeID, e.SourceType, e.DestinationType)
	if err != nil {
		return nil, err
	}
	t.markEndsChanged(row)
	for _, end := range []any{row[0], row[2]} {
		// A deleted node becomes a placeholder again.
		if err := t.revive(end.(int64)); err != nil {
			return nil, err
		}
	}
	since, err := t.interned(e.SinceRun, e.SinceActor)
	if err != nil {
		return nil, err
	}
	attributes, err := t.attributes(&e.EdgeAttributes)
	if err != nil {
		return nil, err
	}
	row = append(append(row, e.Since, since[0], since[1]), attributes...)
	if e.Resumed == 0 {
		return append(row, nil, nil), nil
	}
	by, err := t.intern(e.ResumedActor)
	return append(row, e.Resumed, by), err
}

func (t *tx) revive(id int64) error {
	if !t.w.someGone {
		return nil
	}
	return t.w.stmts.revive.run(id)
}

func (t *tx) putTimeSeries(v *graphstore.TimeSeriesValue) error {
	if err := t.refuse(v.URN); err != nil {
		return err
	}
	entity, err := t.entity(v.URN, "")
	if err != nil {
		return err
	}
	aspect, err := t.internAspect(v.Aspect)
	if err != nil {
		return err
	}
	row, err := t.stamp([]any{entity, aspect, v.Timestamp, v.Key}, v.CreatedOn, v.CreatedBy, &v.System)
	if err != nil {
		return err
	}
	return t.w.stmts.putTimeSeries.run(append(row, string(v.Value))...)
}

func (t *tx) deleteTimeSeries(r *graphstore.TimeSeriesRange) error {
	if err := t.refuse(r.URN); err != nil {
		return err
	}
	entity, err := t.w.entityID(r.URN)
	if err != nil || entity == 0 {
		return err
	}
	aspect, runID, ok, err := t.w.names.ofRange(r)
	if err != nil || !ok {
		return storeError(err)
	}
	from, to := graphstore.TimeBounds(r.From, r.To)
	return t.w.stmts.deleteTimeSeries.run(entity, aspect, from, to, runID)
}

func nullable(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	return string(text)
}
