package write

import (
	"bytes"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// A derivedLineage may overrule edges that clients' SQL parsers state (see [model.Overruled]). The edge statements of an
// upstreamLineage or a dataJobInputOutput that are overruled are not current: a write of that aspect neither adds nor ends
// them, and a write of the derivedLineage ends them, or makes them current resumed.

// preferredMark is in the text of each derivedLineage that overrules something.
var preferredMark = []byte(`"preferred"`)

// overruledKey returns the aspect on which the current edges of a changed aspect depend, and whether there is one.
func overruledKey(ch *change) (graphstore.AspectKey, bool) {
	of := model.LineageOf(ch.urn.EntityType())
	switch ch.aspect.Name {
	case "":
		return graphstore.AspectKey{}, false
	case model.AspectDerivedLineage:
		return graphstore.AspectKey{URN: ch.urn.String(), Name: of}, of != ""
	case of:
		return graphstore.AspectKey{URN: ch.urn.String(), Name: model.AspectDerivedLineage}, true
	}
	return graphstore.AspectKey{}, false
}

// isOverruled reports whether a set of overruled edges has the edge of a statement.
func isOverruled(overruled map[model.EdgeEnds]bool, id *graphstore.EdgeID) bool {
	return id.Type == model.RelationshipDownstreamOf && overruled[model.EdgeEnds{Source: id.Source, Destination: id.Destination}]
}

// withoutOverruled returns a difference without the statements that are overruled.
func withoutOverruled(diff *edgeDiff, overruled map[model.EdgeEnds]bool) edgeDiff {
	if len(overruled) == 0 {
		return *diff
	}
	left := *diff
	remaining := func(statements []graphstore.EdgeStatement) []graphstore.EdgeStatement {
		return slices.DeleteFunc(slices.Clone(statements), func(e graphstore.EdgeStatement) bool { return isOverruled(overruled, &e.EdgeID) })
	}
	left.added, left.updated, left.ensured = remaining(diff.added), remaining(diff.updated), remaining(diff.ensured)
	left.ended = slices.DeleteFunc(slices.Clone(diff.ended), func(id graphstore.EdgeID) bool { return isOverruled(overruled, &id) })
	return left
}

// notOverruled returns a difference of the edges of stated lineage, without the edges that a stored derivedLineage
// overrules; derived is nil if there is none.
func (w *Writer) notOverruled(diff *edgeDiff, derived *graphstore.Aspect) (edgeDiff, error) {
	if derived == nil || !bytes.Contains(derived.Value, preferredMark) {
		return *diff, nil
	}
	value, err := w.Registry().ParseStored(derived.Name, derived.Value)
	if err != nil {
		return *diff, err
	}
	return withoutOverruled(diff, model.Overruled(derived.URN, value.Tree)), nil
}

// preferred returns the difference that a change of an aspect from one value to another makes to the edges, with regard to
// the lineage that a derivedLineage overrules.
func (s *session) preferred(ch *change, former, value *model.Value, diff edgeDiff) (edgeDiff, error) {
	key, depends := overruledKey(ch)
	if !depends {
		return diff, nil
	}
	if s.pendingAspects[key] { // the statements that its write makes current must be stored before they end
		mine := s.pendingAspects[ch.aspectKey()]
		if err := s.flush(); err != nil {
			return diff, err
		}
		s.pendingAspects[ch.aspectKey()] = mine
	}
	if err := s.read([]graphstore.AspectKey{key}); err != nil {
		return diff, err
	}
	other := s.states[key].Latest
	if other == nil {
		return diff, nil
	}
	if ch.aspect.Name != model.AspectDerivedLineage {
		if !bytes.Contains(other.Value, preferredMark) {
			return diff, nil
		}
		values, err := s.parsed([]graphstore.Aspect{*other})
		if err != nil {
			return diff, err
		}
		return withoutOverruled(&diff, model.Overruled(ch.urn.String(), values[other.Name].Tree)), nil
	}
	return s.overrule(ch, former, value, other, diff)
}

// overrule adds to the edges of a derivedLineage the edges of the stated lineage that it begins or ceases to overrule.
func (s *session) overrule(ch *change, former, value *model.Value, stated *graphstore.Aspect, diff edgeDiff) (edgeDiff, error) {
	before, after := overruledBy(ch.urn, former), overruledBy(ch.urn, value)
	if len(before)+len(after) == 0 {
		return diff, nil
	}
	values, err := s.parsed([]graphstore.Aspect{*stated})
	if err != nil {
		return diff, err
	}
	diff.ended = slices.Clone(diff.ended)
	own := len(diff.ended)
	var resumed edgeDiff
	edges := statementsOf(s.w.Registry(), ch.urn, values[stated.Name])
	for i := range edges {
		was, is := isOverruled(before, &edges[i].EdgeID), isOverruled(after, &edges[i].EdgeID)
		switch {
		case is && !was:
			diff.ended = append(diff.ended, edges[i].EdgeID)
		case was && !is:
			resumed.added = append(resumed.added, edges[i])
		}
	}
	if len(diff.ended)+len(resumed.added) > own {
		note := s.record(ch, graphstore.ChangeNote) // a replica must read the edges of the other aspect too
		note.Aspect = stated.Name
		s.pending.Changes = append(s.pending.Changes, note)
	}
	if resumed, err = s.resumedEdges(resumed, stated); err != nil {
		return diff, err
	}
	known := make(map[graphstore.EdgeID]edgeStamp, len(diff.known)+len(resumed.known))
	maps.Copy(known, diff.known)
	maps.Copy(known, resumed.known)
	diff.added, diff.known = slices.Concat(diff.added, resumed.added), known
	return diff, nil
}

func overruledBy(u model.URN, derived *model.Value) map[model.EdgeEnds]bool {
	if derived == nil {
		return nil
	}
	return model.Overruled(u.String(), derived.Tree)
}

// overruledIn returns the edges that the latest derivedLineage in a history overrules.
func (h *History) overruledIn() map[model.EdgeEnds]bool {
	for i := range h.Versions {
		if v := &h.Versions[i]; v.Version == 0 && v.Name == model.AspectDerivedLineage {
			return overruledBy(h.URN, h.Values[i])
		}
	}
	return nil
}
