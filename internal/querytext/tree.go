// Package querytext parses structured query text, such as tag:PII AND (orders OR "daily
// refunds"). It does not know which fields exist: package catalog/search gives the tree its
// meaning.
package querytext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Node is a part of a query. The kinds are And, Or, Not and *Term. And and Or have two
// or more parts, none of which is of the same kind; the part of a Not is not a Not.
type Node interface {
	// write appends the node as query text. It adds parentheses if the node binds less
	// tightly than its surroundings.
	write(b *strings.Builder, around int)
}

// And holds if all parts hold.
type And []Node

// Or holds if any part holds.
type Or []Node

// Not holds if its part does not hold.
type Not struct{ Part Node }

// Term is a word, a phrase or the beginning of a word, in one field or in any.
type Term struct {
	// Field is the name before the colon, "" for none.
	Field string
	// Text is the text to find, without quotes and escapes.
	Text string
	// Quoted: the text was in quotes.
	Quoted bool
	// Prefix: a * follows the text. A term with an empty text and a * matches any value.
	Prefix bool
	// At is the place of the text in the input, FieldAt the place of the field's name.
	At, FieldAt Place
}

// Anything reports whether the term is only a *.
func (t *Term) Anything() bool { return t.Prefix && t.Text == "" }

// The precedences of nodes, the loosest first.
const (
	looseOr = iota
	looseAnd
	tight
)

func writeAll(b *strings.Builder, parts []Node, joint string, own, around int) {
	if around > own {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	for i, part := range parts {
		if i > 0 {
			b.WriteString(joint)
		}
		part.write(b, own+1)
	}
}

func (n And) write(b *strings.Builder, around int) { writeAll(b, n, " AND ", looseAnd, around) }
func (n Or) write(b *strings.Builder, around int)  { writeAll(b, n, " OR ", looseOr, around) }

func (n Not) write(b *strings.Builder, _ int) {
	b.WriteString("NOT ")
	n.Part.write(b, tight)
}

// plainName matches names of fields that need no quotes.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

func (t *Term) write(b *strings.Builder, _ int) {
	switch {
	case t.Field == "":
	case plainName.MatchString(t.Field) && !reserved[t.Field] && t.Field != "urn":
		b.WriteString(t.Field + ":")
	default:
		writeQuoted(b, t.Field)
		b.WriteByte(':')
	}
	if t.Quoted {
		writeQuoted(b, t.Text)
		return
	}
	if reserved[t.Text] {
		b.WriteByte('\\')
	}
	for rest := t.Text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if unicode.IsSpace(r) || strings.ContainsRune(`\"():*?~^[]{}+-!&|`, r) {
			b.WriteByte('\\')
		}
		b.WriteString(rest[:size])
		rest = rest[size:]
	}
	if t.Prefix {
		b.WriteByte('*')
	}
}

func writeQuoted(b *strings.Builder, text string) {
	b.WriteByte('"')
	b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text))
	b.WriteByte('"')
}

// Text returns a tree as query text, which Parse converts to the same tree. A nil tree,
// which matches everything, becomes "".
func Text(n Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	n.write(&b, looseOr)
	return b.String()
}

// Terms calls fn with every term, and with whether the term is negated.
func Terms(n Node, fn func(t *Term, negated bool)) { terms(n, false, fn) }

func terms(n Node, negated bool, fn func(*Term, bool)) {
	switch n := n.(type) {
	case And:
		for _, part := range n {
			terms(part, negated, fn)
		}
	case Or:
		for _, part := range n {
			terms(part, negated, fn)
		}
	case Not:
		terms(n.Part, !negated, fn)
	case *Term:
		fn(n, negated)
	}
}
