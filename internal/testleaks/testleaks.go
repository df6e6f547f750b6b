// Package testleaks finds goroutines that the tests of a package leave behind.
package testleaks

import (
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, as its TestMain, and ends the process. It fails when a test
// leaves a goroutine behind. What began with the process may go on, and so may the servers of
// internal/testservers, which all tests of the process share.
func Main(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreCurrent(),
		goleak.IgnoreAnyFunction("github.com/headwater-io/headwater/internal/testservers.launch.func1"),
		goleak.IgnoreAnyFunction("os/exec.(*Cmd).Start.func2"), // it copies what such a server says
	)
}
