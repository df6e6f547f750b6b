package graphstore

import (
	"cmp"
	"slices"
)

// FeederQuery asks which entities of From lead to entities of To in one hop.
type FeederQuery struct {
	// From are the entities at which the hop begins, and To are the entities at which the hop
	// ends.
	From, To []string
	// Steps are the kinds of edges that the hop follows from From to To.
	Steps []Step
	// Most bounds the entities of From that are returned for each entity of To: the first entities
	// in the order of From. 0 is unbounded.
	Most int
	// AsOf is as in [WalkQuery].
	AsOf int64
	// StatedBy, if not empty, lists the types of entities whose statements count.
	StatedBy []string
}

// EndQuery asks for the entities to which relationships of one type lead.
type EndQuery struct {
	// URNs are the sources of the relationships.
	URNs []string
	Type string
	// AsOf is as in [WalkQuery].
	AsOf int64
}

// PairQuery asks for the edges between the two entities of each pair.
type PairQuery struct {
	// Pairs are the near and the far ends of hops.
	Pairs []Pair
	// Steps are the kinds of edges that a hop follows from From to To.
	Steps []Step
	// AsOf is as in [WalkQuery].
	AsOf int64
}

// Pair is the two ends of a hop.
type Pair struct{ From, To string }

// WithDirections returns the steps from entities of one type to entities of another, the
// outgoing steps first.
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
// statements of the same edge. MergePair works in place.
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

// FirstFeeders returns the entities of from at the given places, in order and each once, at
// most most entities; a most of 0 is unbounded. FirstFeeders sorts the places.
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
