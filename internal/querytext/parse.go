package querytext

import (
	"regexp"
	"slices"

	"github.com/headwater-io/headwater/internal/limits"
)

// mark matches the beginning of structured query text. Some clients put backslashes before
// the slash.
var mark = regexp.MustCompile(`^\s*\\*/q\s`)

// IsStructured reports whether an input is structured query text, that is, begins with /q
// and a space.
func IsStructured(input string) bool { return mark.MatchString(input) }

// Structure converts an input to structured query text if the input can be parsed as such
// and has more meaning then: it has several parts, and one is a field, a phrase or a
// negation, or the parts are alternatives. Otherwise it returns the input unchanged.
func Structure(input string) string {
	if IsStructured(input) {
		return input
	}
	text := "/q " + input
	tree, err := Parse(text)
	if err != nil {
		return input
	}
	switch n := tree.(type) {
	case nil, *Term:
		return input
	case And:
		plain := func(part Node) bool {
			t, ok := part.(*Term)
			return ok && t.Field == "" && !t.Quoted
		}
		if !slices.ContainsFunc(n, func(part Node) bool { return !plain(part) }) {
			return input
		}
	}
	return text
}

// Parse parses an input that begins with /q and a space. The tree is nil if nothing
// follows. The error is an [*Error].
//
// Terms side by side must all hold. NOT, - and ! bind most tightly, then AND, then OR. A +
// before a term changes nothing.
func Parse(input string) (Node, error) {
	p := parser{lexer: lexer{input: input, at: len(mark.FindString(input))}}
	if err := p.advance(false); err != nil {
		return nil, err
	}
	if p.now.kind == end {
		return nil, nil
	}
	tree, err := p.either()
	if err == nil && p.now.kind != end { // the expression ended before the end of the input, so here is a closing parenthesis
		err = p.fail("nothing opens this parenthesis")
	}
	if err != nil {
		return nil, err
	}
	return tree, nil
}

// parser parses the lexemes of a query.
type parser struct {
	lexer
	now lexeme
	// terms is the number of terms so far, depth the number of levels around the current
	// place.
	terms, depth int
	// field is the field whose values are being read. fieldAt is its place.
	field   string
	fieldAt Place
}

func (p *parser) advance(value bool) (err error) {
	p.now, err = p.next(value)
	return err
}

func (p *parser) fail(reason string, args ...any) error {
	return p.lexer.fail(int(p.now.at), reason, args...)
}

// either parses terms with OR between them.
func (p *parser) either() (Node, error) {
	var parts Or
	for {
		part, err := p.all()
		if err != nil {
			return nil, err
		}
		if inner, ok := part.(Or); ok {
			parts = append(parts, inner...)
		} else {
			parts = append(parts, part)
		}
		if p.now.kind != or {
			break
		}
		if err := p.advance(false); err != nil {
			return nil, err
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return parts, nil
}

// all parses terms side by side, or with AND between them.
func (p *parser) all() (Node, error) {
	var parts And
	for {
		part, err := p.signed()
		if err != nil {
			return nil, err
		}
		if inner, ok := part.(And); ok {
			parts = append(parts, inner...)
		} else {
			parts = append(parts, part)
		}
		if p.now.kind == and {
			if err := p.advance(false); err != nil {
				return nil, err
			}
			continue
		}
		if p.now.kind == or || p.now.kind == closed || p.now.kind == end {
			break
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return parts, nil
}

// deeper enters a level of nesting. The caller leaves the level with shallower.
func (p *parser) deeper() error {
	if p.depth++; p.depth > limits.MaxQueryNesting {
		return p.fail("the query is nested more than %d levels deep", limits.MaxQueryNesting)
	}
	return nil
}

func (p *parser) shallower() { p.depth-- }

// signed parses a term with the operators before it.
func (p *parser) signed() (Node, error) {
	sign := p.now.kind
	if sign != not && sign != must {
		return p.primary()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	if err := p.advance(false); err != nil {
		return nil, err
	}
	part, err := p.signed()
	if err != nil || sign == must {
		return part, err
	}
	if inner, ok := part.(Not); ok {
		return inner.Part, nil
	}
	return Not{part}, nil
}

// primary parses a term, a field with its values, or a group in parentheses.
func (p *parser) primary() (Node, error) {
	switch p.now.kind {
	case word, phrase:
		return p.term()
	case open:
		return p.group()
	case field:
		return p.fieldValues()
	case end:
		return nil, p.fail("a word is missing")
	case closed:
		return nil, p.fail("a word is missing before the parenthesis")
	}
	return nil, p.fail("a word is missing before the operator; put the operator in quotes to search for it")
}

func (p *parser) term() (Node, error) {
	t := &Term{Field: p.field, FieldAt: p.fieldAt, Text: p.now.text, At: p.now.at, Quoted: p.now.kind == phrase, Prefix: p.now.prefix}
	if p.terms++; p.terms > limits.MaxQueryTerms {
		return nil, p.fail("the query has more than %d terms", limits.MaxQueryTerms)
	}
	return t, p.advance(false)
}

// group parses a group in parentheses.
func (p *parser) group() (Node, error) {
	begin := p.now.at
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer p.shallower()
	if err := p.advance(false); err != nil {
		return nil, err
	}
	inner, err := p.either()
	if err != nil {
		return nil, err
	}
	if p.now.kind != closed {
		return nil, p.lexer.fail(int(begin), "the parenthesis is not closed")
	}
	return inner, p.advance(false)
}

// fieldValues parses the name of a field and its value, or its values in parentheses.
func (p *parser) fieldValues() (Node, error) {
	if p.field != "" {
		return nil, p.fail("the values of the field %s contain another field; put a value with a colon in quotes", p.field)
	}
	p.field, p.fieldAt = p.now.text, p.now.at
	defer func() { p.field, p.fieldAt = "", 0 }()
	if err := p.advance(true); err != nil {
		return nil, err
	}
	switch p.now.kind {
	case word, phrase:
		return p.term()
	case open:
		return p.group()
	}
	return nil, p.fail("the value of the field %s is missing", p.field)
}
