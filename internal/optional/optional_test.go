package optional_test

import (
	"testing"

	"github.com/headwater-io/headwater/internal/optional"
)

func TestOr(t *testing.T) {
	if got := optional.Or(nil, 7); got != 7 {
		t.Errorf("without a value: %d", got)
	}
	if got := optional.Or(new(0), 7); got != 0 {
		t.Errorf("with the value 0: %d", got)
	}
}
