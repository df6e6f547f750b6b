package lineage

import (
	"testing"

	"github.com/headwater-io/headwater/model"
)

// TestFlowWords: every relationship of the model's lineage has words for drawings.
func TestFlowWords(t *testing.T) {
	for _, kind := range model.Default().LineageKinds() {
		if flows[kind.Relationship] == "" {
			t.Errorf("no word for %s", kind.Relationship)
		}
	}
}
