package neo4j

import (
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// A transaction keeps back the versions and node marks of its updates if they only
// append. They are written in a few statements at the end, or before a statement that
// depends on them. Records of the change log are always written last, because that
// locks the counters of its shards.

// keepBack takes versions and nodes out of a batch and keeps them back, if nothing
// else in the batch depends on them.
func (t *tx) keepBack(b *graphstore.Batch) bool {
	if len(b.DeleteEntities)+len(b.Archive)+len(b.Restore)+len(b.PutArchived)+len(b.AddEnded)+len(b.PutTimeSeries)+len(b.DeleteTimeSeries) > 0 ||
		!t.appends(b) {
		return false
	}
	for _, o := range b.Observe {
		t.keepObservation(o)
	}
	t.pending.DeleteVersions = append(t.pending.DeleteVersions, b.DeleteVersions...)
	for i := range b.PutVersions {
		a := b.PutVersions[i]
		key := graphstore.AspectKey{URN: a.URN, Name: a.Name}
		if t.kept[key] == 0 {
			t.kept[key] = a.Seq
		}
		t.states[key] = graphstore.AspectState{Latest: &a, NextSeq: a.Seq + 1}
		t.pending.PutVersions = append(t.pending.PutVersions, a)
	}
	t.pending.Nodes = append(t.pending.Nodes, b.Nodes...)
	b.Observe, b.DeleteVersions, b.PutVersions, b.Nodes = nil, nil, nil, nil
	return true
}

// appends reports whether a batch writes versions of aspects whose states are
// known, and deletes none that are kept back or the latest.
func (t *tx) appends(b *graphstore.Batch) bool {
	for i := range b.DeleteVersions { // they are deleted before any are put
		v := &b.DeleteVersions[i]
		latest := t.states[v.Key].Latest
		if first := t.kept[v.Key]; latest == nil || v.ToSeq >= latest.Seq || first > 0 && v.ToSeq >= first {
			return false
		}
	}
	for i := range b.PutVersions {
		if _, known := t.states[graphstore.AspectKey{URN: b.PutVersions[i].URN, Name: b.PutVersions[i].Name}]; !known {
			return false
		}
	}
	for _, o := range b.Observe {
		if t.states[o.Key].Latest == nil {
			return false
		}
	}
	return true
}

// keepObservation moves lastObserved of the latest version, which may be one
// that is kept back itself.
func (t *tx) keepObservation(o graphstore.Observation) {
	latest := *t.states[o.Key].Latest
	latest.System.LastObserved = o.LastObserved
	t.states[o.Key] = graphstore.AspectState{Latest: &latest, NextSeq: t.states[o.Key].NextSeq}
	if t.kept[o.Key] == 0 {
		t.pending.Observe = append(t.pending.Observe, o)
		return
	}
	for i := range slices.Backward(t.pending.PutVersions) {
		if a := &t.pending.PutVersions[i]; a.URN == o.Key.URN && a.Name == o.Key.Name {
			a.System.LastObserved = o.LastObserved
			return
		}
	}
}

// flush writes what was kept back, except for the change log.
func (t *tx) flush() error {
	b := t.pending
	t.pending = graphstore.Batch{}
	clear(t.kept)
	for _, step := range []func(*graphstore.Batch) error{t.deleteVersions, t.observe, t.putVersions, t.putNodes} {
		if err := step(&b); err != nil {
			return err
		}
	}
	return nil
}

// finish writes everything that was kept back, and cleans up.
func (t *tx) finish() error {
	for _, step := range []func() error{t.flush, t.dropFresh, t.dropLoose} {
		if err := step(); err != nil {
			return err
		}
	}
	return t.addChanges(&graphstore.Batch{Changes: t.changes})
}

// known returns the states of aspects as far as the transaction has them.
func (t *tx) known(keys []graphstore.AspectKey, states []graphstore.AspectState) (missing []int) {
	for i, key := range keys {
		state, ok := t.states[key]
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
