package lineage

import (
	"testing"

	"github.com/headwater-io/headwater/model"
)

// TestFlowWords: flows has a word for every lineage relationship of the model.
func TestFlowWords(t *testing.T) {
	for _, kind := range model.Default().LineageKinds() {
		if flows[kind.Relationship] == "" {
			t.Errorf("no word for %s", kind.Relationship)
		}
	}
}
