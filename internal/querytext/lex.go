package querytext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reserved are the words that are operators unless they are quoted or escaped.
var reserved = map[string]bool{"AND": true, "OR": true, "NOT": true}

// kind is the kind of a lexeme.
type kind int

const (
	end kind = iota
	open
	closed
	and
	or
	not    // the word NOT, or - or !
	must   // the sign +
	field  // the name of a field, with its colon
	phrase // a text in quotes
	word
)

// lexeme is a piece of the input.
type lexeme struct {
	kind kind
	at   Place
	// text is the name, phrase or word, without quotes and escapes.
	text   string
	prefix bool
}

// lexer splits the input into lexemes.
type lexer struct {
	input string
	at    int
}

func (l *lexer) fail(at int, reason string, args ...any) error {
	return At(l.input, Place(at), reason, args...)
}

// skipSpace moves to the next character that is not a space.
func (l *lexer) skipSpace() {
	rest := strings.TrimLeftFunc(l.input[l.at:], unicode.IsSpace)
	l.at = len(l.input) - len(rest)
}

// next returns the next lexeme. If value is set, it reads the value of a field, in which a
// word may contain colons and begin with a sign.
func (l *lexer) next(value bool) (lexeme, error) {
	l.skipSpace()
	start := l.at
	if l.at == len(l.input) {
		return lexeme{kind: end, at: Place(start)}, nil
	}
	switch c := l.input[l.at]; c {
	case '(':
		l.at++
		return lexeme{kind: open, at: Place(start)}, nil
	case ')':
		l.at++
		return lexeme{kind: closed, at: Place(start)}, nil
	case '"':
		return l.quoted(value)
	case '+', '-', '!':
		if !value {
			return l.sign(c)
		}
	}
	return l.word(value)
}

// sign reads a +, - or !, which must stand directly before its term.
func (l *lexer) sign(c byte) (lexeme, error) {
	start := l.at
	l.at++
	if rest := l.input[l.at:]; rest == "" || rest[0] == ')' || strings.TrimLeftFunc(rest, unicode.IsSpace) != rest {
		return lexeme{}, l.fail(start, "nothing follows the %c; put it directly before a word, or put it in quotes", c)
	}
	if c == '+' {
		return lexeme{kind: must, at: Place(start)}, nil
	}
	return lexeme{kind: not, at: Place(start)}, nil
}

// escapable are the characters whose \ in quotes is not part of the text. Clients escape
// all of them, even where quotes make that needless.
const escapable = "-+=&|><!(){}[]^\"~*?:\\/ "

// quoted reads a phrase, or a quoted name of a field.
func (l *lexer) quoted(value bool) (lexeme, error) {
	start := l.at
	var text strings.Builder
	for l.at++; l.at < len(l.input); l.at++ {
		switch c := l.input[l.at]; {
		case c == '"':
			l.at++
			found := lexeme{kind: phrase, at: Place(start), text: text.String()}
			switch rest := l.input[l.at:]; {
			case strings.TrimSpace(found.text) == "":
				return lexeme{}, l.fail(start, "the quotes are empty")
			case strings.HasPrefix(rest, "*"):
				return lexeme{}, l.fail(l.at, "a * may stand only at the end of a word, not of a phrase")
			case strings.HasPrefix(rest, ":") && !value:
				l.at++
				found.kind = field
			}
			return found, nil
		case c == '\\' && l.at+1 < len(l.input) && strings.IndexByte(escapable, l.input[l.at+1]) >= 0:
			l.at++
			text.WriteByte(l.input[l.at])
		default:
			text.WriteByte(c)
		}
	}
	return lexeme{}, l.fail(start, "the closing quotes are missing")
}

// urnStart matches the beginning of a URN. The text urn:urn: is the field urn and the
// beginning of its value.
var urnStart = regexp.MustCompile(`^urn:[A-Za-z][A-Za-z0-9]*:`)

// word reads a word, a name with its colon, or an operator.
func (l *lexer) word(value bool) (lexeme, error) {
	start := l.at
	if rest := l.input[start:]; urnStart.MatchString(rest) && (value || !strings.HasPrefix(rest, "urn:urn:")) {
		return l.urn()
	}
	var text strings.Builder
	escaped := false
	for l.at < len(l.input) {
		r, size := utf8.DecodeRuneInString(l.input[l.at:])
		switch {
		case unicode.IsSpace(r), r == '(', r == ')', r == '"':
			return l.finished(start, text.String(), escaped), nil
		case r == ':' && !value:
			if l.at == start {
				return lexeme{}, l.fail(start, "the name of a field is missing before the colon")
			}
			l.at++
			return lexeme{kind: field, at: Place(start), text: text.String()}, nil
		case r == '\\':
			escaped = true
			l.at++
			if l.at == len(l.input) {
				return lexeme{}, l.fail(l.at-1, `a \ must be followed by the character that it is for`)
			}
			_, size = utf8.DecodeRuneInString(l.input[l.at:])
		case r == '*':
			return l.beginning(start, text.String())
		case strings.ContainsRune("?~^[]{}", r):
			return lexeme{}, l.fail(l.at, `%c has no meaning in a query; put a \ before it, or the text in quotes%s`, r, hints[r])
		}
		text.WriteString(l.input[l.at : l.at+size])
		l.at += size
	}
	return l.finished(start, text.String(), escaped), nil
}

// hints name the alternative for syntax of other query languages.
var hints = map[rune]string{'?': " (* at the end of a word is the only wildcard)", '[': " (ranges are compared in a filter)", '{': " (ranges are compared in a filter)"}

// finished returns the lexeme of a complete word, which may be an operator.
func (l *lexer) finished(start int, text string, escaped bool) lexeme {
	found := lexeme{kind: word, at: Place(start), text: text}
	if !escaped {
		switch text {
		case "AND", "&&":
			found.kind = and
		case "OR", "||":
			found.kind = or
		case "NOT":
			found.kind = not
		}
	}
	return found
}

// beginning returns the lexeme of a word with the * at the current place.
func (l *lexer) beginning(start int, text string) (lexeme, error) {
	star := l.at
	l.at++
	if r, _ := utf8.DecodeRuneInString(l.input[l.at:]); l.at < len(l.input) && !unicode.IsSpace(r) && r != ')' {
		return lexeme{}, l.fail(star, `a * may stand only at the end of a word; put a \ before it if it belongs to the text`)
	}
	return lexeme{kind: word, at: Place(start), text: text, prefix: true}, nil
}

// urn reads a URN. It ends at a space, or at a closing parenthesis without an opening one
// in the URN.
func (l *lexer) urn() (lexeme, error) {
	start, depth := l.at, 0
	var text strings.Builder
	for l.at < len(l.input) {
		r, size := utf8.DecodeRuneInString(l.input[l.at:])
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '*' && depth <= 0:
			return l.beginning(start, text.String())
		}
		if unicode.IsSpace(r) || depth < 0 {
			break
		}
		if r == '\\' && l.at+1 < len(l.input) {
			l.at++
			_, size = utf8.DecodeRuneInString(l.input[l.at:])
		}
		text.WriteString(l.input[l.at : l.at+size])
		l.at += size
	}
	if depth > 0 {
		return lexeme{}, l.fail(start, "a parenthesis of the URN is not closed; a URN with spaces must be in quotes")
	}
	return lexeme{kind: word, at: Place(start), text: text.String()}, nil
}
