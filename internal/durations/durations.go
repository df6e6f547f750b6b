// Package durations has the bounds of the buckets of all histograms of durations, so that
// histograms can be compared.
package durations

// Buckets are the upper bounds in seconds. The bounds from 5 ms to 10 s are durations in which
// objectives are stated; the smaller bounds distinguish fast operations.
var Buckets = []float64{0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
