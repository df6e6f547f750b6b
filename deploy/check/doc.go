// Package check tests the files for packaging and deploying Headwater. It is a module of
// its own, so that the readers of those files are not dependencies of the program.
package check
