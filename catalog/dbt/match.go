package dbt

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/internal/python"
)

// The kinds of values that Python distinguishes.
const (
	kindNone = iota
	kindText
	kindTruth
	kindWhole
	kindFloat
	kindList
	kindObject
)

func kindOf(value json.RawMessage) int {
	value = trimmed(value)
	switch {
	case len(value) == 0 || value[0] == 'n':
		return kindNone
	case value[0] == '"':
		return kindText
	case value[0] == 't' || value[0] == 'f':
		return kindTruth
	case value[0] == '[':
		return kindList
	case value[0] == '{':
		return kindObject
	case strings.ContainsAny(string(value), ".eE"):
		return kindFloat
	}
	return kindWhole
}

// MatchText returns the regular expression of a value that rules match: a text itself, and for another value the text that
// Python writes.
func MatchText(match json.RawMessage) string { return pythonText(trimmed(match)) }

// found is a match: the texts of its groups, of which the first is the whole. nil is a group without a text.
type found struct {
	names  []string
	groups []*string
}

func findIn(expression *regexp.Regexp, text string) *found {
	at := expression.FindStringSubmatchIndex(text)
	if at == nil {
		return nil
	}
	f := &found{names: expression.SubexpNames()}
	for i := 0; i < len(at); i += 2 {
		if at[i] < 0 {
			f.groups = append(f.groups, nil)
			continue
		}
		group := text[at[i]:at[i+1]]
		f.groups = append(f.groups, &group)
	}
	return f
}

func (f *found) whole() string { return *f.groups[0] }

// best returns the group of the name, otherwise the first group, otherwise the whole. fits is false if the group has no
// text.
func (f *found) best(name string) (text string, fits bool) {
	best := f.groups[min(1, len(f.groups)-1)]
	for i, group := range f.names {
		if group == name {
			best = f.groups[i]
		}
	}
	if best == nil {
		return "", false
	}
	return *best, true
}

// match returns the parts of a value that the rule matches, nil for none. fits is false if the client fails at the value.
func (r *Rule) match(value json.RawMessage) (match *found, fits bool) {
	kind, own := kindOf(value), kindOf(r.Match)
	switch kind {
	case kindNone, kindObject:
		return nil, true
	case kindList:
		return r.matchList(value, own)
	}
	if !isInstance(kind, own) {
		return nil, true
	}
	return findIn(r.Matching, pythonText(trimmed(value))), true
}

// isInstance reports whether a value of a kind is one of another kind: Python counts a truth value as a whole number.
func isInstance(kind, of int) bool { return kind == of || kind == kindTruth && of == kindWhole }

// matchList matches the elements of a list. The match is all elements that match, with commas.
func (r *Rule) matchList(value json.RawMessage, own int) (match *found, fits bool) {
	var matching []string
	for _, element := range list(value) {
		kind := kindOf(element)
		switch {
		case kind == kindText && own != kindText:
			return nil, false // a text cannot be matched with another value
		case kind != kindText && !isInstance(own, kind):
			continue
		}
		if text := pythonText(trimmed(element)); r.Matching.MatchString(text) {
			matching = append(matching, text)
		}
	}
	if matching == nil {
		return nil, true
	}
	line, _, _ := strings.Cut(strings.Join(matching, ","), "\n") // the client takes the first line
	return &found{names: []string{""}, groups: []*string{&line}}, true
}

// matchPlace is the place of the matched text in a rule.
var matchPlace = regexp.MustCompile(`\{\{[\s\p{Z}]*\$match[\s\p{Z}]*\}\}`)

// filled returns a text with the best match. fits is false if the client fails at it: the matched text is a template of Python,
// in which a backslash has a meaning.
func (r *Rule) filled(text string, match *found, group string) (filled string, fits bool) {
	best, fits := match.best(group)
	if !fits {
		return "", false
	}
	if best, fits = python.Template(best); !fits {
		return "", false
	}
	return matchPlace.ReplaceAllLiteralString(text, best), true
}
