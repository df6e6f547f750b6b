package graphstore

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
)

// EdgeKind is a relationship between entities of two types.
type EdgeKind struct{ Type, SourceType, DestinationType string }

// Step is a kind of edge and the direction in which it is followed: Outgoing from its source to
// its destination, Incoming the other way.
type Step struct {
	EdgeKind
	Direction Direction
}

// NearType returns the entity type at which the step begins.
func (s Step) NearType() string {
	if s.Direction == Incoming {
		return s.DestinationType
	}
	return s.SourceType
}

// FarType returns the entity type at which the step ends.
func (s Step) FarType() string {
	if s.Direction == Incoming {
		return s.SourceType
	}
	return s.DestinationType
}

// WalkQuery asks for all entities that can be reached from the given entities.
type WalkQuery struct {
	// From are the entities at which the walk begins. They are not reached themselves.
	From []string
	// Steps are the kinds of edges that the walk follows.
	Steps []Step
	// MaxHops bounds the distance; 0 is unbounded.
	MaxHops int
	// Limit bounds the entities that are reached. If more entities could be reached, the walk
	// reaches the nearest entities.
	Limit int
	// AsOf, if not 0, asks for a walk along the edges that were current at this moment (since <=
	// AsOf < until), epoch milliseconds.
	AsOf int64
	// WithoutRemoved tells the walk neither to reach soft-deleted entities nor to walk beyond
	// them.
	WithoutRemoved bool
	// Before asks for the predecessors of the entities.
	Before bool
	// Ahead has the steps for which the caller wants Visit.Ends, in the sets in which walks follow them. StatedBy has
	// the entity types for which the caller wants Visit.Unstated, Lacking the relationship for which it wants Visit.Lacks.
	Ahead    [][]Step
	StatedBy []string
	Lacking  string
	// Patience bounds the duration of the walk; 0 is unbounded.
	Patience time.Duration
}

// Visit is an entity that a walk reached.
type Visit struct {
	URN, Type string
	// Degree is the smallest number of hops from any of the start entities.
	Degree int
	// Exists and Removed are as in Entity, as of now.
	Exists, Removed bool
	// Before is the first entity, by URN bytes, of those at the hop before from which a step leads
	// to this one. Others tells that there are more of them. Both are set only if the query asks
	// for them; a Before of "" is not known.
	Before string
	Others bool
	// Ends tells that none of the Ahead of the query leads on from the entity. Unstated tells that no entity of the
	// types StatedBy states an edge by which the walk may have reached this one. Lacks tells that no edge of the
	// relationship Lacking leaves the entity, as of now. A store that does not know leaves them false.
	Ends, Unstated, Lacks bool
}

// Cut tells why a walk is incomplete.
type Cut string

// These are the reasons why a walk was cut.
const (
	// NotCut: the walk is complete.
	NotCut Cut = ""
	// CutByLimit: there are more entities than the limit.
	CutByLimit Cut = "limit"
	// CutByTime: the patience ended. The walk has the entities of the hops until then.
	CutByTime Cut = "time"
)

// Walk has the entities that were reached, each once, ordered by degree, then by URN bytes.
type Walk struct {
	Visits []Visit
	Cut    Cut
}

// MergeVisit adds to a visit the knowledge of another visit of the same entity at the same hop about its
// predecessors.
func (v *Visit) MergeVisit(other *Visit) {
	v.Others = v.Others || other.Others || v.Before != other.Before
	v.Before = min(v.Before, other.Before)
}

// WalkByHops walks hop by hop, within the bounds of the query. The function hop returns the
// entities that are one hop from the frontier and were not reached before, ordered by URN. T is
// the data of a store about an entity, from which visit takes the Visit.
func WalkByHops[T any](q *WalkQuery, frontier []T, visit func(*T) *Visit, hop func(frontier []T, expires time.Time) ([]T, error)) (Walk, error) {
	walk := Walk{Visits: []Visit{}}
	var expires time.Time
	if q.Patience > 0 {
		expires = time.Now().Add(q.Patience)
	}
	for degree := 1; len(frontier) > 0 && (q.MaxHops <= 0 || degree <= q.MaxHops); degree++ {
		next, err := hop(frontier, expires)
		if errors.Is(err, ErrImpatient) && degree > 1 {
			walk.Cut = CutByTime
			return walk, nil
		}
		if err != nil {
			return Walk{}, err
		}
		for i := range next {
			visit(&next[i]).Degree = degree
		}
		room := q.Limit - len(walk.Visits)
		walk.Visits = slices.Grow(walk.Visits, max(0, min(room, len(next))))
		for i := range next[:min(room, len(next))] {
			walk.Visits = append(walk.Visits, *visit(&next[i]))
		}
		if len(next) > room {
			walk.Cut = CutByLimit
			return walk, nil
		}
		frontier = next
	}
	return walk, nil
}

// Expired reports whether the time at which a walk must end has passed. The zero time is no
// bound.
func Expired(expires time.Time) bool { return !expires.IsZero() && time.Now().After(expires) }

// CompareVisits orders visits by degree and URN.
func CompareVisits(a, b *Visit) int {
	if a.Degree != b.Degree {
		return cmp.Compare(a.Degree, b.Degree)
	}
	return strings.Compare(a.URN, b.URN)
}

// SortVisits returns visits ordered by degree and URN. It sorts pointers: moving visits would take most of the time.
func SortVisits(visits []Visit) []Visit {
	order := make([]*Visit, len(visits))
	for i := range visits {
		order[i] = &visits[i]
	}
	slices.SortFunc(order, CompareVisits)
	sorted := make([]Visit, len(visits))
	for i, v := range order {
		sorted[i] = *v
	}
	return sorted
}
