// Command bench compares Headwater over HTTP with the same work written directly on the
// library below it (SQLite for the embedded store, the Neo4j driver for Neo4j), in the same
// run on the same machine, and prints ratios. Lineage walks are compared without HTTP on
// either side.
//
// Absolute times on a shared machine mean little, so each row alternates the two sides and
// reports the median of the pairwise ratios. The direct work is the same work: the baseline
// of bulk loads reads back every row, node and relationship that Headwater stored, and
// writes exactly these again with the bare library in large batches.
package main
