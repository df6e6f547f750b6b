package graphstore

import (
	"cmp"
	"slices"
)

// FeederQuery asks which of some entities lead to others in one hop.
type FeederQuery struct {
	// From are the entities that the hop leaves from, To those that it leads to.
	From, To []string
	// Steps are the kinds of edge that are followed from From to To.
	Steps []Step
	// Most bounds how many of From are returned for each of To: the first ones in the
	// order of From. 0 is unbounded.
	Most int
	// AsOf is as in [WalkQuery].
	AsOf int64
	// StatedBy, if there are any, are the types of the entities whose statements count.
	StatedBy []string
}

// EndQuery asks for the entities that relationships of one type lead to.
type EndQuery struct {
	// URNs are the entities that the relationships leave.
	URNs []string
	Type string
	// AsOf is as in [WalkQuery].
	AsOf int64
}

// PairQuery asks for the edges between the two entities of each pair.
type PairQuery struct {
	// Pairs are entities with those that a hop leads to from them.
	Pairs []Pair
	// Steps are the kinds of edge that are followed from From to To.
	Steps []Step
	// AsOf is as in [WalkQuery].
	AsOf int64
}

// Pair is two entities, the ends of a hop.
type Pair struct{ From, To string }

// WithDirections returns the steps from entities of a type to entities of another, the
// outgoing ones first.
func WithDirections(steps []Step, from, to string) []Step {
	var fit []Step
	for _, step := range steps {
		if step.NearType() == from && step.FarType() == to {
			fit = append(fit, step)
		}
	}
	slices.SortStableFunc(fit, func(a, b Step) int { return cmp.Compare(a.Direction, b.Direction) })
	return fit
}

// MergePair sorts the statements between two entities by type and direction, and merges
// those that state the same edge. It works in place.
func MergePair(edges []Edge) []Edge {
	slices.SortStableFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Source, b.Source))
	})
	merged := edges[:0]
	for _, e := range edges {
		if last := len(merged) - 1; last >= 0 && merged[last].Type == e.Type && merged[last].Source == e.Source {
			merged[last] = merged[last].Merge(e)
			continue
		}
		merged = append(merged, e)
	}
	return merged
}

// FirstFeeders sorts the places of entities in a list, removes repeated ones, and returns
// the entities at the first places, at most so many; 0 is unbounded.
func FirstFeeders(places []int, from []string, most int) []string {
	slices.Sort(places)
	places = slices.Compact(places)
	if most > 0 && len(places) > most {
		places = places[:most]
	}
	urns := make([]string, len(places))
	for i, place := range places {
		urns[i] = from[place]
	}
	return urns
}
