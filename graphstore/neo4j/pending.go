package neo4j

import (
	"github.com/headwater-io/headwater/graphstore"
)

// A transaction keeps back what updates of a group only append: new versions,
// what these leave behind, and marks of nodes. It is written in few statements
// at the end, or before something that it matters to. Records of the change log
// come last in any case: the counters of its shards are locked by that.

// keepBack takes a batch into what is kept back, if it only appends.
func (t *tx) keepBack(b *graphstore.Batch) bool {
	if len(b.DeleteEntities)+len(b.Observe)+len(b.Archive)+len(b.Restore)+len(b.PutArchived)+len(b.EndEdges)+len(b.UpdateEdges)+
		len(b.AddEdges)+len(b.AddEnded)+len(b.PutTimeSeries)+len(b.DeleteTimeSeries) > 0 {
		return false
	}
	for i := range b.DeleteVersions { // they are deleted before any are put
		v := &b.DeleteVersions[i]
		latest := t.states[v.Key].Latest
		if first := t.kept[v.Key]; latest == nil || v.ToSeq >= latest.Seq || first > 0 && v.ToSeq >= first {
			return false
		}
	}
	for i := range b.PutVersions {
		a := &b.PutVersions[i]
		key := graphstore.AspectKey{URN: a.URN, Name: a.Name}
		if _, known := t.states[key]; !known {
			return false
		}
	}
	for i := range b.PutVersions {
		a := b.PutVersions[i]
		key := graphstore.AspectKey{URN: a.URN, Name: a.Name}
		if t.kept[key] == 0 {
			t.kept[key] = a.Seq
		}
		t.states[key] = graphstore.AspectState{Latest: &a, NextSeq: a.Seq + 1}
	}
	t.pending.DeleteVersions = append(t.pending.DeleteVersions, b.DeleteVersions...)
	t.pending.PutVersions = append(t.pending.PutVersions, b.PutVersions...)
	t.pending.Nodes = append(t.pending.Nodes, b.Nodes...)
	return true
}

// flush writes what was kept back, but for the change log.
func (t *tx) flush() error {
	b := t.pending
	t.pending = graphstore.Batch{}
	clear(t.kept)
	for _, step := range []func(*graphstore.Batch) error{t.deleteVersions, t.putVersions, t.putNodes} {
		if err := step(&b); err != nil {
			return err
		}
	}
	return nil
}

// finish writes everything that was kept back, and tidies up.
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
