package write

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Mirrored is an entity as its source has it, for a replica to write: its state, and the changes of
// the log that led to it.
type Mirrored struct {
	URN string
	// Whole: State has everything that the source stores of the entity. Otherwise State has
	// everything of the aspects in Aspects.
	Whole   bool
	Aspects []string
	State   graphstore.History
	// Properties are the properties of the source's node, as a JSON object. They are empty if the
	// source has no such entity.
	Properties json.RawMessage
	// Observed tells when latest versions were last observed. The versions have no values.
	Observed []graphstore.Aspect
	// Values are values of time series.
	Values []graphstore.TimeSeriesValue
	// Changes are written into the replica's own log.
	Changes []graphstore.Change
}

// Mirror makes entities in the replica's store equal to the entities of the source, in one transaction. Equal
// entities are not written, so a second call changes nothing. The replica must be the only writer of its
// store. If the replica has statements or versions of an aspect that the source has forgotten, the source has
// deleted or replaced the entity, and a change that is Whole follows. Until then the aspect stays unchanged.
func (w *Writer) Mirror(ctx context.Context, entities []Mirrored) error {
	urns := make([]string, len(entities))
	for i := range entities {
		urns[i] = entities[i].URN
		if err := w.knows(&entities[i]); err != nil {
			return err
		}
	}
	stored, err := w.store.History(ctx, urns)
	if err != nil {
		return catalog.StoreFailure(err)
	}
	nodes, err := w.existingNodes(ctx, urns)
	if err != nil {
		return catalog.StoreFailure(err)
	}
	err = w.store.Update(ctx, urns, func(tx graphstore.Tx) error {
		s := w.newSession(tx, newAttempt("", urns))
		for i := range entities {
			r := mirroring{session: s, Mirrored: &entities[i], stored: stored[urns[i]], had: nodes[urns[i]]}
			if err := r.mirror(); err != nil {
				return err
			}
		}
		return s.flush()
	})
	if err == nil {
		w.written.Signal()
	}
	return catalog.StoreFailure(err)
}

// knows fails if this server's model lacks the entity type or an aspect of an entity.
func (w *Writer) knows(r *Mirrored) error {
	entity, err := w.EntityType(model.StoredURN(r.URN).EntityType())
	if err != nil {
		return err
	}
	for i := range r.State.Versions {
		if name := r.State.Versions[i].Name; !entity.Has(name) && !model.IsAspectName(name) {
			return catalog.Errorf(catalog.Invalid, "%s is not an aspect of %s", name, entity.Name)
		}
	}
	return nil
}

// mirroring is the work on one entity.
type mirroring struct {
	*session
	*Mirrored
	// stored is the replica's copy of the entity. had is its node, nil if the entity does not exist
	// in the replica.
	stored graphstore.History
	had    *graphstore.Entity
	// key is a change of the key aspect, of which the changes of other aspects are copies. It is
	// nil until setKey has run.
	key *change
}

func (r *mirroring) mirror() error {
	if err := r.mirrorState(); err != nil {
		return err
	}
	if len(r.Values) > 0 {
		r.pending.PutTimeSeries = append(r.pending.PutTimeSeries, r.Values...)
		if r.URN == RollbacksURN {
			r.pending.Nodes = append(r.pending.Nodes, graphstore.NodeUpdate{URN: r.URN, Type: model.EntityDataHubUpgrade})
		} else if err := r.setKey(); err != nil {
			return err
		} else {
			r.node(r.key)
		}
	}
	r.pending.Changes = append(r.pending.Changes, r.Changes...)
	return r.mirrorNode()
}

func (r *mirroring) setKey() (err error) {
	if r.key == nil {
		r.key, err = r.w.deletionOf(model.StoredURN(r.URN))
	}
	return err
}

func (r *mirroring) mirrorState() error {
	if r.Whole && len(r.State.Versions) == 0 {
		r.pending.DeleteEntities = append(r.pending.DeleteEntities, r.URN)
		return nil
	}
	names := r.Aspects
	if r.Whole {
		names = slices.Concat(aspectsOf(&r.stored), aspectsOf(&r.State))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	differences := make([]aspectDifference, 0, len(names))
	for _, name := range names {
		have, want := aspectOf(&r.stored, name), aspectOf(&r.State, name)
		difference := aspectDifference{name: name, have: have, want: want}
		if !difference.edges.compute(&have, &want) {
			if r.Whole {
				return r.replace()
			}
			continue // a change that is Whole follows, and replaces the entity
		}
		differences = append(differences, difference)
	}
	for i := range differences {
		if err := r.applyDifference(&differences[i]); err != nil {
			return err
		}
	}
	r.observeLatest()
	return r.arrangeProperties(differences)
}

// replace deletes the entity and writes it anew from the source's state.
func (r *mirroring) replace() error {
	r.pending.DeleteEntities = append(r.pending.DeleteEntities, r.URN)
	var differences []aspectDifference
	for _, name := range aspectsOf(&r.State) {
		want := aspectOf(&r.State, name)
		difference := aspectDifference{name: name, want: want}
		difference.edges.compute(&graphstore.History{}, &want)
		if err := r.applyDifference(&difference); err != nil {
			return err
		}
		differences = append(differences, difference)
	}
	r.stored = graphstore.History{}
	return r.arrangeProperties(differences)
}

// arrangeProperties decides which aspect gives a property of the node that several aspects give: of the
// aspects other than the key, the one that was written last. Differences are applied in the order of names,
// so the last one applied need not be that aspect.
func (r *mirroring) arrangeProperties(differences []aspectDifference) error {
	node := r.nodes[r.URN]
	if node == nil {
		return nil
	}
	latest := map[string]*graphstore.Aspect{}
	for i := range r.stored.Versions {
		if v := &r.stored.Versions[i]; v.IsLatest() {
			latest[v.Name] = v
		}
	}
	for i := range differences {
		latest[differences[i].name] = latestIn(&differences[i].want)
	}
	entity := r.key.entity
	var giving []*graphstore.Aspect
	for name, a := range latest {
		if a != nil && name != entity.KeyAspect && r.w.Registry().GivesNodeProperties(entity.Name, name) {
			giving = append(giving, a)
		}
	}
	slices.SortFunc(giving, func(a, b *graphstore.Aspect) int {
		return cmp.Or(cmp.Compare(a.CreatedOn, b.CreatedOn), cmp.Compare(a.Name, b.Name))
	})
	for _, a := range giving {
		value, err := r.parse(a)
		if err != nil {
			return err
		}
		for name, property := range r.w.Registry().NodeProperties(entity.Name, value) {
			node.Properties[name] = property
		}
	}
	return nil
}

// aspectDifference is the difference between the replica's and the source's state of an aspect.
type aspectDifference struct {
	name       string
	have, want graphstore.History
	edges      edgeDifference
}

// applyDifference writes the versions, the edges and the node properties of an aspect.
func (r *mirroring) applyDifference(m *aspectDifference) error {
	key := graphstore.AspectKey{URN: r.URN, Name: m.name}
	former, latest := latestIn(&m.have), latestIn(&m.want)
	r.mirrorVersions(key, m)
	before, after, err := r.parsedEnds(former, latest)
	if err != nil {
		return err
	}
	showEdges(r.w.Registry(), model.StoredURN(r.URN), m, before, after)
	if err := mirrorEdges(r.tx, &r.pending, &m.edges); err != nil {
		return err
	}
	if sameVersion(former, latest) {
		return nil
	}
	state := &graphstore.AspectState{Latest: latest, NextSeq: 1}
	r.states[key] = state
	if err := r.setKey(); err != nil {
		return err
	}
	ch := *r.key
	ch.aspect = r.w.Registry().AnyAspect(m.name)
	return r.updateNode(&ch, before, after)
}

// parsedEnds decodes the replica's latest value of an aspect and its next one.
func (r *mirroring) parsedEnds(former, latest *graphstore.Aspect) (before, after *model.Value, err error) {
	if before, err = r.parse(former); err != nil || sameVersion(former, latest) {
		return before, before, err
	}
	after, err = r.parse(latest)
	return before, after, err
}

func (r *mirroring) parse(a *graphstore.Aspect) (*model.Value, error) {
	if a == nil {
		return nil, nil
	}
	return r.w.Registry().ParseStored(a.Name, a.Value)
}

// mirrorVersions deletes the versions that the source lacks or has with another content, and writes the
// versions that the replica lacks.
func (r *mirroring) mirrorVersions(key graphstore.AspectKey, m *aspectDifference) {
	p := &r.pending
	wanted := map[int64]*graphstore.Aspect{}
	for i := range m.want.Versions {
		wanted[m.want.Versions[i].Seq] = &m.want.Versions[i]
	}
	stays := map[int64]bool{}
	for i := range m.have.Versions {
		have := &m.have.Versions[i]
		want := wanted[have.Seq]
		switch {
		case want != nil && sameVersion(have, want) && have.System.LastObserved != want.System.LastObserved && have.IsLatest() && want.IsLatest():
			p.Observe = append(p.Observe, graphstore.Observation{Key: key, LastObserved: want.System.LastObserved})
			stays[have.Seq] = true
		case want != nil && sameVersion(have, want) && have.System.LastObserved == want.System.LastObserved && (have.IsLatest() || !want.IsLatest()):
			stays[have.Seq] = true
			if have.IsLatest() && !want.IsLatest() {
				p.Archive = append(p.Archive, key)
			}
		default:
			p.DeleteVersions = append(p.DeleteVersions, graphstore.VersionRange{Key: key, FromSeq: have.Seq, ToSeq: have.Seq})
		}
	}
	for i := range m.want.Versions {
		switch v := m.want.Versions[i]; {
		case stays[v.Seq]:
		case v.IsLatest():
			p.PutVersions = append(p.PutVersions, v)
		default:
			p.PutArchived = append(p.PutArchived, v)
		}
	}
}

// observeLatest sets when latest versions were last observed. A version that is no longer the
// latest is left out.
func (r *mirroring) observeLatest() {
	for i := range r.Observed {
		o := &r.Observed[i]
		if r.Whole || slices.Contains(r.Aspects, o.Name) {
			continue // the state of the aspect has the observation already
		}
		own := aspectOf(&r.stored, o.Name)
		have := latestIn(&own)
		if have == nil || have.Seq != o.Seq || have.CreatedOn != o.CreatedOn || have.System.LastObserved == o.System.LastObserved {
			continue
		}
		r.pending.Observe = append(r.pending.Observe, graphstore.Observation{
			Key: graphstore.AspectKey{URN: r.URN, Name: o.Name}, LastObserved: o.System.LastObserved,
		})
	}
}

// sameVersion reports whether two versions are equal apart from when they were last observed.
// Either may be nil.
func sameVersion(a, b *graphstore.Aspect) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := a.System, b.System
	x.LastObserved, y.LastObserved = 0, 0
	return a.Seq == b.Seq && a.CreatedOn == b.CreatedOn && a.CreatedBy == b.CreatedBy && bytes.Equal(a.Value, b.Value) && reflect.DeepEqual(x, y)
}

func latestIn(h *graphstore.History) *graphstore.Aspect {
	for i := range h.Versions {
		if h.Versions[i].IsLatest() {
			return &h.Versions[i]
		}
	}
	return nil
}

// aspectsOf returns the names of the aspects in a history, each once.
func aspectsOf(h *graphstore.History) []string {
	var names []string
	for i := range h.Versions {
		names = append(names, h.Versions[i].Name)
	}
	for i := range h.Current {
		names = append(names, h.Current[i].Aspect)
	}
	for i := range h.Ended {
		names = append(names, h.Ended[i].Aspect)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// aspectOf returns the part of a history that is about one aspect.
func aspectOf(h *graphstore.History, name string) (of graphstore.History) {
	for i := range h.Versions {
		if h.Versions[i].Name == name {
			of.Versions = append(of.Versions, h.Versions[i])
		}
	}
	for i := range h.Current {
		if h.Current[i].Aspect == name {
			of.Current = append(of.Current, h.Current[i])
		}
	}
	for i := range h.Ended {
		if h.Ended[i].Aspect == name {
			of.Ended = append(of.Ended, h.Ended[i])
		}
	}
	return of
}

// AspectsOfHistory returns the part of a history that is about some aspects.
func AspectsOfHistory(h *graphstore.History, names []string) (of graphstore.History) {
	for _, name := range names {
		one := aspectOf(h, name)
		of.Versions = append(of.Versions, one.Versions...)
		of.Current = append(of.Current, one.Current...)
		of.Ended = append(of.Ended, one.Ended...)
	}
	return of
}

// MirrorValues deletes some values of a time series of an entity, and then writes others.
func (w *Writer) MirrorValues(ctx context.Context, urn, aspect string, gone []graphstore.TimeSeriesRange, put []graphstore.TimeSeriesValue) error {
	u := model.StoredURN(urn)
	record := graphstore.Change{Kind: graphstore.ChangeNote, Actor: catalog.SystemActor(model.Dialect{Namespace: u.Namespace()}), URN: urn, EntityType: u.EntityType(), Aspect: aspect}
	if _, known := w.Registry().Aspect(aspect); known {
		record.Kind = graphstore.ChangeDelete // for followers of the replica
	}
	err := w.store.Update(ctx, []string{urn}, func(tx graphstore.Tx) error {
		record.Time = tx.Now()
		if err := tx.Write(graphstore.Batch{DeleteTimeSeries: gone}); err != nil {
			return err
		}
		return tx.Write(graphstore.Batch{PutTimeSeries: put, Changes: []graphstore.Change{record}})
	})
	if err == nil {
		w.written.Signal()
	}
	return catalog.StoreFailure(err)
}
