// Package testleaks finds goroutines that the tests of a package leave behind.
package testleaks

import (
	"testing"

	"go.uber.org/goleak"
)

// Main is the TestMain of a package: it runs the tests and ends the process. It fails if a
// test leaves a goroutine behind. Only the servers of internal/testing/testservers may
// continue, because all tests of the process share them.
func Main(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/headwater-io/headwater/internal/testing/testservers.launch.func1"),
		goleak.IgnoreAnyFunction("os/exec.(*Cmd).Start.func2"), // this goroutine copies the output of such a server
	)
}
