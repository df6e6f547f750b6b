// Package model is the metadata model: which entities and aspects exist, what
// their records look like, how URNs are written, and which edges and search
// fields follow from the value of an aspect.
//
// Everything here is pure: no I/O except for the embedded tables and the custom
// model files passed to [Load], no clocks, no stores. Names are stored once in a
// neutral form (the tables contain "<prefix>" and "<ns>"), and a [Dialect]
// converts them to the form of a caller.
package model
