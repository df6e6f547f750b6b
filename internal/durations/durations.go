// Package durations contains the bounds of the buckets that every histogram of
// durations has, so that all can be compared.
package durations

// Buckets are the bounds in seconds. From 5 ms to 10 s they are those in which
// objectives are stated; below, they distinguish what usually takes less.
var Buckets = []float64{0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
