package history

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
)

// A timeline repeats with every change of a run that the run was rolled back. For
// people it is said once, beside the transaction, with when and by whom.

// rollbackNote says that a change was rolled back or comes from a rollback, "" if neither.
func rollbackNote(e *history.ChangeEvent) string {
	run, undone := e.Parameters["runId"], e.Parameters["rollback"]
	name, ok := run.(string)
	switch {
	case !ok:
		return ""
	case undone == true:
		return "rollback of run " + name
	}
	note := "run " + name + ", rolled back"
	at, _ := e.Parameters["rolledBackAt"].(string)
	by, _ := e.Parameters["rolledBackBy"].(string)
	if at == "" { // the server is of an earlier release
		return note + " since"
	}
	return note + " " + at + " by " + show.LeafOf(by)
}

// sharedNote is the note of all changes of a transaction, "" if they differ.
func sharedNote(events []history.ChangeEvent) string {
	if len(events) == 0 {
		return ""
	}
	note := rollbackNote(&events[0])
	if slices.ContainsFunc(events, func(e history.ChangeEvent) bool { return rollbackNote(&e) != note }) {
		return ""
	}
	return note
}

// withoutNotes are changes whose descriptions do not say that they were rolled back.
func withoutNotes(events []history.ChangeEvent) []history.ChangeEvent {
	events = slices.Clone(events)
	for i := range events {
		e := &events[i]
		run, _ := e.Parameters["runId"].(string)
		e.Parameters = nil
		e.Description = strings.TrimSuffix(e.Description, history.RollbackSuffix(run, false))
		e.Description = strings.TrimSuffix(e.Description, history.RollbackSuffix(run, true))
	}
	return events
}
