// Package model is the metadata model: which entities and aspects exist, the layout of
// their records, the form of URNs, and the edges and search fields that follow from the
// value of an aspect.
//
// The package does no I/O except for reading the embedded tables and the custom model files
// passed to [Load]; it uses no clock and no store. Names are stored once in a neutral form
// (the tables contain "<prefix>" and "<ns>"), and a [Dialect] converts them to the form of
// a caller.
package model
