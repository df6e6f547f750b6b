package sql

import (
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

// Text is SQL that was read once. A Text can be asked about any table and column, and is safe
// for concurrent use.
type Text struct {
	raw      string
	scopes   []scope
	mentions []mention
	tops     []int
	folds    folding
	// unread says why the text, or a part of it, was not read; nil if all of it was read.
	unread error
	whole  bool
}

// Read reads a text of one or several statements. language is the stated language of the text,
// such as "SQL"; empty means SQL. For a text that cannot be read, each answer gives the reason.
func Read(text, language string, d Dialect) *Text {
	t := &Text{raw: text, folds: d.folds}
	if len(text) > limits.MaxSQLBytes {
		t.raw, t.unread = text[:limits.MaxSQLBytes], errTooLong
		return t
	}
	if !IsLanguage(language) {
		t.unread = errNotQuery
		return t
	}
	expanded, opaque := expandTemplate(text)
	tokens, err := tokensOf(expanded, d)
	if err != nil {
		t.unread = err
		return t
	}
	r := &reader{}
	for len(tokens) > 0 {
		end := 0
		for end < len(tokens) && !tokens[end].is(";") {
			end++
		}
		t.tops = append(t.tops, r.statement(tokens[:end])...)
		tokens = tokens[min(end+1, len(tokens)):]
	}
	switch {
	case r.err != nil:
		t.unread = r.err
		return t
	case len(r.scopes) == 0:
		t.unread = errNotQuery
		return t
	case opaque:
		t.unread = errTemplate
	}
	t.scopes, t.mentions, t.whole = r.scopes, r.mentions, true
	for _, s := range t.tops {
		t.scopes[s].output = true
	}
	return t
}

// IsLanguage reports whether the stated language of a text is SQL, or is not known.
func IsLanguage(language string) bool {
	return language == "" || strings.Contains(strings.ToLower(language), "sql") || strings.EqualFold(language, "unknown")
}

// Size estimates how many bytes of memory the text takes.
func (t *Text) Size() int { return len(t.raw) + 64*len(t.mentions) + 128*len(t.scopes) + 128 }

// statement reads a statement: the query in it, or the tables that it changes.
func (r *reader) statement(tokens []token) []int {
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.is("update", "delete", "merge"):
			return r.change(tokens)
		case t.is("select", "values"), t.is("with") && i+2 < len(tokens) && (tokens[i+1].is("recursive") || tokens[i+1].isName() && (tokens[i+2].is("as") || tokens[i+2].kind == tokenGroup)):
			return r.query(tokens[i:], -1, nil)
		case t.kind == tokenGroup && isQuery(t.group):
			return r.query(tokens[i:], -1, nil)
		}
	}
	return nil
}

// change reads a statement that changes tables. The names of these tables follow a few words;
// all other names may be names of columns.
func (r *reader) change(tokens []token) []int {
	at := r.newScope(-1)
	begin := 0
	for i := 0; i < len(tokens); i++ {
		if tokens[i].is("update", "into", "from", "join", "using") && i+1 < len(tokens) && (tokens[i+1].isName() || tokens[i+1].kind == tokenGroup && isQuery(tokens[i+1].group)) {
			r.expression(tokens[begin:i], at, nil, clauseOther, false)
			begin = r.source(tokens, i+1, at, nil, false)
			i = begin - 1
		}
	}
	r.expression(tokens[min(begin, len(tokens)):], at, nil, clauseOther, false)
	return []int{at}
}
