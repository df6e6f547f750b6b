package safely

import (
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testleaks"
)

// TestMain fails when a test of this package leaves a goroutine behind.
func TestMain(m *testing.M) { testleaks.Main(m) }
