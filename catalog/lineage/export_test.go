package lineage

// What the tests of this package look at from outside.
const HopEdges = hopEdges
const MaxReport = maxReport

var EntityTypeOf = entityTypeOf
