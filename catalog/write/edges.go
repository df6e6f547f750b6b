package write

import (
	"bytes"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// edgeDiff is how a batch changes the edge statements of an aspect, mostly the difference between
// two of its values. The statements have no stamps yet.
type edgeDiff struct {
	ended          []graphstore.EdgeID
	updated, added []graphstore.EdgeStatement
	// ensured are statements of both values that the store may lack, because earlier releases did
	// not write them.
	ensured []graphstore.EdgeStatement
	// past are statements that had already ended. They have stamps of their
	// own.
	past []graphstore.EndedStatement
	// known has the stamps of those statements in added that began before the batch: an export
	// gives them, or a rollback restores them.
	known map[graphstore.EdgeID]edgeStamp
}

// stated are the edge statements of a value that were computed before the transaction. The
// statements of a value with more than statedBytes take much memory, so the draft of the value
// computes them: few requests draft at a time.
type stated struct {
	by    *model.Value
	edges []graphstore.EdgeStatement
}

const statedBytes = 64 << 10

// edgeStamp says when a statement began or ended (epoch milliseconds), in which run and by which
// actor. If the statement was resumed, resumed and resumedActor say when and by whom.
type edgeStamp struct {
	at         int64
	run, actor string

	resumed      int64
	resumedActor string
}

// diffEdges compares the edges that two values of an aspect state.
func diffEdges(before, after []graphstore.EdgeStatement) (diff edgeDiff) {
	known := make(map[graphstore.EdgeID]*graphstore.EdgeStatement, len(before))
	for i := range before {
		known[before[i].EdgeID] = &before[i]
	}
	for i := range after {
		statement := after[i]
		old, ok := known[statement.EdgeID]
		if !ok {
			diff.added = append(diff.added, statement)
			continue
		}
		if !sameAttributes(&old.EdgeAttributes, &statement.EdgeAttributes) || !sameShown(old.Shown, statement.Shown) {
			diff.updated = append(diff.updated, statement)
		}
		if needsBackfill(&statement) {
			diff.ensured = append(diff.ensured, statement)
		}
		delete(known, statement.EdgeID)
	}
	for i := range before {
		if _, gone := known[before[i].EdgeID]; gone {
			diff.ended = append(diff.ended, before[i].EdgeID)
		}
	}
	return diff
}

// writeEdges adds a change of edge statements to a batch. Writes, deletes, rollbacks, backfilled
// edges and imports put statements into a batch only here. Statements begin and end with the stamp,
// unless diff.known has another one.
func writeEdges(batch *graphstore.Batch, diff *edgeDiff, stamp edgeStamp) {
	begin := func(statement graphstore.EdgeStatement) graphstore.EdgeStatement {
		by := stamp
		if known, ok := diff.known[statement.EdgeID]; ok {
			by = known
		}
		statement.Since, statement.SinceRun, statement.SinceActor = by.at, by.run, by.actor
		statement.Resumed, statement.ResumedActor = by.resumed, by.resumedActor
		return statement
	}
	for _, id := range diff.ended {
		batch.EndEdges = append(batch.EndEdges, graphstore.EdgeEnd{EdgeID: id, Until: stamp.at, UntilRun: stamp.run, UntilActor: stamp.actor})
	}
	batch.UpdateEdges = append(batch.UpdateEdges, diff.updated...)
	for _, statement := range diff.added {
		batch.AddEdges = append(batch.AddEdges, begin(statement))
	}
	for _, statement := range diff.ensured {
		batch.EnsureEdges = append(batch.EnsureEdges, begin(statement))
	}
	batch.AddEnded = append(batch.AddEnded, diff.past...)
}

// edgeStamp returns the stamp of a change in this transaction.
func (s *session) edgeStamp(ch *change) edgeStamp {
	return edgeStamp{at: s.tx.Now(), run: ch.system.RunID, actor: s.actor}
}

// edgeStampOf returns the stamp of a stored version.
func edgeStampOf(a *graphstore.Aspect) edgeStamp {
	return edgeStamp{at: a.CreatedOn, run: a.System.RunID, actor: a.CreatedBy}
}

// edgeStampOfStatement returns the stamp of the beginning of a statement.
func edgeStampOfStatement(e *graphstore.EdgeStatement) edgeStamp {
	return edgeStamp{at: e.Since, run: e.SinceRun, actor: e.SinceActor, resumed: e.Resumed, resumedActor: e.ResumedActor}
}

// statements returns the edge statements of a value, each identity once. They
// must not be changed in place.
func (w *Writer) statements(ch *change, value *model.Value) []graphstore.EdgeStatement {
	if value == nil {
		return nil
	}
	if ch.stated.by == value {
		return ch.stated.edges
	}
	return statementsOf(w.Registry(), ch.urn, value)
}

func statementsOf(r *model.Registry, u model.URN, value *model.Value) []graphstore.EdgeStatement {
	edges := r.Edges(u, value)
	statements := make([]graphstore.EdgeStatement, len(edges))
	for i, e := range edges {
		statements[i] = graphstore.EdgeStatement{
			EdgeID: graphstore.EdgeID{
				Owner: u.String(), Aspect: value.Aspect.Name, Path: e.Path,
				Source: e.Source, Type: e.Relationship, Destination: e.Destination,
			},
			SourceType: e.SourceType, DestinationType: e.DestinationType,
			EdgeAttributes: graphstore.EdgeAttributes{
				CreatedOn: e.CreatedOn, CreatedActor: e.CreatedActor,
				UpdatedOn: e.UpdatedOn, UpdatedActor: e.UpdatedActor, Properties: e.Properties, Via: e.Via,
			},
			Shown: e.Shown,
		}
	}
	return statements
}

func sameAttributes(a, b *graphstore.EdgeAttributes) bool {
	return a.CreatedOn == b.CreatedOn && a.CreatedActor == b.CreatedActor &&
		a.UpdatedOn == b.UpdatedOn && a.UpdatedActor == b.UpdatedActor && bytes.Equal(a.Properties, b.Properties) && a.Via == b.Via
}

// node returns the pending update of the node of a change's entity. The update makes the entity
// exist.
func (s *session) node(ch *change) *graphstore.NodeUpdate {
	urn := ch.urn.String()
	n, ok := s.nodes[urn]
	if !ok {
		n = &graphstore.NodeUpdate{URN: urn, Type: ch.entity.Name, Exists: true, Properties: map[string]any{}}
		s.nodes[urn] = n
	}
	return n
}

// updateNode updates the properties and marks of a node for a change of an aspect. Either value may
// be nil.
func (s *session) updateNode(ch *change, former, value *model.Value) error {
	s.show(ch, former, value)
	before, after := s.properties(ch, former), s.properties(ch, value)
	lost := false
	for name := range before {
		if _, given := after[name]; !given {
			lost = true
		}
	}
	if former != nil && !lost && ch.aspect.Name != model.AspectStatus && equalProperties(before, after) {
		return nil
	}
	if lost {
		if err := s.fillFromOthers(ch, before, after); err != nil {
			return err
		}
	}
	n := s.node(ch)
	for name, property := range after {
		// Properties of other aspects override those of the key.
		if _, given := n.Properties[name]; !given || !ch.aspect.IsKey {
			n.Properties[name] = property
		}
	}
	if ch.aspect.Name == model.AspectStatus {
		removed := value != nil && value.Tree["removed"] == true
		n.Removed = &removed
	}
	return nil
}

func (s *session) properties(ch *change, value *model.Value) map[string]any {
	if value == nil {
		return nil
	}
	return s.w.Registry().NodeProperties(ch.entity.Name, value)
}

func equalProperties(a, b map[string]any) bool {
	for name, property := range b {
		if a[name] != property {
			return false
		}
	}
	return len(a) == len(b)
}

// fillFromOthers sets each property that the aspect gave and no longer gives. Its new value is the
// one that another aspect gives, or nil, which removes the property.
func (s *session) fillFromOthers(ch *change, before, after map[string]any) error {
	latest, err := s.tx.Latest([]string{ch.urn.String()})
	if err != nil {
		return err
	}
	others := map[string]any{}
	aspects := latest[ch.urn.String()]
	// The key comes first, so that other aspects override it.
	slices.SortStableFunc(aspects, func(a, b graphstore.Aspect) int {
		switch ch.entity.KeyAspect {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return 0
	})
	aspects = slices.DeleteFunc(aspects, func(a graphstore.Aspect) bool {
		return a.Name == ch.aspect.Name || !s.w.Registry().GivesNodeProperties(ch.entity.Name, a.Name)
	})
	giving := aspects[:0]
	for _, a := range aspects {
		if state := s.states[graphstore.AspectKey{URN: a.URN, Name: a.Name}]; state != nil {
			if state.Latest == nil { // the aspect is deleted in this transaction too
				continue
			}
			a.Value = state.Latest.Value
		}
		giving = append(giving, a)
	}
	values, err := s.parsed(giving)
	if err != nil {
		return err
	}
	for _, a := range giving {
		for name, property := range s.w.Registry().NodeProperties(ch.entity.Name, values[a.Name]) {
			others[name] = property
		}
	}
	if after == nil {
		after = map[string]any{}
	}
	n := s.node(ch)
	for name := range before {
		if _, given := after[name]; !given {
			n.Properties[name] = others[name]
		}
	}
	return nil
}
