package history

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// writeTimeline writes transactions with their changes. Unless all is set, the changes of
// one kind in a transaction take one line, and URNs are shortened.
func writeTimeline(e *cli.Environment, transactions []history.ChangeTransaction, all bool) error {
	w := bufio.NewWriter(e.Stdout)
	width := screen.WidthOf(e.Stdout)
	if width > 0 {
		width -= timelineIndent
	}
	for i := range transactions {
		t := &transactions[i]
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s  version %s  by %s", show.TimeOf(t.Timestamp), strings.TrimSuffix(t.SemVer, "-computed"), screen.Line(show.LeafOf(t.Actor)))
		changed := t.ChangeEvents
		if note := sharedNote(changed); note != "" {
			fmt.Fprintf(w, "  (%s)", screen.Line(note))
			changed = withoutNotes(changed)
		}
		fmt.Fprintln(w)
		var changes strings.Builder
		show.WriteFacts(&changes, changeLines(changed, all), width)
		for line := range strings.Lines(changes.String()) {
			fmt.Fprint(w, strings.Repeat(" ", timelineIndent)+line)
		}
	}
	if len(transactions) == 0 {
		fmt.Fprintln(w, "nothing changed in this time; --start sets an earlier beginning")
	}
	return w.Flush()
}

const timelineIndent = 2

// changeLines returns the lines about the changes of one transaction, by category.
func changeLines(events []history.ChangeEvent, all bool) []show.Fact {
	type kind struct{ category, operation, noun, note string }
	var (
		lines  []show.Fact
		groups = map[kind]int{} // the index of each kind's line
		things = map[kind][]string{}
	)
	for i := range events {
		event := &events[i]
		k := kind{event.Category, event.Operation, nounOf(event), rollbackNote(event)}
		if all || k.noun == "" {
			text := screen.Line(event.Description)
			if !all {
				text = show.ShortURNs(text)
			}
			lines = append(lines, show.Fact{Name: strings.ToLower(event.Category), Values: []string{text}})
			continue
		}
		if things[k] == nil {
			groups[k], lines = len(lines), append(lines, show.Fact{Name: strings.ToLower(event.Category), Values: []string{show.ShortURNs(screen.Line(event.Description))}})
		}
		if thing := screen.Line(thingOf(event)); !slices.Contains(things[k], thing) {
			things[k] = append(things[k], thing)
		}
	}
	for k, names := range things {
		if len(names) > 1 {
			line := fmt.Sprintf("%d %s %s: %s", len(names), k.noun, operations[k.operation], someOf(names))
			if k.note != "" {
				line += " (" + screen.Line(k.note) + ")"
			}
			lines[groups[k]].Values[0] = line
		}
	}
	slices.SortStableFunc(lines, func(a, b show.Fact) int { return strings.Compare(a.Name, b.Name) })
	for i := len(lines) - 1; i > 0; i-- { // write the name of a category only on its first line
		if lines[i].Name == lines[i-1].Name {
			lines[i-1].Values = append(lines[i-1].Values, lines[i].Values...)
			lines = slices.Delete(lines, i, i+1)
		}
	}
	return lines
}

// operations are the verbs of lines about several changes of a kind.
var operations = map[string]string{history.OperationAdd: "were added", history.OperationRemove: "were removed"}

// nouns are the plural words for the objects that a category adds or removes.
var nouns = map[string]string{
	"TAG": "tags", "GLOSSARY_TERM": "terms", "OWNER": "owners", "TECHNICAL_SCHEMA": "columns", "LINEAGE": "upstreams", "DOMAIN": "domains",
	"STRUCTURED_PROPERTY": "properties", "APPLICATION": "applications", "ASSET_MEMBERSHIP": "assets",
}

// nounOf returns the word for the objects that an event adds or removes, "" if the event
// has a line of its own.
func nounOf(e *history.ChangeEvent) string {
	aboutColumn := show.PlaceOf(e.Modifier).Type == model.EntitySchemaField
	switch {
	case operations[e.Operation] == "":
		return ""
	case e.Category == "TECHNICAL_SCHEMA" && !aboutColumn, strings.Contains(e.Description, "primary key"):
		return ""
	case e.Category == "DOCUMENTATION" && aboutColumn:
		return "descriptions of columns"
	case e.Category == "LINEAGE" && aboutColumn:
		return "upstreams of columns"
	}
	return nouns[e.Category]
}

// thingOf returns the name of the object that an event adds or removes.
func thingOf(e *history.ChangeEvent) string {
	name := show.LeafOf(e.Modifier)
	on := show.PlaceOf(e.EntityURN).Type == model.EntitySchemaField
	switch {
	case e.Category == "LINEAGE" && show.PlaceOf(e.Modifier).Type == model.EntitySchemaField:
		if on {
			return show.ColumnOf(e.EntityURN) + " from " + name
		}
	case show.PlaceOf(e.Modifier).Type == model.EntitySchemaField:
		return show.ColumnOf(e.Modifier)
	case on:
		return name + " of column " + show.ColumnOf(e.EntityURN)
	}
	return name
}

// someOfShown is how many objects a line names at most.
const someOfShown = 12

func someOf(names []string) string {
	if more := len(names) - someOfShown; more > 1 {
		return strings.Join(names[:someOfShown], ", ") + fmt.Sprintf(" and %d more (--all)", more)
	}
	return strings.Join(names, ", ")
}
