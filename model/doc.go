// Package model is the metadata model: which entities and aspects exist, what
// their records look like, how URNs are written, and what an aspect's value
// says about edges and search fields.
//
// Everything here is pure: no I/O beyond the embedded tables and the custom
// model files handed to [Load], no clocks, no stores. Names are held once in a
// neutral form (the tables write "<prefix>" and "<ns>") and spelled for a
// caller by a [Dialect].
package model
