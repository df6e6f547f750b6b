// Package check tests the files that Headwater is packaged and deployed with. It is a module
// of its own, so that what reads those files is not among the dependencies of the program.
package check
