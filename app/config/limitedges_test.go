package config

import (
	"strconv"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestSmallestMemory: a memory setting may be exactly its minimum, and not less.
func TestSmallestMemory(t *testing.T) {
	for flag, least := range map[string]int{"--request-memory": limits.MinRequestMemory, "--search-memory": limits.MinSearchMemory} {
		if _, err := load(t, "", nil, flag, strconv.Itoa(least)); err != nil {
			t.Error(err)
		}
		if _, err := load(t, "", nil, flag, strconv.Itoa(least-1)); err == nil {
			t.Errorf("%s %d is accepted", flag, least-1)
		}
	}
}

// TestRunEvents: the number of kept events of a run may be exactly its bounds, and not beyond.
func TestRunEvents(t *testing.T) {
	for value, accepted := range map[int]bool{0: true, -1: false, limits.OpenLineageEvents: true, limits.OpenLineageEvents + 1: false} {
		if _, err := load(t, "", nil, "--openlineage-events", strconv.Itoa(value)); (err == nil) != accepted {
			t.Errorf("%d: %v", value, err)
		}
	}
	if s, err := load(t, "", nil); err != nil || s.RunEvents != limits.DefaultOpenLineageEvents {
		t.Errorf("by default: %v", err)
	}
}

// TestMinPassword: the least length of passwords may be exactly its bounds, and not beyond.
func TestMinPassword(t *testing.T) {
	for value, accepted := range map[int]bool{
		limits.LeastMinPassword: true, limits.LeastMinPassword - 1: false, limits.MostMinPassword: true, limits.MostMinPassword + 1: false,
	} {
		if _, err := load(t, "", nil, "--auth", "on", "--min-password", strconv.Itoa(value)); (err == nil) != accepted {
			t.Errorf("%d: %v", value, err)
		}
	}
}
