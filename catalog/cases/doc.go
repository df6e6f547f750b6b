// Package cases has the behaviour of lineage and search as data: the files under testdata list statements to
// load, questions, and expected answers. Its tests put each question to the rooms of the catalog, to REST and
// to GraphQL, on the embedded store and index and on Neo4j and Typesense. README.md explains the format.
package cases
