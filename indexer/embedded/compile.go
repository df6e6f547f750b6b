package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/indexer"
)

// snapshot reads one state of the index.
type snapshot struct {
	ctx    context.Context
	reader *reader
	fields *fields
}

// query runs a statement.
func (s *snapshot) query(query string, args ...any) (*sql.Rows, error) {
	return s.reader.query(s.ctx, query, args...)
}

// row runs a statement with an answer of one row.
func (s *snapshot) row(query string, args ...any) scanner {
	rows, err := s.query(query, args...)
	return scanner{rows, err}
}

type scanner struct {
	rows *sql.Rows
	err  error
}

// Scan reads the row.
func (r scanner) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	if err := r.rows.Scan(into...); err != nil {
		return err
	}
	return r.rows.Close()
}

// condition is a condition of SQL on the table doc, named d.
type condition struct {
	sql  string
	args []any
	// docs is an upper estimate of how many documents it holds for.
	docs int
	// list, when there is one, makes the condition "d.id IN (list)".
	list string
	// column: the condition is one of a column of doc that has an index.
	column bool
	// value, when not 0, makes the condition "has this value".
	value int64
	// joins are further tables, after doc, that are part of the condition.
	joins    string
	joinArgs []any
}

var (
	always = condition{sql: "1", docs: math.MaxInt}
	never  = condition{sql: "0"}
)

// maxProbed is the largest number of values for which a document is probed one by
// one.
const maxProbed = 32

// maxEstimate is the largest number of documents that are counted to find the rarest
// condition; beyond it a condition counts as common.
const (
	maxEstimate = 2_000
	many        = math.MaxInt / 2
)

// has asks whether a subquery has a row. It is not written as EXISTS, which
// SQLite, seen with 3.53.0, may turn into a join that repeats documents.
func has(subquery string) string { return "(" + subquery + " LIMIT 1) IS NOT NULL" }

// plan compiles the condition of a whole query: of a conjunction, the single
// values that a document must have are joined, which costs less than asking
// for each document apart.
func (s *snapshot) plan(e indexer.Expr) (condition, error) {
	parts, ok := e.(indexer.And)
	if !ok {
		return s.compile(e)
	}
	compiled, err := s.parts(parts)
	if err != nil {
		return never, err
	}
	lead := slices.IndexFunc(compiled, func(c condition) bool { return c.list != "" })
	var rest []condition
	joined := condition{}
	for i, part := range compiled {
		if i == lead || part.value == 0 || lead < 0 {
			rest = append(rest, part)
			continue
		}
		alias := fmt.Sprintf("j%d", i)
		joined.joins += " CROSS JOIN doc_value " + alias + " ON " + alias + ".value = ? AND " + alias + ".doc = d.id"
		joined.joinArgs = append(joined.joinArgs, part.value)
	}
	whole := conjoin(rest)
	whole.joins, whole.joinArgs = joined.joins, joined.joinArgs
	return whole, nil
}

// compile turns a condition into SQL. Values are looked up first, so that the
// statement names them by number and the rarest part leads.
func (s *snapshot) compile(e indexer.Expr) (condition, error) {
	switch e := e.(type) {
	case nil:
		return always, nil
	case indexer.And:
		return s.conjunction(e)
	case indexer.Or:
		return s.disjunction(e)
	case indexer.Not:
		inner, err := s.compile(e.Expr)
		if inner.list != "" && inner.docs < maxEstimate {
			return condition{sql: "+d.id NOT IN (" + inner.list + ")", args: inner.args, docs: math.MaxInt}, err
		}
		return condition{sql: "NOT (" + inner.sql + ")", args: inner.args, docs: math.MaxInt}, err
	case indexer.In:
		return s.in(e)
	case indexer.Match:
		return s.match(e)
	case indexer.Range:
		return s.between(e)
	case indexer.Exists:
		field := s.fields.find(e.Field)
		return condition{
			sql: "(" + has("SELECT 1 FROM doc_value x WHERE x.doc = d.id AND x.field = ?") + " OR " +
				has("SELECT 1 FROM number x WHERE x.doc = d.id AND x.field = ?") + ")",
			args: []any{field, field}, docs: math.MaxInt,
		}, nil
	}
	return never, fmt.Errorf("unknown condition %T", e)
}

func (s *snapshot) conjunction(parts indexer.And) (condition, error) {
	compiled, err := s.parts(parts)
	return conjoin(compiled), err
}

// parts compiles the parts of a conjunction, the rarest first: most documents
// then fail at the first comparison.
func (s *snapshot) parts(parts indexer.And) ([]condition, error) {
	compiled := make([]condition, len(parts))
	for i, part := range parts {
		var err error
		if compiled[i], err = s.compile(part); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(compiled, func(a, b condition) int { return cmp.Compare(a.docs, b.docs) })
	return compiled, nil
}

func conjoin(compiled []condition) condition {
	lead := slices.IndexFunc(compiled, func(c condition) bool { return c.list != "" })
	joined := condition{docs: math.MaxInt}
	var texts []string
	for i, part := range compiled {
		text := part.sql
		switch {
		case part.column && lead >= 0:
			text = "+" + text // the list leads, not an index of the column
		case i == lead:
			text = "d.id IN (" + part.list + ")"
		}
		texts = append(texts, text)
		joined.args = append(joined.args, part.args...)
		joined.docs = min(joined.docs, part.docs)
	}
	if joined.sql = strings.Join(texts, " AND "); len(texts) == 0 {
		joined.sql = "1"
	}
	return joined
}

func (s *snapshot) disjunction(parts indexer.Or) (condition, error) {
	if len(parts) == 0 {
		return never, nil
	}
	joined := condition{}
	var texts, lists []string
	for _, part := range parts {
		compiled, err := s.compile(part)
		if err != nil {
			return never, err
		}
		texts = append(texts, "("+compiled.sql+")")
		joined.args = append(joined.args, compiled.args...)
		if joined.docs += compiled.docs; joined.docs < 0 || compiled.docs == math.MaxInt {
			joined.docs = math.MaxInt
		}
		if compiled.list != "" {
			lists = append(lists, compiled.list)
		}
	}
	joined.sql = strings.Join(texts, " OR ")
	if len(lists) == len(parts) {
		joined.list = strings.Join(lists, " UNION ALL ")
	}
	joined.sql = "(" + joined.sql + ")"
	return joined, nil
}

// in compiles an exact match. Entity types and the soft-delete mark are
// columns of the document.
func (s *snapshot) in(e indexer.In) (condition, error) {
	if e.Field == indexer.FieldRemoved {
		return removedIn(e.Values), nil
	}
	ids, err := s.valueIDs(e.Field, e.Values)
	if err != nil {
		return never, err
	}
	if e.Field == indexer.FieldType {
		return typeIn(ids), nil
	}
	return s.postings(ids, s.fields.isCounted(s.fields.find(e.Field)))
}

func removedIn(values []string) condition {
	var active, removed bool
	for _, value := range values {
		active, removed = active || value == "false", removed || value == "true"
	}
	switch {
	case active && removed:
		return always
	case active:
		return condition{sql: "d.removed = 0", docs: math.MaxInt, column: true}
	case removed:
		return condition{sql: "d.removed = 1", docs: math.MaxInt, column: true}
	}
	return never
}

func typeIn(ids []int64) condition {
	switch len(ids) {
	case 0:
		return never
	case 1:
		return condition{sql: "d.type = ?", args: []any{ids[0]}, docs: math.MaxInt, column: true}
	}
	return condition{sql: "+d.type IN (SELECT value FROM json_each(?))", args: []any{jsonList(ids)}, docs: math.MaxInt}
}

// postings compiles "has one of these values".
func (s *snapshot) postings(ids []int64, counted bool) (condition, error) {
	if len(ids) == 0 {
		return never, nil
	}
	c := condition{
		sql:  has("SELECT 1 FROM doc_value x WHERE x.value = ? AND x.doc = d.id"),
		list: "SELECT doc FROM doc_value WHERE value = ?",
		args: []any{ids[0]}, value: ids[0],
	}
	if len(ids) > 1 {
		c.value = 0
		c.sql = has("SELECT 1 FROM json_each(?) j CROSS JOIN doc_value x ON x.value = j.value AND x.doc = d.id")
		c.list = "SELECT doc FROM doc_value WHERE value IN (SELECT value FROM json_each(?))"
		c.args = []any{jsonList(ids)}
	}
	if len(ids) > maxProbed {
		c.sql = "+d.id IN (" + c.list + ")"
	}
	if !counted {
		return s.estimated(c)
	}
	err := s.row("SELECT coalesce(sum(docs), 0) FROM tally WHERE value IN (SELECT value FROM json_each(?))", jsonList(ids)).Scan(&c.docs)
	return c, err
}

// estimated counts the list of a condition as far as that is worth it.
func (s *snapshot) estimated(c condition) (condition, error) {
	err := s.row("SELECT count(*) FROM ("+c.list+" LIMIT ?)", append(slices.Clone(c.args), maxEstimate)...).Scan(&c.docs)
	if c.docs == maxEstimate {
		c.docs = many
	}
	return c, err
}

func (s *snapshot) between(e indexer.Range) (condition, error) {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if e.From != nil {
		from = *e.From
	}
	if e.To != nil {
		to = *e.To
	}
	list := "SELECT doc FROM number WHERE field = ? AND n BETWEEN ? AND ?"
	return s.estimated(condition{
		sql:  has("SELECT 1 FROM number x WHERE x.field = ? AND x.n BETWEEN ? AND ? AND x.doc = d.id"),
		list: list, args: []any{s.fields.find(e.Field), from, to},
	})
}

// valueIDs looks values up.
func (s *snapshot) valueIDs(field string, texts []string) ([]int64, error) {
	text, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	return s.ids("SELECT v.id FROM json_each(?) j CROSS JOIN value v ON v.field = ? AND v.text = j.value", string(text), s.fields.find(field))
}

// ids runs a query for numbers.
func (s *snapshot) ids(query string, args ...any) ([]int64, error) {
	rows, err := s.query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func jsonList(ids []int64) string {
	text, err := json.Marshal(ids)
	if err != nil {
		return "[]" // numbers always encode
	}
	return string(text)
}

// match finds the values that hold a text and compiles "has one of these".
func (s *snapshot) match(e indexer.Match) (condition, error) {
	var all []int64
	for _, text := range e.Texts {
		ids, err := s.matching(s.fields.find(e.Field), e.Kind, text)
		if err != nil {
			return never, err
		}
		all = append(all, ids...)
	}
	return s.postings(all, false)
}

func (s *snapshot) matching(field int64, kind indexer.MatchKind, text string) ([]int64, error) {
	if text == "" { // every value begins with it
		return s.ids("SELECT id FROM value WHERE field = ?", field)
	}
	if kind == indexer.Prefix {
		query, args := "SELECT id FROM value WHERE field = ? AND text >= ?", []any{field, text}
		if end, ok := after(text); ok {
			query, args = query+" AND text < CAST(? AS TEXT)", append(args, []byte(end))
		}
		return s.ids(query, args...)
	}
	check, args := "instr(v.text, ?) > 0", []any{text}
	if kind == indexer.Suffix {
		check, args = "length(CAST(v.text AS BLOB)) >= ? AND substr(CAST(v.text AS BLOB), -?) = CAST(? AS BLOB)", []any{len(text), len(text), text}
	}
	grams, ok := gramQuery(text)
	if !ok {
		return s.ids("SELECT v.id FROM value v WHERE v.field = ? AND "+check, append([]any{field}, args...)...)
	}
	query := "SELECT v.id FROM gram CROSS JOIN value v ON v.id = gram.rowid WHERE gram MATCH ? AND v.field = ? AND " + check +
		" UNION ALL SELECT v.id FROM value v WHERE v.field = ? AND v.long = 1 AND " + check
	all := append([]any{grams, field}, args...)
	return s.ids(query, append(append(all, field), args...)...)
}

// after is the smallest text after all texts that begin with a text.
func after(text string) (string, bool) {
	b := []byte(text)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return string(b[:i+1]), true
		}
	}
	return "", false
}

// maxGrams bounds the grams asked for; the values found are checked anyway.
const maxGrams = 6

// gramQuery asks FTS5 for the values with every three letters of a text. Texts
// too short for that have no query.
func gramQuery(text string) (string, bool) {
	letters := []rune(text)
	if len(letters) < 3 || strings.ContainsAny(text, "\x00\ufffd") {
		return "", false
	}
	count := len(letters) - 2
	step := max(1, (count+maxGrams-1)/maxGrams)
	var grams []string
	for i := 0; i < count; i += step {
		grams = append(grams, `"`+strings.ReplaceAll(string(letters[i:i+3]), `"`, `""`)+`"`)
	}
	return strings.Join(grams, " AND "), true
}
