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

// most is how many names are offered, maxLetters how long the names compared
// are: the comparison takes the product of two lengths.
const (
	most       = 3
	maxLetters = 100
)

// Names returns up to three known names that are similar to the given one, the nearest
// first. Similar means: another letter case, a few letters changed, missing or
// added, or one name is the part of the other after a dot.
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

// Question is a sentence that suggests names, or "" if there are none. It begins with
// a space so that it can follow another sentence.
func Question(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(names, ", ") + "?)"
}

// fewNames is how many names are listed when none is similar.
const fewNames = 12

// Among is the end of a message about a name that is not one of those known: it suggests
// the nearest or, if there are none and only a few are known, lists them all. What says
// in the plural what they are.
func Among(given string, known []string, what string) string {
	if near := Names(given, slices.Values(known)); len(near) > 0 {
		return Question(near)
	}
	if len(known) > fewNames || len(known) == 0 {
		return ""
	}
	return "; the " + what + " are " + strings.Join(known, ", ")
}

// distance returns how far a name is from the given one, and whether that is near.
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
		return 1, true // two letters are exchanged
	}
	return d, d <= max(1, min(len(a), len(b))/3)
}

func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}
