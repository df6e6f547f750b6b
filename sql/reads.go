package sql

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is the table of a question: the question is whether the text reads a certain column of the table.
type Table struct {
	// Name has the parts of the table's name, as in shop.public.orders.
	Name []string
	// Columns are the known columns of the table, if any. Columns tell names apart that differ
	// only in letter case.
	Columns []string
	// Others are the names of other tables that the text is known to read.
	Others [][]string
}

// Reading describes how a text reads a column.
type Reading struct {
	// Names: the text reads the column, or may read it.
	Names bool
	// Clauses are the clauses in which the text reads the column, in the order of the text. If
	// the text could not be read and has the name of the column somewhere, Clauses is empty.
	Clauses []string
	// Star: the text reads all columns of the table, as by "*".
	Star bool
	// Unread says why the text, or a part of it, could not be read; "" if it was read.
	Unread string
}

// Reads says how the text reads a column of a table. If the column is nested in another column,
// its path has dots.
func (t *Text) Reads(table *Table, column string) Reading {
	var found Reading
	path := strings.Split(column, ".")
	if t.unread != nil {
		found.Unread = t.unread.Error()
		found.Names = hasWord(t.raw, path[len(path)-1])
	}
	if !t.whole {
		return found
	}
	q := &question{text: t, table: table, path: path, relations: make([]relation, len(t.scopes))}
	q.known = q.anySource(func(s *source) bool { return sameTable(s.table, table.Name) })
	q.renames = q.anySource(func(s *source) bool { return len(s.renamed) > 0 })
	for i := range t.mentions {
		m := &t.mentions[i]
		if !slices.Contains(found.Clauses, m.clause) && q.reads(m) {
			found.Clauses = append(found.Clauses, m.clause)
		}
		found.Star = found.Star || q.asAWhole(m)
	}
	found.Names = found.Names || len(found.Clauses) > 0
	for i := range t.scopes {
		if t.scopes[i].natural && q.sees(i, q.isOurs) || t.scopes[i].output && q.starOver(i) {
			found.Star = true
		}
	}
	return found
}

// relation says whether the output of a scope has all columns of the table of the question.
type relation uint8

const (
	notKnown relation = iota
	beingFound
	passesOn
	hidesIt
)

// question asks how a text reads one column of a table.
type question struct {
	text  *Text
	table *Table
	path  []string
	// known: the text has the name of the table. Otherwise each table in the text that is not
	// known to be another one may be the table.
	known bool
	// renames: the alias of a source renames columns.
	renames   bool
	relations []relation
}

func (q *question) anySource(is func(s *source) bool) bool {
	for i := range q.text.scopes {
		for k := range q.text.scopes[i].sources {
			if is(&q.text.scopes[i].sources[k]) {
				return true
			}
		}
	}
	return false
}

// isOurs reports whether a source is the table, or has all of its columns.
func (q *question) isOurs(s *source) bool {
	if s.table != nil {
		if q.known {
			return sameTable(s.table, q.table.Name)
		}
		return !slices.ContainsFunc(q.table.Others, func(other []string) bool { return sameTable(s.table, other) })
	}
	return slices.ContainsFunc(s.queries, q.starOver)
}

// has reports whether a source in a scope is the table, and the name parts is the column in
// this source.
func (q *question) has(i int, s *source, parts []name) bool {
	at := slices.IndexFunc(s.renamed, func(n name) bool { return sameName(n, parts[0]) })
	if s.joined && at < 0 { // one of the joined sources gives the column its name
		return q.sees(i, func(one *source) bool { return !one.joined && q.has(i, one, parts) })
	}
	if !q.isOurs(s) && !(s.joined && q.sees(i, q.isOurs)) {
		return false
	}
	if at < 0 {
		position := slices.Index(q.table.Columns, q.path[0])
		return q.isColumn(parts) && (position < 0 || position >= len(s.renamed))
	}
	if s.table == nil || at >= len(q.table.Columns) {
		return true // the text does not tell which column was renamed
	}
	return strings.EqualFold(q.table.Columns[at], q.path[0])
}

// starOver reports whether the output of a scope has all columns of the table.
func (q *question) starOver(i int) bool {
	switch q.relations[i] {
	case passesOn:
		return true
	case hidesIt, beingFound:
		return false
	}
	q.relations[i] = beingFound
	s := &q.text.scopes[i]
	found := s.star && q.sees(i, q.isOurs)
	for _, whole := range s.wholes {
		if source, at := q.sourceNamed(i, whole); source != nil {
			found = found || q.isOurs(source) || source.joined && q.sees(at, q.isOurs)
		}
	}
	q.relations[i] = hidesIt
	if found {
		q.relations[i] = passesOn
	}
	return found
}

// sees reports whether a scope itself has a source of a kind.
func (q *question) sees(i int, is func(s *source) bool) bool {
	sources := q.text.scopes[i].sources
	for k := range sources {
		if is(&sources[k]) {
			return true
		}
	}
	return false
}

// asAWhole reports whether a mention names the table as if it were a column.
func (q *question) asAWhole(m *mention) bool {
	if len(m.parts) > 1 || q.isColumn(m.parts) {
		return false
	}
	s, at := q.sourceNamed(m.scope, m.parts)
	return s != nil && (q.isOurs(s) || s.joined && q.sees(at, q.isOurs))
}

// sourceNamed finds the source that a qualifier names, in a scope or in the scopes around it.
// It returns the source, and the scope that has the source.
func (q *question) sourceNamed(i int, qualifier []name) (*source, int) {
	for ; i >= 0; i = q.text.scopes[i].parent {
		sources := q.text.scopes[i].sources
		for k := range sources {
			s := &sources[k]
			if s.alias.text != "" {
				if len(qualifier) == 1 && sameName(s.alias, qualifier[0]) {
					return s, i
				}
			} else if s.table != nil && sameTable(s.table, texts(qualifier)) && len(qualifier) <= len(s.table) {
				return s, i
			}
		}
	}
	return nil, -1
}

// reads reports whether a mention is the column of the table.
func (q *question) reads(m *mention) bool {
	if !q.renames && !q.couldBe(m.parts) {
		return false
	}
	for k := len(m.parts) - 1; k > 0; k-- {
		if s, i := q.sourceNamed(m.scope, m.parts[:k]); s != nil {
			return q.has(i, s, m.parts[k:])
		}
	}
	if m.clause == clauseOrder && len(m.parts) == 1 && slices.ContainsFunc(q.text.scopes[m.scope].outputs, func(n name) bool { return sameName(n, m.parts[0]) }) {
		return false // ORDER BY an alias of the select list
	}
	for i := m.scope; i >= 0; i = q.text.scopes[i].parent {
		if q.sees(i, func(s *source) bool { return q.has(i, s, m.parts) }) {
			return true // without a qualifier
		}
	}
	// No source tells the meaning of the qualifier.
	return len(m.parts) > 1 && !q.isColumn(m.parts) && q.isColumn(m.parts[len(m.parts)-1:])
}

// couldBe reports whether one of the parts is the column, or the beginning of its path.
func (q *question) couldBe(parts []name) bool {
	return slices.ContainsFunc(parts, func(n name) bool { return q.same(n, q.path[0]) || q.same(n, q.path[len(q.path)-1]) })
}

// isColumn reports whether the parts are the path of the column, of a column around it, or of a
// part of it.
func (q *question) isColumn(parts []name) bool {
	for i := range min(len(parts), len(q.path)) {
		if !q.same(parts[i], q.path[i]) {
			return false
		}
	}
	return true
}

// same compares a name with a part of the column's path. If the table has columns whose names
// differ only in letter case, same compares letter case too.
func (q *question) same(n name, part string) bool {
	if !strings.EqualFold(n.text, part) {
		return false
	}
	written := n.text
	if !n.quoted {
		switch q.text.folds {
		case foldsLower:
			written = strings.ToLower(written)
		case foldsUpper:
			written = strings.ToUpper(written)
		}
	}
	return written == part || !slices.Contains(q.table.Columns, written)
}

func sameName(a, b name) bool { return strings.EqualFold(a.text, b.text) }

// sameTable compares two names of a table, from the last part on, as far as both names have
// parts.
func sameTable(written []name, parts []string) bool {
	n := min(len(written), len(parts))
	for i := 1; i <= n; i++ {
		if !strings.EqualFold(written[len(written)-i].text, parts[len(parts)-i]) {
			return false
		}
	}
	return n > 0
}

func texts(names []name) []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = n.text
	}
	return list
}

// hasWord reports whether a text has a word, in any case.
func hasWord(text, word string) bool {
	text, word = strings.ToLower(text), strings.ToLower(word)
	for from := 0; word != ""; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if (at == 0 || !isWordPart(before)) && (at+len(word) == len(text) || !isWordPart(after)) {
			return true
		}
		from = at + len(word)
	}
	return false
}
