// Package parser parses SQL of many dialects into trees.
//
// The parser is polyglot-sql, a library in Rust, as a WebAssembly module (decision 101). It runs
// in a memory of its own: a text can neither reach the memory of the server nor hold a processor
// longer than its deadline. The module is compiled to machine code when the first text comes, and
// the machine code is kept in a directory for the next start. A server that sees no SQL neither
// compiles nor loads the module.
package parser

//go:generate bash make.sh
