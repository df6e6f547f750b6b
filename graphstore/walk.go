package graphstore

import (
	"cmp"
	"errors"
	"time"
)

// EdgeKind is a relationship between entities of two types.
type EdgeKind struct{ Type, SourceType, DestinationType string }

// Step is a kind of edge and the way it is followed: Outgoing from its source
// to its destination, Incoming the other way.
type Step struct {
	EdgeKind
	Direction Direction
}

// NearType is the entity type that the step leaves from.
func (s Step) NearType() string {
	if s.Direction == Incoming {
		return s.DestinationType
	}
	return s.SourceType
}

// FarType is the entity type that the step leads to.
func (s Step) FarType() string {
	if s.Direction == Incoming {
		return s.SourceType
	}
	return s.DestinationType
}

// WalkQuery asks for all entities that can be reached from some entities.
type WalkQuery struct {
	// From are the entities to begin at. They are not reached themselves.
	From []string
	// Steps are the kinds of edge that are followed.
	Steps []Step
	// MaxHops bounds the distance; 0 means no bound.
	MaxHops int
	// Limit bounds how many entities are reached: the nearest ones.
	Limit int
	// AsOf, when not 0, walks the edges that were current at that moment
	// (since <= AsOf < until), epoch milliseconds.
	AsOf int64
	// WithoutRemoved neither reaches soft-deleted entities nor walks beyond them.
	WithoutRemoved bool
	// Patience bounds how long the walk takes; 0 means no bound.
	Patience time.Duration
}

// Visit is an entity that was reached.
type Visit struct {
	URN, Type string
	// Degree is the smallest number of hops from any of the start entities.
	Degree int
	// Exists and Removed are as in Entity, as of now.
	Exists, Removed bool
}

// Cut says why a walk is not whole.
type Cut string

// The reasons.
const (
	// NotCut: the walk is whole.
	NotCut Cut = ""
	// CutByLimit: there are more entities than the limit.
	CutByLimit Cut = "limit"
	// CutByTime: patience ended; the entities are those of the hops walked so
	// far.
	CutByTime Cut = "time"
)

// Walk is what was reached: each entity once, ordered by degree, then by URN
// bytes.
type Walk struct {
	Visits []Visit
	Cut    Cut
}

// WalkByHops walks hop by hop, within the bounds of the query. The function hop
// returns the entities that are one hop from the frontier and were not reached
// before, in the order of their URNs. T is what a store knows about an entity in
// addition to its Visit.
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

// Expired reports whether the time at which a walk must end has passed. The zero
// time means no bound.
func Expired(expires time.Time) bool { return !expires.IsZero() && time.Now().After(expires) }

// CompareVisits orders visits by degree and URN.
func CompareVisits(a, b *Visit) int {
	return cmp.Or(cmp.Compare(a.Degree, b.Degree), cmp.Compare(a.URN, b.URN))
}
