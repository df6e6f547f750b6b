package sql

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headwater-io/headwater/internal/limits"
)

// Reasons why a text is not read as a whole.
var (
	errTooLong      = errors.New("it is too long")
	errTooDeep      = errors.New("it is nested too deeply")
	errTooManyNames = errors.New("it has too many names")
	errUnended      = errors.New("a string, a comment or a bracket does not end")
	errUnsure       = errors.New("its dialect is not known")
	errNotQuery     = errors.New("it is not a query")
	errTemplate     = errors.New("it is a template")
)

type tokenKind uint8

const (
	tokenWord tokenKind = iota
	tokenQuoted
	tokenString
	tokenNumber
	tokenSign
	tokenGroup
)

// token is a part of a statement. A group has the tokens between two parentheses.
type token struct {
	kind tokenKind
	// text is a word as the statement spells it; lower is text in lower case. text of a quoted
	// name does not have the quotes.
	text, lower string
	group       []token
}

func (t *token) is(words ...string) bool {
	if t.kind != tokenWord && t.kind != tokenSign {
		return false
	}
	for _, w := range words {
		if t.lower == w {
			return true
		}
	}
	return false
}

// isName reports whether the token can be a name of a table, a column or an alias.
func (t *token) isName() bool {
	return t.kind == tokenQuoted || t.kind == tokenWord && !reserved[t.lower]
}

// tokenizer cuts a text into tokens.
type tokenizer struct {
	text    string
	at      int
	dialect Dialect
}

// tokensOf cuts a text into tokens. Tokens between parentheses are in groups.
func tokensOf(text string, d Dialect) ([]token, error) {
	t := &tokenizer{text: text, dialect: d}
	tokens, err := t.group(0)
	if err == nil && t.at < len(t.text) {
		err = errUnended // a closing parenthesis has no opening one
	}
	return tokens, err
}

// group reads to the parenthesis that closes the group, or to the end of the text.
func (t *tokenizer) group(depth int) ([]token, error) {
	if depth > limits.MaxSQLDepth {
		return nil, errTooDeep
	}
	var tokens []token
	for {
		if err := t.skip(); err != nil {
			return nil, err
		}
		if t.at >= len(t.text) {
			if depth > 0 {
				return nil, errUnended
			}
			return tokens, nil
		}
		switch t.text[t.at] {
		case ')':
			if depth > 0 {
				t.at++
			}
			return tokens, nil
		case '(':
			t.at++
			inner, err := t.group(depth + 1)
			if err != nil {
				return nil, err
			}
			tokens = append(tokens, token{kind: tokenGroup, group: inner})
		default:
			next, err := t.next()
			if err != nil {
				return nil, err
			}
			tokens = append(tokens, next)
		}
	}
}

func (t *tokenizer) rest() string { return t.text[t.at:] }

// skip passes white space and comments.
func (t *tokenizer) skip() error {
	for t.at < len(t.text) {
		rest := t.rest()
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r) || r == '\ufeff':
			t.at += size
		case strings.HasPrefix(rest, "--"), t.dialect.hashComment && r == '#', t.dialect.slashComment && strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			t.at += end
		case strings.HasPrefix(rest, "/*"):
			if err := t.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// comment passes a comment. PostgreSQL nests comments, most other databases do not. The two
// readings differ only in a text that has both signs inside a comment, and then the longer
// comment hides statements that the shorter one shows.
func (t *tokenizer) comment() error {
	depth := 0
	for i := t.at; i+1 < len(t.text); i++ {
		switch t.text[i : i+2] {
		case "/*":
			if depth == 0 || t.dialect.folds == foldsLower {
				depth++
			}
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				t.at = i + 1
				return nil
			}
		}
	}
	return errUnended
}

func (t *tokenizer) next() (token, error) {
	c := t.text[t.at]
	r, _ := utf8.DecodeRuneInString(t.rest())
	switch {
	case c == '\'':
		return t.quoted('\'', tokenString)
	case c == '"' && t.dialect.doubleIsText:
		return t.quoted('"', tokenString)
	case c == '"' || c == '`':
		return t.quoted(c, tokenQuoted)
	case c == '[' && t.dialect.brackets:
		return t.quoted(']', tokenQuoted)
	case c == '$':
		if tag, ok := dollarTag(t.rest()); ok {
			return t.dollar(tag)
		}
	case c >= '0' && c <= '9':
		return t.number(), nil
	}
	if isWordStart(r) {
		return t.word()
	}
	return t.sign(), nil
}

// quoted reads a string or a name between quotes. A doubled quote stands for itself.
func (t *tokenizer) quoted(end byte, kind tokenKind) (token, error) {
	var text strings.Builder
	for i := t.at + 1; i < len(t.text); i++ {
		switch c := t.text[i]; {
		case c == '\\' && kind == tokenString && t.dialect.unsure && i+1 < len(t.text) && t.text[i+1] == end:
			return token{}, errUnsure
		case c == '\\' && kind == tokenString && t.dialect.backslash:
			i++
		case c == end && i+1 < len(t.text) && t.text[i+1] == end:
			text.WriteByte(c)
			i++
		case c == end:
			t.at = i + 1
			return token{kind: kind, text: text.String()}, nil
		default:
			text.WriteByte(c)
		}
	}
	return token{}, errUnended
}

// dollarTag returns the $tag$ with which a string of PostgreSQL or Snowflake begins.
func dollarTag(text string) (string, bool) {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '$':
			return text[:i+1], true
		case !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 1 && c >= '0' && c <= '9'):
			return "", false
		}
	}
	return "", false
}

func (t *tokenizer) dollar(tag string) (token, error) {
	begin := t.at + len(tag)
	length := strings.Index(t.text[begin:], tag)
	if length < 0 {
		return token{}, errUnended
	}
	t.at = begin + length + len(tag)
	return token{kind: tokenString, text: t.text[begin : begin+length]}, nil
}

func (t *tokenizer) number() token {
	begin := t.at
	for t.at < len(t.text) && (t.text[t.at] == '.' || isWordPart(rune(t.text[t.at]))) {
		t.at++
	}
	return token{kind: tokenNumber, text: t.text[begin:t.at]}
}

func isWordStart(r rune) bool {
	return r == '_' || r == '@' || r == '#' || r == '$' || unicode.IsLetter(r)
}

func isWordPart(r rune) bool {
	return isWordStart(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// word reads a word, or the string that the word introduces, as in E'it\'s'.
func (t *tokenizer) word() (token, error) {
	begin := t.at
	for t.at < len(t.text) {
		r, size := utf8.DecodeRuneInString(t.rest())
		if !isWordPart(r) {
			break
		}
		t.at += size
	}
	text := t.text[begin:t.at]
	lower := strings.ToLower(text)
	if t.at < len(t.text) && t.text[t.at] == '\'' {
		switch lower {
		case "e":
			escaping := &tokenizer{text: t.text, at: t.at, dialect: Dialect{backslash: true}}
			read, err := escaping.quoted('\'', tokenString)
			t.at = escaping.at
			return read, err
		case "b", "x", "n", "r", "rb", "u", "_utf8":
			plain := &tokenizer{text: t.text, at: t.at}
			read, err := plain.quoted('\'', tokenString)
			t.at = plain.at
			return read, err
		}
	}
	return token{kind: tokenWord, text: text, lower: lower}, nil
}

// signs are the signs of more than one character that matter.
var signs = []string{"::", "=>", "->>", "->", "||", "<=", ">=", "<>", "!="}

func (t *tokenizer) sign() token {
	for _, s := range signs {
		if strings.HasPrefix(t.rest(), s) {
			t.at += len(s)
			return token{kind: tokenSign, text: s, lower: s}
		}
	}
	_, size := utf8.DecodeRuneInString(t.rest())
	text := t.text[t.at : t.at+size]
	t.at += size
	return token{kind: tokenSign, text: text, lower: text}
}

// reserved are the words that cannot be a name.
var reserved = wordSet(`select from where group having order by limit offset fetch union intersect except minus all distinct
	on using join inner left right full outer cross natural lateral as and or not in is null true false between like ilike similar
	case when then else end asc desc over partition exists any some with recursive values window qualify into set
	create replace view table insert update delete merge collate escape returning prewhere unnest`)

// operators are words between two operands, or before one.
var operators = wordSet(`div mod rlike regexp overlaps at time zone sounds member of glob match leading trailing both to for similar xor binary prior`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}
