package settings

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

// Pattern says which names are wanted, as the client's patterns do: a name that a denying expression matches is not
// wanted, any other name is wanted if an allowing expression matches it. An expression must match the beginning of the
// name, not the whole name.
type Pattern struct {
	allow, deny []*regexp.Regexp
}

// Denying returns a pattern that allows every name but those that begin with what the expression matches.
func Denying(expression string) Pattern {
	return Pattern{deny: []*regexp.Regexp{regexp.MustCompile("(?i)^(?:" + expression + ")")}}
}

// Allows reports whether a name is wanted.
func (p Pattern) Allows(name string) bool {
	for _, e := range p.deny {
		if e.MatchString(name) {
			return false
		}
	}
	for _, e := range p.allow {
		if e.MatchString(name) {
			return true
		}
	}
	return p.allow == nil
}

// Pattern returns the pattern of a section with allow, deny and ignoreCase. An expression that only Python's regular
// expressions have, such as a look-ahead, is for the Python client.
func (r *Reader) Pattern(name string, fallback Pattern) Pattern {
	if r.value(name) == nil {
		return fallback
	}
	s := r.Section(name)
	flags := ""
	if s.Bool("ignoreCase", true) {
		flags = "(?i)"
	}
	allowed := s.Has("allow")
	p := Pattern{allow: s.expressions("allow", flags), deny: s.expressions("deny", flags)}
	if allowed && p.allow == nil {
		p.allow = []*regexp.Regexp{} // an empty list allows nothing
	}
	return p
}

func (r *Reader) expressions(name, flags string) []*regexp.Regexp {
	var compiled []*regexp.Regexp
	for i, text := range r.Texts(name, limits.MaxRecipePatterns) {
		one, err := regexp.Compile(flags + "^(?:" + text + ")")
		switch {
		case err == nil:
			compiled = append(compiled, one)
		case isPythons(text):
			r.Foreign(fmt.Sprintf("%s[%d]", name, i))
		default:
			r.Fail(fmt.Sprintf("%s[%d]", name, i), fmt.Sprintf("is not a regular expression: %v", err))
		}
	}
	return compiled
}

// isPythons reports whether an expression has what Python's expressions have and Go's do not: conditions on the text
// around, and references to groups.
func isPythons(text string) bool {
	for _, form := range []string{"(?=", "(?!", "(?<=", "(?<!", "(?P=", "(?(", "(?#", "(?>", "*+", "++", "?+"} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return regexp.MustCompile(`\\[1-9]`).MatchString(text)
}
