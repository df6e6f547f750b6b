// Package variables finds and replaces the names of variables in the texts of recipes: ${NAME}, also with the operators
// of shells that DataHub's Python client knows, and $NAME.
package variables

import (
	"regexp"
	"strings"
)

// Reference is a place in a text that stands for the value of a variable.
type Reference struct {
	Name string
	// Default tells that the text itself has the value of an absent variable, as ${NAME:-text} does.
	Default bool
}

var (
	braced = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:?[-+=?][^}]*)?\}`)
	all    = regexp.MustCompile(braced.String() + `|\$([A-Za-z_][A-Za-z0-9_]*)`)
)

// Braced returns the places of the form ${NAME} in a text, the form in which a recipe names a secret. A $ before a
// word may be a part of a text.
func Braced(text string) []Reference {
	var found []Reference
	for _, parts := range braced.FindAllStringSubmatch(text, -1) {
		found = append(found, Reference{parts[1], strings.HasPrefix(strings.TrimPrefix(parts[2], ":"), "-")})
	}
	return found
}

// Expand returns a text in which values stand in the places of variables, of either form, and the names of the
// variables that are absent and have no default.
func Expand(text string, value func(name string) (string, bool)) (expanded string, absent []string) {
	expanded = all.ReplaceAllStringFunc(text, func(found string) string {
		parts := all.FindStringSubmatch(found)
		name, operator := parts[1]+parts[3], strings.TrimPrefix(parts[2], ":")
		is, ok := value(name)
		switch {
		case strings.HasPrefix(operator, "+"):
			if ok {
				return operator[1:]
			}
			return ""
		case ok && (is != "" || !strings.HasPrefix(parts[2], ":")):
			return is
		case strings.HasPrefix(operator, "-"), strings.HasPrefix(operator, "="):
			return operator[1:]
		}
		absent = append(absent, name)
		return ""
	})
	return expanded, absent
}
