package neo4j

// AwaitPlans waits until updates run in groups.
func (s *Store) AwaitPlans() { <-s.warmed }

// GroupText returns the longest statement that writes for a group.
func (s *Store) GroupText() string { return s.groupTexts.edges }
