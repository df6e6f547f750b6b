package graphstore

// PartQuery asks which entities state edges that lead to the parts of other entities. The parts
// are the nodes whose URNs begin with one of the prefixes.
type PartQuery struct {
	Prefixes []string
	// Types lists relationship names.
	Types []string
	// SourcesOf lists the types of owners for which the answer also has the sources of the edges.
	SourcesOf []string
	// AsOf is as in [WalkQuery].
	AsOf int64
	// Limit bounds the edges that are returned.
	Limit int
}

// PartEdge tells that an entity states edges that lead to the parts with one prefix.
type PartEdge struct {
	// Prefix is the index of the prefix in the query.
	Prefix int
	// Owner is the entity whose aspects state the edges. Source is a source of the edges, "" if
	// the query did not ask for sources of this owner.
	Owner, Source string
}

// PartEdges has each PartEdge once, in no order. Cut tells that there are more than the limit.
type PartEdges struct {
	Edges []PartEdge
	Cut   bool
}
