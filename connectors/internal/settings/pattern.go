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

// Denying returns a pattern that allows every name but those whose beginning the expression matches.
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
		if one := r.Expression(fmt.Sprintf("%s[%d]", name, i), flags, text); one != nil {
			compiled = append(compiled, one)
		}
	}
	return compiled
}

// Expression compiles a regular expression, which matches at the beginning of a text. The result is nil if the expression
// is wrong or too long, or if only Python's regular expressions have it: the setting is then named.
func (r *Reader) Expression(name, flags, text string) *regexp.Regexp {
	if len(text) > limits.MaxRecipePatternBytes {
		r.Fail(name, fmt.Sprintf("has %d bytes, more than %d", len(text), limits.MaxRecipePatternBytes))
		return nil
	}
	one, err := regexp.Compile(flags + "^(?:" + unicodeClasses(text) + ")")
	switch {
	case err == nil:
		return one
	case isPythons(text):
		r.Foreign(name)
	default:
		r.Fail(name, fmt.Sprintf("is not a regular expression: %v", err))
	}
	return nil
}

// classes are the classes of characters that have all alphabets in Python and ASCII in Go, inside and outside of brackets.
var classes = map[byte]struct{ inside, outside string }{
	'd': {`\p{Nd}`, `\p{Nd}`},
	'D': {`\P{Nd}`, `\P{Nd}`},
	'w': {`\p{L}\p{N}_`, `[\p{L}\p{N}_]`},
	'W': {`\W`, `[^\p{L}\p{N}_]`},
	's': {`\s\v\x1c-\x1f\x{85}\p{Z}`, `[\s\v\x1c-\x1f\x{85}\p{Z}]`},
	'S': {`\S`, `[^\s\v\x1c-\x1f\x{85}\p{Z}]`},
	'Z': {`\Z`, `\z`},
}

// unicodeClasses writes Python's classes of characters as Go's.
func unicodeClasses(text string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			class, known := classes[text[i]]
			switch {
			case known && inside:
				b.WriteString(class.inside)
			case known:
				b.WriteString(class.outside)
			default:
				b.WriteString(text[i-1 : i+1])
			}
			continue
		case c == '[' && !inside:
			inside = true
			b.WriteByte(c)
			if i+1 < len(text) && text[i+1] == '^' {
				i++
				b.WriteByte('^')
			}
			if i+1 < len(text) && text[i+1] == ']' { // a bracket at the beginning of a class does not end the class
				i++
				b.WriteByte(']')
			}
			continue
		case c == ']':
			inside = false
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// isPythons reports whether an expression uses a feature that Python's expressions have and Go's lack: conditions on the
// text around, and references to groups.
func isPythons(text string) bool {
	for _, form := range []string{"(?=", "(?!", "(?<=", "(?<!", "(?P=", "(?(", "(?#", "(?>", "*+", "++", "?+"} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return regexp.MustCompile(`\\[1-9]`).MatchString(text)
}
