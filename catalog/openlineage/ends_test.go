package openlineage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/model"
)

// endsOf returns the results and the times of the ends of the only run.
func endsOf(t *testing.T, h *catalogtest.Harness) (ends []string) {
	t.Helper()
	for name, value := range graphOf(t, h) {
		if values, ok := value.([]any); ok && strings.HasSuffix(name, " "+model.AspectDataProcessInstanceRunEvent) {
			for _, event := range values {
				if of := event.(map[string]any); of["result"] != nil {
					ends = append(ends, fmt.Sprintf("%v at %.0f", of["result"].(map[string]any)["type"], of["timestampMillis"]))
				}
			}
		}
	}
	return ends
}

// TestFailedStaysFailed: Spark sends FAIL for the job of a command, and then COMPLETE for the command. The run has
// failed in whatever order the two come. A run with the same id that has begun again has the result of its last end.
func TestFailedStaysFailed(t *testing.T) {
	const fifth, seventh = 1795775105000, 1795775107000
	event := func(kind string, second int) string {
		return ran(kind, fmt.Sprintf("10:25:0%d", second), sparkRun, "", spark, "")
	}
	failed := []string{event("START", 4), event("FAIL", 5), event("COMPLETE", 6)}
	again := []string{event("START", 4), event("FAIL", 5), event("START", 6), event("COMPLETE", 7)}
	for _, c := range []struct {
		events []string
		want   string
	}{{failed, fmt.Sprintf("[FAILURE at %d]", fifth)}, {again, fmt.Sprintf("[SUCCESS at %d]", seventh)}} {
		for range 2 {
			h := catalogtest.NewHarness(t)
			takeAll(t, h, c.events)
			if got := fmt.Sprint(endsOf(t, h)); got != c.want {
				t.Errorf("the run ended as %s, not as %s", got, c.want)
			}
			slices.Reverse(c.events)
		}
	}
}
