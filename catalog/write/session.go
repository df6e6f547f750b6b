package write

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// outcome is the result of one change.
type outcome struct {
	changed bool
	// created: the aspect had no value before.
	created bool
	err     error
}

// result returns the result of a change that was not refused, for callers.
func (o *outcome) result(ch *change) Result {
	return Result{URN: ch.urn.String(), Changed: o.changed, Created: o.created}
}

// session applies changes inside one transaction. It adds no default aspect that one of the changes
// writes.
type session struct {
	w     *Writer
	tx    graphstore.Tx
	actor string
	// states has the states of aspects as they will be after the pending writes.
	states map[graphstore.AspectKey]*graphstore.AspectState
	// requested are the aspects that the session's changes write.
	requested map[graphstore.AspectKey]bool
	// made are the entities that a CREATE_ENTITY names and that did not exist
	// before the request.
	made map[string]bool
	// defaulted are the entities whose default aspects are stored or pending.
	defaulted map[string]bool
	pending   graphstore.Batch
	// pendingAspects has the aspects with a pending write; a second write of such an aspect needs
	// another batch.
	pendingAspects map[graphstore.AspectKey]bool
	nodes          map[string]*graphstore.NodeUpdate
	// observed are the entities of pending equal writes that have no record of their own.
	observed map[string]*change
	// platform caches the delimiter of the platform info that was read last.
	platform struct {
		info      json.RawMessage
		delimiter string
	}
	// attempt has the results of the work before the transaction.
	attempt *attempt
	// inside is how many more bytes of values the transaction may process, lacks the work that
	// it ends without.
	inside int
	lacks  *lacking
}

func (w *Writer) newSession(tx graphstore.Tx, a *attempt) *session {
	a.outcomes, a.deleted, a.unversioned = nil, nil, nil // a transaction may be run again
	return &session{
		w: w, tx: tx, actor: a.actor, attempt: a, inside: insideBytes, lacks: &lacking{},
		states: map[graphstore.AspectKey]*graphstore.AspectState{}, requested: map[graphstore.AspectKey]bool{}, made: map[string]bool{},
		defaulted: map[string]bool{}, pendingAspects: map[graphstore.AspectKey]bool{}, nodes: map[string]*graphstore.NodeUpdate{}, observed: map[string]*change{},
	}
}

// applyAll applies changes in order. A change that cannot be applied has an error
// as its outcome and does not affect the others. The returned error is that of
// the whole transaction.
func (s *session) applyAll(changes []*change) ([]outcome, error) {
	if err := s.lockVersions(changes); err != nil {
		return nil, err
	}
	if err := s.load(changes); err != nil {
		return nil, err
	}
	outcomes := make([]outcome, len(changes))
	for i, ch := range changes {
		absent := s.isAbsent(ch)
		changed, err := false, ch.refused
		if err == nil {
			changed, err = s.apply(ch)
		}
		if err != nil {
			if catalog.CodeOf(err) == catalog.Internal { // a lacking among them
				return nil, err
			}
			outcomes[i].err = err
			continue
		}
		outcomes[i].changed, outcomes[i].created = changed, changed && absent
	}
	return outcomes, s.flush()
}

// isAbsent reports whether an aspect has no value; a time series does not count as one.
func (s *session) isAbsent(ch *change) bool {
	state := s.states[ch.aspectKey()]
	return state != nil && state.Latest == nil
}

// load reads the states of the aspects that the changes write, in one call. A second call reads the
// default aspects of the entities that may lack them: those whose aspects have no values yet. Other
// entities got their defaults with their first write.
func (s *session) load(changes []*change) error {
	var keys []graphstore.AspectKey
	for _, ch := range changes {
		if !ch.aspect.TimeSeries {
			keys = append(keys, ch.aspectKey())
			s.requested[ch.aspectKey()] = true
			if key, depends := overruledKey(ch); depends {
				keys = append(keys, key)
			}
		}
		if ch.kind == Delete && ch.aspect.IsKey {
			keys = append(keys, ch.toldOfDeletion()...)
		}
		if ch.kind == Delete && ch.aspect.IsKey && ch.entity.Has(model.AspectVersionProperties) {
			keys = append(keys, versionKey(ch.urn.String()))
		}
		if ch.edit != nil || ch.kind == CreateEntity { // the change depends on whether the entity exists
			keys = append(keys, ch.keyAspect())
		}
	}
	if err := s.read(keys); err != nil {
		return err
	}
	for _, ch := range changes {
		if s.attempt.whole && ch.kind == CreateEntity && s.states[ch.keyAspect()].Latest == nil {
			s.made[ch.urn.String()] = true
		}
	}
	keys = keys[:0]
	for _, ch := range changes {
		urn := ch.urn.String()
		if state := s.states[ch.aspectKey()]; state != nil && state.Latest != nil {
			s.defaulted[urn] = true
		}
	}
	for _, ch := range changes {
		keys = append(keys, s.w.definitionKeys(ch)...)
		if s.defaulted[ch.urn.String()] || ch.kind == Delete {
			continue
		}
		for _, name := range defaultsOf(ch.entity) {
			keys = append(keys, graphstore.AspectKey{URN: ch.urn.String(), Name: name})
		}
		if key, ok := delimiterKey(ch); ok {
			keys = append(keys, key)
		}
	}
	return s.read(keys)
}

// read reads the states that are not known yet.
func (s *session) read(wanted []graphstore.AspectKey) error {
	var keys []graphstore.AspectKey
	for _, key := range wanted {
		if _, ok := s.states[key]; !ok {
			s.states[key] = nil
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	states, err := s.tx.Aspects(keys)
	if err != nil {
		return err
	}
	for i, key := range keys {
		s.states[key] = &states[i]
	}
	return nil
}

// apply applies one change and adds the default aspects if it wrote something.
func (s *session) apply(ch *change) (changed bool, err error) {
	if ch.aspect.TimeSeries {
		s.putTimeSeries(ch)
		return true, s.addDefaults(ch)
	}
	state := s.states[ch.aspectKey()]
	if leftOut, err := ch.admit(state.Latest, s.exists(ch)); leftOut || err != nil {
		return false, err
	}
	if ch.draft.fits(state.Latest) && ch.draft.refused != nil {
		return false, ch.draft.refused
	}
	switch ch.kind {
	case Delete:
		return s.delete(ch)
	case editing:
		return s.applyEdit(ch)
	}
	value := ch.value
	switch {
	case ch.kind == Patch:
		value, err = s.patch(ch, state.Latest)
	case ch.followsStored():
		value, err = s.settle(ch, state.Latest)
	}
	if err != nil {
		return false, err
	}
	if ch.isVersioned() {
		changed, err = s.putVersion(ch, value)
	} else {
		changed, err = s.put(ch, value)
	}
	if err != nil {
		return false, err
	}
	return changed, s.addDefaults(ch)
}

// exists reports whether the entity of a CREATE_ENTITY existed before the request.
func (s *session) exists(ch *change) bool {
	return ch.kind == CreateEntity && s.states[ch.keyAspect()].Latest != nil && !s.made[ch.urn.String()]
}

// patch returns the result of a patch on the latest value.
func (s *session) patch(ch *change, latest *graphstore.Aspect) (*model.Value, error) {
	if ch.draft.fits(latest) {
		return ch.draft.value, ch.draft.err
	}
	current := textOf(latest)
	if !ch.patch.Small() {
		return nil, s.lacks
	}
	if err := s.spend(len(current) + ch.patch.Size()); err != nil {
		return nil, err
	}
	return s.w.patched(ch, current, model.Stamp{Time: s.tx.Now(), Actor: s.actor})
}

// settle returns a stated value with the members that follow from the latest one.
func (s *session) settle(ch *change, latest *graphstore.Aspect) (*model.Value, error) {
	if ch.draft.fits(latest) {
		return ch.draft.value, ch.draft.err
	}
	current := textOf(latest)
	if err := s.spend(len(current) + len(ch.value.JSON)); err != nil {
		return nil, err
	}
	return s.w.settled(ch, current)
}

// put writes a value, unless it is the latest one already.
func (s *session) put(ch *change, value *model.Value) (changed bool, err error) {
	key := ch.aspectKey()
	if err := s.makeRoom(key); err != nil {
		return false, err
	}
	if err := s.checkLiving(ch); err != nil {
		return false, ch.refuse(err)
	}
	state := s.states[key]
	t, err := s.transition(ch, state.Latest, value)
	if err != nil {
		return false, err
	}
	if t.equal {
		s.observe(ch, state.Latest)
		return false, nil
	}
	if err := s.checkProperties(ch, t.former, value); err != nil {
		return false, ch.refuse(err)
	}
	edges, err := s.preferred(ch, t.former, value, t.edges)
	if err != nil {
		return false, err
	}
	now := s.tx.Now()
	next := graphstore.Aspect{
		URN: key.URN, Name: key.Name, Seq: state.NextSeq, Value: value.JSON,
		CreatedOn: now, CreatedBy: s.actor, System: ch.system,
	}
	next.System.LastRunID, next.System.AspectCreated = before(state, now, s.actor)
	record := s.record(ch, graphstore.ChangeUpsert)
	record.Seq = next.Seq
	if state.Latest != nil {
		record.Replaces(state.Latest)
		if old, ok := s.w.expired(ch.entity.Name, key, state.Latest.Seq); ok {
			s.pending.DeleteVersions = append(s.pending.DeleteVersions, old)
		}
	}
	s.pending.PutVersions = append(s.pending.PutVersions, next)
	s.pending.Changes = append(s.pending.Changes, record)
	writeEdges(&s.pending, &edges, s.edgeStamp(ch))
	if err := s.updateNode(ch, t.former, value); err != nil {
		return false, err
	}
	*state = graphstore.AspectState{Latest: &next, NextSeq: next.Seq + 1}
	return true, nil
}

// before returns the run of the version that the next one replaces, and the stamp with which the
// aspect began.
func before(state *graphstore.AspectState, now int64, actor string) (lastRun string, created *graphstore.Stamp) {
	switch {
	case state.Latest != nil:
		return state.Latest.System.RunID, catalog.CreatedOf(state.Latest)
	case state.NextSeq == catalog.FirstVersion:
		return "", nil // the aspect's own stamp has the time
	}
	return "", &graphstore.Stamp{Time: now, Actor: actor}
}

// observe records an equal write, which only moves lastObserved. Lineage gets a RESTATE in the
// change log.
func (s *session) observe(ch *change, latest *graphstore.Aspect) {
	s.pending.Observe = append(s.pending.Observe, graphstore.Observation{Key: ch.aspectKey(), LastObserved: ch.system.LastObserved})
	latest.System.LastObserved = ch.system.LastObserved
	if ch.aspect.HasLineage() {
		record := s.record(ch, graphstore.ChangeRestate)
		record.Becomes(latest)
		record.Replaces(latest)
		s.pending.Changes = append(s.pending.Changes, record)
		return
	}
	s.observed[ch.urn.String()] = ch
}

func (s *session) record(ch *change, kind graphstore.ChangeKind) graphstore.Change {
	return graphstore.Change{
		Time: s.tx.Now(), Actor: s.actor, Kind: kind,
		URN: ch.urn.String(), EntityType: ch.entity.Name, Aspect: ch.aspect.Name,
	}
}

// makeRoom writes the pending batch if it has a write of the aspect: a batch has at most one write
// of each aspect.
func (s *session) makeRoom(key graphstore.AspectKey) error {
	if s.pendingAspects[key] {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.pendingAspects[key] = true
	return nil
}

// flush writes the pending batch.
func (s *session) flush() error {
	for _, urn := range slices.Sorted(maps.Keys(s.nodes)) {
		s.pending.Nodes = append(s.pending.Nodes, *s.nodes[urn])
	}
	s.noteObserved()
	batch := s.pending
	s.pending = graphstore.Batch{}
	clear(s.nodes)
	clear(s.pendingAspects)
	if batch.Empty() {
		return nil
	}
	return s.tx.Write(batch)
}

func (s *session) putTimeSeries(ch *change) {
	now := s.tx.Now()
	s.pending.PutTimeSeries = append(s.pending.PutTimeSeries, graphstore.TimeSeriesValue{
		URN: ch.urn.String(), Aspect: ch.aspect.Name, Key: ch.key, Timestamp: ch.timestamp,
		Value: ch.value.JSON, System: ch.system, CreatedOn: now, CreatedBy: s.actor,
	})
	record := s.record(ch, graphstore.ChangeUpsert)
	record.TimeSeriesTime, record.TimeSeriesKey = ch.timestamp, ch.key
	s.pending.Changes = append(s.pending.Changes, record)
	s.node(ch)
}

// delete deletes an aspect, or the whole entity if it is the key aspect.
func (s *session) delete(ch *change) (changed bool, err error) {
	key := ch.aspectKey()
	state := s.states[key]
	if state.Latest == nil {
		return false, nil
	}
	if ch.aspect.IsKey {
		return true, s.deleteEntity(ch, state.Latest)
	}
	if err := s.makeRoom(key); err != nil {
		return false, err
	}
	t, err := s.transition(ch, state.Latest, nil)
	if err != nil {
		return false, err
	}
	if err := s.checkProperties(ch, t.former, nil); err != nil {
		return false, ch.refuse(err)
	}
	edges, err := s.preferred(ch, t.former, nil, t.edges)
	if err != nil {
		return false, err
	}
	if ch.aspect.Name == model.AspectVersionProperties && ch.kind == Delete {
		if err := s.noteUnversioned(ch.urn); err != nil {
			return false, err
		}
	}
	record := s.record(ch, graphstore.ChangeDelete)
	record.Replaces(state.Latest)
	record.System = &ch.system
	s.pending.Archive = append(s.pending.Archive, key)
	s.pending.Changes = append(s.pending.Changes, record)
	writeEdges(&s.pending, &edges, s.edgeStamp(ch))
	if err := s.updateNode(ch, t.former, nil); err != nil {
		return false, err
	}
	state.Latest = nil
	return true, nil
}

// isPending reports whether a write of an entity is pending.
func (s *session) isPending(urn string) bool {
	if _, ok := s.nodes[urn]; ok {
		return true
	}
	for key := range s.pendingAspects {
		if key.URN == urn {
			return true
		}
	}
	return false
}
