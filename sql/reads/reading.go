package reads

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Place is a place in SQL that reads a column: the clause, such as WHERE, and the line, from 1. The
// line is 0 if the SQL could not be parsed.
type Place struct {
	Clause string `json:"clause"`
	Line   int    `json:"line,omitempty"`
}

// Reading describes how statements read columns of a table.
type Reading struct {
	// Names: the statements read one of the columns. Places are the places, if they are known.
	Names  bool
	Places []Place
	// Star: the statements read all columns of the table, as by "*".
	Star bool
	// Doubt says which name in the statements may mean one of the columns; "" if none does.
	Doubt string
	// Unread says why a part of the statements could not be read; "" if all were read.
	Unread string
}

func (r *Reading) add(one *Reading) {
	r.Names, r.Star = r.Names || one.Names, r.Star || one.Star
	r.Unread, r.Doubt = cmp.Or(one.Unread, r.Unread), cmp.Or(r.Doubt, one.Doubt)
	for _, place := range one.Places {
		if !slices.Contains(r.Places, place) {
			r.Places = append(r.Places, place)
		}
	}
}

// WithLines returns the places whose lines are known.
func WithLines(places []Place) []Place {
	var parsed []Place
	for _, p := range places {
		if p.Line > 0 {
			parsed = append(parsed, p)
		}
	}
	return parsed
}

// PlacesText returns places as a part of a sentence, such as "SELECT (line 1), WHERE (lines 3, 7)", or
// "SELECT, WHERE (line 1)" if all are on one line.
func PlacesText(places []Place) string {
	var parts, all []string
	for _, clause := range Clauses(places) {
		var lines []string
		for _, p := range places {
			if line := strconv.Itoa(p.Line); p.Clause == clause && p.Line > 0 && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
		parts, all = append(parts, clause+linesText(lines)), append(all, lines...)
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 1 {
		return strings.Join(Clauses(places), ", ") + linesText(all)
	}
	return strings.Join(parts, ", ")
}

func linesText(lines []string) string {
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return " (line " + lines[0] + ")"
	}
	return " (lines " + strings.Join(lines, ", ") + ")"
}

// Clauses returns the clauses of places, each once.
func Clauses(places []Place) []string {
	var clauses []string
	for _, place := range places {
		if !slices.Contains(clauses, place.Clause) {
			clauses = append(clauses, place.Clause)
		}
	}
	return clauses
}
