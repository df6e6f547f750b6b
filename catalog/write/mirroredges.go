package write

import (
	"bytes"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// edgeDifference is the difference between the replica's and the source's edge statements of an
// aspect.
type edgeDifference struct {
	// updatedFirst are statements that get other attributes before they end.
	updatedFirst []graphstore.EdgeStatement
	ended        []graphstore.EdgeEnd
	updated      []graphstore.EdgeStatement
	added        []graphstore.EdgeStatement
	past         []graphstore.EndedStatement
}

// compute computes the difference. It returns false if the replica has statements that the source has
// forgotten. A source forgets statements only with their whole entity.
func (m *edgeDifference) compute(have, want *graphstore.History) bool {
	missing := map[graphstore.EdgeID][]graphstore.EndedStatement{}
	for _, e := range want.Ended {
		missing[e.EdgeID] = append(missing[e.EdgeID], e)
	}
	for i := range have.Ended {
		e := &have.Ended[i]
		at := slices.IndexFunc(missing[e.EdgeID], func(o graphstore.EndedStatement) bool { return sameEnded(e, &o) })
		if at < 0 {
			return false
		}
		missing[e.EdgeID] = slices.Delete(missing[e.EdgeID], at, at+1)
	}
	current := map[graphstore.EdgeID]*graphstore.EdgeStatement{}
	for i := range want.Current {
		current[want.Current[i].EdgeID] = &want.Current[i]
	}
	for i := range have.Current {
		e := &have.Current[i]
		if next := current[e.EdgeID]; next != nil && sameBeginning(e, next) {
			if !sameAttributes(&e.EdgeAttributes, &next.EdgeAttributes) {
				m.updated = append(m.updated, *next)
			}
			delete(current, e.EdgeID)
			continue
		}
		if !m.end(e, missing) {
			return false
		}
	}
	for i := range want.Current { // in their order
		if next := current[want.Current[i].EdgeID]; next != nil {
			m.added = append(m.added, *next)
		}
	}
	for i := range want.Ended {
		id := want.Ended[i].EdgeID
		m.past = append(m.past, missing[id]...)
		delete(missing, id)
	}
	return true
}

// end ends a current statement as the source did. It returns false if the source did not end the
// statement.
func (m *edgeDifference) end(e *graphstore.EdgeStatement, missing map[graphstore.EdgeID][]graphstore.EndedStatement) bool {
	for i, gone := range missing[e.EdgeID] {
		began := *e
		began.Since = min(e.Since, gone.Until) // as stores end a statement that begins later
		if !sameBeginning(&began, &gone.EdgeStatement) {
			continue
		}
		if !sameAttributes(&e.EdgeAttributes, &gone.EdgeAttributes) {
			m.updatedFirst = append(m.updatedFirst, gone.EdgeStatement)
		}
		m.ended = append(m.ended, graphstore.EdgeEnd{EdgeID: e.EdgeID, Until: gone.Until, UntilRun: gone.UntilRun, UntilActor: gone.UntilActor})
		missing[e.EdgeID] = slices.Delete(missing[e.EdgeID], i, i+1)
		return true
	}
	return false
}

// showEdges adds to the statements of a difference the properties that people see. The source does
// not send these properties, because they follow from the values.
func showEdges(r *model.Registry, u model.URN, m *aspectDifference, before, after *model.Value) {
	was, shown := shownEdges(r, u, before), shownEdges(r, u, after)
	if len(was)+len(shown) == 0 {
		return
	}
	written := map[graphstore.EdgeID]bool{}
	for _, edges := range [][]graphstore.EdgeStatement{m.edges.updated, m.edges.added} {
		for i := range edges {
			edges[i].Shown = shown[edges[i].EdgeID]
			written[edges[i].EdgeID] = true
		}
	}
	for _, e := range m.want.Current {
		if !written[e.EdgeID] && !sameShown(was[e.EdgeID], shown[e.EdgeID]) {
			e.Shown = shown[e.EdgeID]
			m.edges.updated = append(m.edges.updated, e)
		}
	}
}

// shownEdges returns the properties that people see of the statements of a value, by the identity
// of the statement.
func shownEdges(r *model.Registry, u model.URN, value *model.Value) map[graphstore.EdgeID]map[string]any {
	if value == nil || !model.ShowsEdges(value.Aspect.Name) {
		return nil
	}
	shown := map[graphstore.EdgeID]map[string]any{}
	for _, e := range statementsOf(r, u, value) {
		if len(e.Shown) > 0 {
			shown[e.EdgeID] = e.Shown
		}
	}
	return shown
}

func sameBeginning(a, b *graphstore.EdgeStatement) bool {
	return a.Since == b.Since && a.SinceRun == b.SinceRun && a.SinceActor == b.SinceActor &&
		a.Resumed == b.Resumed && a.ResumedActor == b.ResumedActor &&
		a.SourceType == b.SourceType && a.DestinationType == b.DestinationType
}

func sameEnded(a, b *graphstore.EndedStatement) bool {
	return sameBeginning(&a.EdgeStatement, &b.EdgeStatement) && a.Until == b.Until && a.UntilRun == b.UntilRun && a.UntilActor == b.UntilActor &&
		sameAttributes(&a.EdgeAttributes, &b.EdgeAttributes) && bytes.Equal(a.Properties, b.Properties)
}

// mirrorEdges puts the statements of a difference into a batch, with the stamps of the source.
func mirrorEdges(tx graphstore.Tx, batch *graphstore.Batch, m *edgeDifference) error {
	if len(m.updatedFirst) > 0 { // an ended statement has the attributes it ended with
		if err := tx.Write(graphstore.Batch{UpdateEdges: m.updatedFirst}); err != nil {
			return err
		}
	}
	batch.EndEdges = append(batch.EndEdges, m.ended...)
	batch.UpdateEdges = append(batch.UpdateEdges, m.updated...)
	batch.AddEdges = append(batch.AddEdges, m.added...)
	batch.AddEnded = append(batch.AddEnded, m.past...)
	return nil
}
