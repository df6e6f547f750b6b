package object

import (
	"slices"
	"testing"
)

// TestArguments: the arguments of a run have the order of the reference, and further arguments follow by their names.
func TestArguments(t *testing.T) {
	i := &ExecutionRequestInput{Args: map[string]string{"debug_mode": "false", "b": "1", "version": "1.7.0", "a": "2", "recipe": "{}"}}
	var keys []string
	for _, p := range i.Arguments() {
		keys = append(keys, p.Key)
	}
	if !slices.Equal(keys, []string{"recipe", "version", "debug_mode", "a", "b"}) {
		t.Errorf("the arguments are %v", keys)
	}
}
