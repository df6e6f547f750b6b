package neo4j

import (
	"errors"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// pending has the writes of updates that were not sent yet. So rows of one kind are written
// together, and the writes of a failed update are simply dropped.
type pending struct {
	// before has the pending writes of earlier updates in the same transaction; nil for none.
	before *pending
	// states has the states of aspects that were read, together with later pending writes.
	states map[graphstore.AspectKey]graphstore.AspectState
	// first is the Seq of the first pending version of each aspect.
	first map[graphstore.AspectKey]int64
	// edges has the edges with pending writes.
	edges map[graphstore.EdgeID]bool
	batch graphstore.Batch
}

func newPending(before *pending) pending {
	return pending{
		before: before, states: map[graphstore.AspectKey]graphstore.AspectState{},
		first: map[graphstore.AspectKey]int64{}, edges: map[graphstore.EdgeID]bool{},
	}
}

// Some batches cannot be added to the pending writes. Then the update needs a transaction of
// its own, or waits until the pending writes of other updates are sent.
var (
	errAlone = errors.New("the update needs a transaction of its own")
	errLater = errors.New("the update needs what another one has kept back")
)

func (k *pending) state(key graphstore.AspectKey) (graphstore.AspectState, bool) {
	state, ok := k.states[key]
	if !ok && k.before != nil {
		return k.before.state(key)
	}
	return state, ok
}

// known sets the known states of aspects, with copies of the latest versions, and returns the
// indexes of the unknown states.
func (k *pending) known(keys []graphstore.AspectKey, states []graphstore.AspectState) (missing []int) {
	for i, key := range keys {
		state, ok := k.state(key)
		if !ok {
			missing = append(missing, i)
			continue
		}
		states[i] = state
		if state.Latest != nil {
			latest := *state.Latest
			states[i].Latest = &latest
		}
	}
	return missing
}

// appends returns nil if a batch writes versions only of aspects whose states are known, and
// deletes no version that is pending or the latest.
func (k *pending) appends(b *graphstore.Batch) error {
	for i := range b.DeleteVersions { // the versions are deleted before any are put
		v := &b.DeleteVersions[i]
		state, _ := k.state(v.Key)
		first := k.first[v.Key]
		if state.Latest == nil || v.ToSeq >= state.Latest.Seq || first > 0 && v.ToSeq >= first {
			return errAlone
		}
		if k.before != nil {
			if first = k.before.first[v.Key]; first > 0 && v.ToSeq >= first {
				return errLater
			}
		}
	}
	for i := range b.PutVersions {
		if _, known := k.state(graphstore.AspectKey{URN: b.PutVersions[i].URN, Name: b.PutVersions[i].Name}); !known {
			return errAlone
		}
	}
	for _, o := range b.Observe {
		if state, _ := k.state(o.Key); state.Latest == nil {
			return errAlone
		}
	}
	return nil
}

// addVersions moves versions and nodes from a batch for which appends returned nil to the
// pending writes.
func (k *pending) addVersions(b *graphstore.Batch) {
	for _, o := range b.Observe {
		k.observe(o)
	}
	k.batch.DeleteVersions = append(k.batch.DeleteVersions, b.DeleteVersions...)
	for i := range b.PutVersions {
		a := b.PutVersions[i]
		key := graphstore.AspectKey{URN: a.URN, Name: a.Name}
		if k.first[key] == 0 {
			k.first[key] = a.Seq
		}
		k.states[key] = graphstore.AspectState{Latest: &a, NextSeq: a.Seq + 1}
		k.batch.PutVersions = append(k.batch.PutVersions, a)
	}
	k.batch.Nodes = append(k.batch.Nodes, b.Nodes...)
	b.Observe, b.DeleteVersions, b.PutVersions, b.Nodes = nil, nil, nil, nil
}

// observe sets lastObserved of the latest version, which may be pending itself.
func (k *pending) observe(o graphstore.Observation) {
	state, _ := k.state(o.Key)
	latest := *state.Latest
	latest.System.LastObserved = o.LastObserved
	k.states[o.Key] = graphstore.AspectState{Latest: &latest, NextSeq: state.NextSeq}
	k.putObservation(o)
}

func (k *pending) putObservation(o graphstore.Observation) {
	if k.first[o.Key] == 0 {
		k.batch.Observe = append(k.batch.Observe, o)
		return
	}
	for i := range slices.Backward(k.batch.PutVersions) {
		if a := &k.batch.PutVersions[i]; a.URN == o.Key.URN && a.Name == o.Key.Name {
			a.System.LastObserved = o.LastObserved
			return
		}
	}
}

// addAll adds a whole batch to the pending writes, if writing rows by kind gives the same
// result as writing the batches in order.
func (k *pending) addAll(b graphstore.Batch) error {
	if len(b.DeleteEntities)+len(b.Archive)+len(b.Restore)+len(b.PutArchived)+len(b.EnsureEdges)+len(b.AddEnded)+len(b.DeleteTimeSeries) > 0 {
		return errAlone
	}
	if err := k.appends(&b); err != nil {
		return err
	}
	for i := range b.EndEdges {
		if err := k.endable(b.EndEdges[i].EdgeID); err != nil {
			return err
		}
	}
	for i := range b.UpdateEdges {
		if err := k.endable(b.UpdateEdges[i].EdgeID); err != nil {
			return err
		}
	}
	k.addVersions(&b)
	k.addEdges(&b)
	k.batch.PutTimeSeries = append(k.batch.PutTimeSeries, b.PutTimeSeries...)
	k.batch.PutRecords = append(k.batch.PutRecords, b.PutRecords...)
	k.batch.Changes = append(k.batch.Changes, b.Changes...)
	return nil
}

// endable returns nil for an edge without pending writes: edges are ended before any are
// updated or added.
func (k *pending) endable(e graphstore.EdgeID) error {
	switch {
	case k.edges[e]:
		return errAlone
	case k.before != nil && k.before.edges[e]:
		return errLater
	}
	return nil
}

func (k *pending) addEdges(b *graphstore.Batch) {
	for i := range b.EndEdges {
		k.edges[b.EndEdges[i].EdgeID] = true
	}
	for i := range b.UpdateEdges {
		k.edges[b.UpdateEdges[i].EdgeID] = true
	}
	for i := range b.AddEdges {
		k.edges[b.AddEdges[i].EdgeID] = true
	}
	k.batch.EndEdges = append(k.batch.EndEdges, b.EndEdges...)
	k.batch.UpdateEdges = append(k.batch.UpdateEdges, b.UpdateEdges...)
	k.batch.AddEdges = append(k.batch.AddEdges, b.AddEdges...)
}

// join adds the pending writes of a later update.
func (k *pending) join(later *pending) {
	b := later.batch
	for _, o := range b.Observe {
		k.putObservation(o)
	}
	b.Observe = nil
	k.addVersions(&b)
	for key, state := range later.states {
		k.states[key] = state
	}
	k.addEdges(&b)
	k.batch.PutTimeSeries = append(k.batch.PutTimeSeries, b.PutTimeSeries...)
	k.batch.PutRecords = append(k.batch.PutRecords, b.PutRecords...)
	k.batch.Changes = append(k.batch.Changes, b.Changes...)
}

// size returns the number of pending rows, and the bytes of their values.
func (k *pending) size() (rows, bytes int) {
	b := &k.batch
	rows = len(b.DeleteVersions) + len(b.Observe) + len(b.PutVersions) + len(b.Nodes) + len(b.EndEdges) + len(b.UpdateEdges) + len(b.AddEdges) +
		len(b.PutTimeSeries) + len(b.PutRecords) + len(b.Changes)
	for i := range b.Nodes {
		shown := &b.Nodes[i].Shown
		rows += len(shown.Columns) + len(shown.LostColumns) + len(shown.Edited) + len(shown.Labels)
	}
	for i := range b.PutVersions {
		bytes += len(b.PutVersions[i].Value)
	}
	for i := range b.PutTimeSeries {
		bytes += len(b.PutTimeSeries[i].Value)
	}
	return rows, bytes
}
