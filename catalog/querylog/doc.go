// Package querylog reads logs of queries, counts their statements, and states their use as aspects: queries, and the
// usage of datasets and columns by day. The package writes nothing.
package querylog
