package neo4j

import "github.com/headwater-io/headwater/graphstore"

// AwaitPlans waits until updates run in groups.
func (s *Store) AwaitPlans() { <-s.warmed }

// GroupText returns the longest statement that writes for a group.
func (s *Store) GroupText() string { return s.groupTexts.edges }

// PackAtMost lowers the entities of a statement that returns many in a row, and returns a function that raises them again.
func PackAtMost(n int) (restore func()) {
	former := packedVisits
	packedVisits = n
	return func() { packedVisits = former }
}

// AtOnce reports whether a walk along steps is one statement.
func (s *Store) AtOnce(steps []graphstore.Step) bool {
	_, ok := s.pattern(steps)
	return ok
}
