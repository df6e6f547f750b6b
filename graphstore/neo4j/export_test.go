package neo4j

// GroupText is the longest statement that writes for a group.
func (s *Store) GroupText() string { return s.groupTexts.edges }
