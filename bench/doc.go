// Command bench measures Headwater through HTTP beside the same work written
// directly on the library underneath (SQLite for the embedded store, the
// Neo4j driver for Neo4j), in the same run on the same machine, and prints
// ratios. Walks of lineage are compared without HTTP on either side.
//
// Absolute times on a shared machine mean little; each row alternates the two
// sides and reports the median of the pairwise ratios. What is written
// directly is not a guess: the bulk baseline reads back every row, node and
// relationship that Headwater stored and writes exactly those again with the
// bare library in large batches.
package main
