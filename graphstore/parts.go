package graphstore

// PartQuery asks who states the edges that lead to the parts of entities: to the nodes whose
// URNs begin with one of some prefixes.
type PartQuery struct {
	Prefixes []string
	// Types lists relationship names.
	Types []string
	// SourcesOf lists the entity types of those who are told with the sources of their edges.
	SourcesOf []string
	// AsOf is as in [WalkQuery].
	AsOf int64
	// Limit bounds what is returned.
	Limit int
}

// PartEdge is what an entity states of the parts with one prefix.
type PartEdge struct {
	// Prefix is the place of the prefix in the query.
	Prefix int
	// Owner is the entity whose aspects state edges that lead to the parts, Source one that
	// they come from, "" if the sources were not asked for.
	Owner, Source string
}

// PartEdges are what entities state of parts, each once, in no order. Cut: there is more than
// the limit.
type PartEdges struct {
	Edges []PartEdge
	Cut   bool
}
