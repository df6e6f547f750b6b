package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestRuns: writes without a run are not listed unless the caller asks for bookkeeping. A run
// that was rolled back is marked, and its writes are still listed.
func TestRuns(t *testing.T) {
	c := testcatalog.At(t, testclock.Now)
	for i, run := range []string{"good", "bad", ""} {
		putAs(t, c, run, "orders", "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, i))
		putAs(t, c, run, fmt.Sprintf("table%d", i), "datasetProperties", `{"description":"a"}`)
		testclock.Forward(2 * time.Millisecond)
	}
	rollBack := removal.RollbackRequest{Origin: removal.Origin{RunID: "bad"}}
	if _, err := c.Removal.Rollback(context.Background(), rollBack, catalog.WriteOptions{Actor: "urn:li:corpuser:ada"}); err != nil {
		t.Fatal(err)
	}
	session := client(t, c, false)
	list := func(arguments string) string {
		t.Helper()
		answer, refused := ask(t, session, "runs", arguments)
		if refused != "" {
			t.Fatal(refused)
		}
		var lines []string
		for _, r := range itemsOf(answer, "runs") {
			line := fmt.Sprint(r["run"])
			if r["rolled_back"] != nil {
				line += fmt.Sprint(" rolled back by ", r["rolled_back_by"])
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, ", ")
	}
	const bad = "bad rolled back by urn:li:corpuser:ada"
	if got := list(`{}`); got != bad+", good" {
		t.Errorf("the runs are %s", got)
	}
	if got := list(`{"bookkeeping":true}`); got != catalog.NoRunID+", "+bad+", good" {
		t.Errorf("with bookkeeping, the runs are %s", got)
	}
	if got := list(`{"pipeline":"none"}`); got != "" {
		t.Errorf("the runs of no pipeline are %s", got)
	}
	if _, refused := ask(t, session, "runs", `{"run":"bad"}`); !strings.Contains(refused, "was rolled back at") || !strings.Contains(refused, "corpuser:ada") {
		t.Errorf("of a run that was rolled back: %q", refused)
	}
}
