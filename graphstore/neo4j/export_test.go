package neo4j

// GroupText is the statement that writes for a group, with edges of these names.
func (s *Store) GroupText(types []string) (string, error) {
	edges := map[string]map[string][]row{}
	for _, part := range []string{"write/end_edges", "write/update_edges", "write/add_edges"} {
		edges[part] = map[string][]row{}
		for _, edgeType := range types {
			edges[part][edgeType] = []row{{}}
		}
	}
	return s.groupText(edges)
}
