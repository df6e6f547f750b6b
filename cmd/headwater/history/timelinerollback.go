package history

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
)

// In the server's timeline, every change of a rolled-back run repeats that the run was
// rolled back. The text output says this once, beside the transaction, with the time and
// the actor of the rollback.

// rollbackNote returns a note that a change was rolled back or that it is part of a
// rollback, "" if it is neither.
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
	if at == "" { // servers of earlier releases do not say when
		return note + " since"
	}
	return note + " " + at + " by " + show.LeafOf(by)
}

// sharedNote returns the note of a transaction if all its changes have the same one,
// otherwise "".
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

// withoutNotes returns the changes without the remark about the rollback in their
// descriptions.
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
