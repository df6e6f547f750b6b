package process_test

import (
	"os"
	"testing"

	"github.com/headwater-io/headwater/executor/process"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
)

// TestMain fails if a test of this package leaves a goroutine behind. As a supervisor, the test binary
// supervises.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "supervise" {
		os.Exit(process.Supervise())
	}
	testleaks.Main(m)
}
