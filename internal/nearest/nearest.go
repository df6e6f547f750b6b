// Package nearest suggests existing names that are similar to a name that does not
// exist.
package nearest

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// most bounds the number of suggestions. maxLetters bounds the length of compared names, because
// the time of a comparison grows with the product of the two lengths.
const (
	most       = 3
	maxLetters = 100
)

// Names returns up to three known names that are similar to the given one, the most similar
// first. Names are similar if they differ only in letter case or in a few letters, or if
// one is the part of the other after a dot.
func Names(given string, known iter.Seq[string]) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for name := range known {
		if d, ok := distance(given, name); ok && !slices.ContainsFunc(found, func(c candidate) bool { return c.name == name }) {
			found = append(found, candidate{name, d})
			slices.SortStableFunc(found, func(a, b candidate) int {
				return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
			})
			found = found[:min(len(found), most)]
		}
	}
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = c.name
	}
	return names
}

// Question returns a sentence that suggests names, or "" for no names. The sentence begins
// with a space, so that it can follow another one.
func Question(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(names, ", ") + "?)"
}

// fewNames is the number of known names up to which Among lists all names.
const fewNames = 12

// Among returns the end of a message about an unknown name. It suggests similar names or,
// if there are none and only a few names are known, lists all known ones. what is the
// plural word for the named things.
func Among(given string, known []string, what string) string {
	if near := Names(given, slices.Values(known)); len(near) > 0 {
		return Question(near)
	}
	if len(known) > fewNames || len(known) == 0 {
		return ""
	}
	return "; the " + what + " are " + strings.Join(known, ", ")
}

// distance returns the number of differences between two names, and whether they are
// similar.
func distance(given, name string) (int, bool) {
	if len(given) > maxLetters || len(name) > maxLetters || given == "" {
		return 0, false
	}
	a, b := strings.ToLower(given), strings.ToLower(name)
	if a == b {
		return 0, true
	}
	if strings.HasSuffix(b, "."+a) || strings.HasSuffix(a, "."+b) {
		return 1, true
	}
	d := levenshtein.ComputeDistance(a, b)
	if d == 2 && len(a) == len(b) && len(a) > 3 && sameLetters(a, b) {
		return 1, true // two letters are swapped
	}
	return d, d <= max(1, min(len(a), len(b))/3)
}

func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}
