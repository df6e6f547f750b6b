package history

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestTimelineOfARollback: the output says once that a run was rolled back, with the time
// and the actor. If only some changes of a transaction were rolled back, the output says it
// at each of these.
func TestTimelineOfARollback(t *testing.T) {
	bad := func(column string) history.ChangeEvent {
		return history.ChangeEvent{
			EntityURN: "urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)", Category: "TECHNICAL_SCHEMA", Operation: history.OperationRemove,
			Modifier:    "urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)," + column + ")",
			Description: "Column " + column + " was removed (run bad, rolled back since)",
			Parameters: map[string]any{
				"runId": "bad", "rollback": false, "rolledBackAt": "2026-11-11T09:42:00Z", "rolledBackBy": "urn:li:corpuser:ines.falk",
			},
		}
	}
	undone := history.ChangeEvent{Category: "OWNER", Operation: history.OperationModify, Description: "It was undone (rollback of run bad)", Parameters: map[string]any{"runId": "bad", "rollback": true}}
	good := history.ChangeEvent{Category: "OWNER", Operation: history.OperationModify, Description: "An owner changed"}
	for _, c := range []struct {
		name   string
		events []history.ChangeEvent
		want   []string
	}{
		{"all", []history.ChangeEvent{bad("a"), bad("b")}, []string{"by omar  (run bad, rolled back 2026-11-11T09:42:00Z by ines.falk)\n", "2 columns were removed: a, b\n"}},
		{"undone", []history.ChangeEvent{undone}, []string{"by omar  (rollback of run bad)\n", "It was undone\n"}},
		{"some", []history.ChangeEvent{bad("a"), bad("b"), good}, []string{
			"by omar\n", "2 columns were removed: a, b (run bad, rolled back 2026-11-11T09:42:00Z by ines.falk)\n", "An owner changed\n",
		}},
	} {
		var out strings.Builder
		e := &cli.Environment{Stdout: &out}
		if err := writeTimeline(e, []history.ChangeTransaction{{Timestamp: 1, Actor: "urn:li:corpuser:omar", SemVer: "1.0.0-computed", ChangeEvents: c.events}}, false); err != nil {
			t.Fatal(err)
		}
		for _, line := range c.want {
			if !strings.Contains(out.String(), line) {
				t.Errorf("%s: no %q in\n%s", c.name, line, out.String())
			}
		}
	}
}
