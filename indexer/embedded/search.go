package embedded

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/indexer"
)

// Search answers a query on one state of the index.
func (x *Index) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	var result *indexer.Result
	err := x.read(ctx, func(s *snapshot) error {
		var err error
		result, err = s.search(q)
		return err
	})
	return result, err
}

func (s *snapshot) search(q *indexer.Query) (*indexer.Result, error) {
	result := &indexer.Result{Hits: []indexer.Hit{}, Facets: []indexer.Facet{}}
	filter := indexer.Simplify(q.Filter)
	var err error
	if view, ok := s.wholeView(q, filter); ok {
		if result.Total, err = s.viewTotal(view); err != nil {
			return nil, err
		}
		result.Facets, err = s.viewFacets(view, q)
	} else {
		err = s.countMatches(q, filter, result)
	}
	if err != nil {
		return nil, err
	}
	if q.Size == 0 || result.Total == 0 {
		return result, nil
	}
	return result, s.page(q, filter, result)
}

// matches is the part of a statement that selects the documents of a query.
func (s *snapshot) matches(q *indexer.Query, filter indexer.Expr) (from string, args []any, err error) {
	where, err := s.compile(filter)
	if err != nil {
		return "", nil, err
	}
	if len(q.Text.Tokens) == 0 {
		return "FROM doc d WHERE " + where.sql, where.args, nil
	}
	match := "{name major body minor} : (" + textQuery(q.Text.Tokens, q.Text.Prefix) + ")"
	return "FROM text CROSS JOIN doc d ON d.id = text.rowid WHERE text MATCH ? AND " + where.sql, append([]any{match}, where.args...), nil
}

// textQuery writes tokens, which are letters and digits, for FTS5.
func textQuery(tokens []string, prefix bool) string {
	terms := make([]string, len(tokens))
	for i, token := range tokens {
		terms[i] = `"` + token + `"`
	}
	if prefix {
		terms[len(terms)-1] += "*"
	}
	return strings.Join(terms, " AND ")
}

// view is a query for all documents of some types, for which the numbers are
// kept.
type view struct {
	types   []int64 // nil for all
	removed []int64
}

// wholeView reports whether a query is one of those.
func (s *snapshot) wholeView(q *indexer.Query, filter indexer.Expr) (view, bool) {
	v := view{removed: []int64{0, 1}}
	if len(q.Text.Tokens) > 0 {
		return v, false
	}
	parts, ok := filter.(indexer.And)
	if !ok && filter != nil {
		parts = indexer.And{filter}
	}
	for _, part := range parts {
		in, ok := part.(indexer.In)
		switch {
		case ok && in.Field == indexer.FieldType && v.types == nil:
			ids, err := s.valueIDs(in.Field, in.Values)
			if err != nil {
				return v, false
			}
			v.types = append([]int64{}, ids...)
		case ok && in.Field == indexer.FieldRemoved && len(v.removed) == 2:
			v.removed = v.removed[:0]
			for flag, text := range []string{"false", "true"} {
				if slices.Contains(in.Values, text) {
					v.removed = append(v.removed, int64(flag))
				}
			}
		default:
			return v, false
		}
	}
	return v, true
}

// condition restricts the table tally to the view.
func (v view) condition() (text string, args []any) {
	text, args = "removed IN (SELECT value FROM json_each(?))", []any{jsonList(v.removed)}
	if v.types != nil {
		text, args = text+" AND type IN (SELECT value FROM json_each(?))", append(args, jsonList(v.types))
	}
	return text, args
}

func (s *snapshot) viewTotal(v view) (int, error) {
	where, args := v.condition()
	var total int
	err := s.tx.QueryRowContext(s.ctx, "SELECT coalesce(sum(docs), 0) FROM tally WHERE field = ? AND "+where,
		append([]any{s.fields.find(indexer.FieldType)}, args...)...).Scan(&total)
	return total, err
}

func (s *snapshot) viewFacets(v view, q *indexer.Query) ([]indexer.Facet, error) {
	facets := []indexer.Facet{}
	where, args := v.condition()
	for _, name := range q.Facets {
		counts, err := s.counts(`SELECT v.text, t.docs FROM (SELECT value, sum(docs) AS docs FROM tally WHERE field = ? AND `+where+`
			GROUP BY value) t JOIN value v ON v.id = t.value ORDER BY t.docs DESC, v.text LIMIT ?`,
			append(append([]any{s.fields.find(name)}, args...), q.FacetSize)...)
		if err != nil {
			return nil, err
		}
		if len(counts) > 0 {
			facets = append(facets, indexer.Facet{Field: name, Counts: counts})
		}
	}
	return facets, nil
}

func (s *snapshot) counts(query string, args ...any) ([]indexer.Count, error) {
	rows, err := s.tx.QueryContext(s.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var counts []indexer.Count
	for rows.Next() {
		var c indexer.Count
		if err := rows.Scan(&c.Value, &c.Docs); err != nil {
			return nil, err
		}
		counts = append(counts, c)
	}
	return counts, rows.Err()
}

// countMatches fills in the total and the facets by going through the
// documents that match.
func (s *snapshot) countMatches(q *indexer.Query, filter indexer.Expr, result *indexer.Result) error {
	from, args, err := s.matches(q, filter)
	if err != nil {
		return err
	}
	if err := s.tx.QueryRowContext(s.ctx, "SELECT count(*) "+from, args...).Scan(&result.Total); err != nil || result.Total == 0 {
		return err
	}
	for _, name := range q.Facets {
		counts, err := s.counts(`SELECT v.text, t.docs FROM (SELECT x.value, count(*) AS docs FROM (SELECT d.id `+from+`) m
			CROSS JOIN doc_value x ON x.doc = m.id AND x.field = ? GROUP BY x.value) t
			JOIN value v ON v.id = t.value ORDER BY t.docs DESC, v.text LIMIT ?`,
			append(slices.Clone(args), s.fields.find(name), q.FacetSize)...)
		if err != nil {
			return err
		}
		if len(counts) > 0 {
			result.Facets = append(result.Facets, indexer.Facet{Field: name, Counts: counts})
		}
	}
	return nil
}

// page fills in the hits.
func (s *snapshot) page(q *indexer.Query, filter indexer.Expr, result *indexer.Result) error {
	from, args, err := s.matches(q, filter)
	if err != nil {
		return err
	}
	start := q.From
	if q.After != "" {
		if start, err = parseToken(q.After); err != nil {
			return err
		}
	}
	order, orderArgs, err := s.order(q)
	if err != nil {
		return err
	}
	ids, err := s.ids("SELECT d.id "+from+" ORDER BY "+order+" LIMIT ? OFFSET ?",
		append(append(args, orderArgs...), q.Size, start)...)
	if err != nil {
		return err
	}
	if result.Hits, err = s.hits(ids); err != nil {
		return err
	}
	if next := start + len(ids); q.Scroll && len(ids) == q.Size && next < result.Total {
		result.Next = base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(next)))
	}
	return nil
}

func parseToken(token string) (int, error) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		if n, err := strconv.Atoi(string(text)); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%q: %w", token, indexer.ErrBadToken)
}

// order writes the ORDER BY of a query: its keys, then documents of exactly
// the name asked for, then the score, then the URN.
func (s *snapshot) order(q *indexer.Query) (string, []any, error) {
	var keys []string
	var args []any
	for _, key := range q.Sort {
		direction := " ASC"
		if key.Descending {
			direction = " DESC"
		}
		if key.Field == indexer.FieldURN {
			keys = append(keys, "d.urn"+direction)
			continue
		}
		column := "(SELECT min(v.text) FROM doc_value x JOIN value v ON v.id = x.value WHERE x.doc = d.id AND x.field = ?)"
		if key.Numeric {
			column = "(SELECT min(n) FROM number x WHERE x.doc = d.id AND x.field = ?)"
		}
		keys = append(keys, column+direction+" NULLS LAST")
		args = append(args, s.fields.find(key.Field))
	}
	if len(q.Text.Tokens) > 0 {
		named, err := s.valueIDs(indexer.FieldName, []string{q.Text.Name})
		if err != nil {
			return "", nil, err
		}
		if len(named) > 0 {
			keys = append(keys, "d.id IN (SELECT doc FROM doc_value WHERE value = ?) DESC")
			args = append(args, named[0])
		}
		keys = append(keys, "bm25(text, ?, ?, ?, ?) * d.weight")
		for _, weight := range indexer.Weights {
			args = append(args, weight)
		}
	}
	return strings.Join(append(keys, "d.urn"), ", "), args, nil
}

// hits reads documents in the order of their numbers given.
func (s *snapshot) hits(ids []int64) ([]indexer.Hit, error) {
	found := make(map[int64]*indexer.Hit, len(ids))
	rows, err := s.tx.QueryContext(s.ctx, `SELECT d.id, d.urn, f.name, v.text FROM json_each(?) j JOIN doc d ON d.id = j.value
		JOIN doc_value x ON x.doc = d.id JOIN field f ON f.id = x.field JOIN value v ON v.id = x.value
		WHERE f.name NOT LIKE '^%'`, jsonList(ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var urn, field, text string
		if err := rows.Scan(&id, &urn, &field, &text); err != nil {
			return nil, err
		}
		hit := found[id]
		if hit == nil {
			hit = &indexer.Hit{URN: urn, Values: map[string][]string{}}
			found[id] = hit
		}
		hit.Values[field] = append(hit.Values[field], text)
		if field == indexer.FieldType {
			hit.Type = text
		}
	}
	hits := make([]indexer.Hit, 0, len(ids))
	for _, id := range ids {
		if hit := found[id]; hit != nil {
			hits = append(hits, *hit)
		}
	}
	return hits, rows.Err()
}

// Suggest finds completions: from their beginnings first, then from a further
// word on, then with the words anywhere.
func (x *Index) Suggest(ctx context.Context, q *indexer.SuggestQuery) ([]indexer.Hit, error) {
	var hits []indexer.Hit
	err := x.read(ctx, func(s *snapshot) error {
		ids, err := s.suggest(q)
		if err == nil {
			hits, err = s.hits(ids)
		}
		return err
	})
	return hits, err
}

func (s *snapshot) suggest(q *indexer.SuggestQuery) ([]int64, error) {
	where, err := s.compile(indexer.Simplify(q.Filter))
	if err != nil {
		return nil, err
	}
	fields := make([]int64, len(q.Fields))
	for i, name := range q.Fields {
		fields[i] = s.fields.find(name)
	}
	text := strings.Join(q.Tokens, " ")
	if len(text) > maxCompletionBytes {
		text = text[:maxCompletionBytes]
	}
	end, _ := after(text)
	types, err := s.ids("SELECT id FROM value WHERE field = ?", s.fields.find(indexer.FieldType))
	if err != nil {
		return nil, err
	}
	var ids []int64
	add := func(found []int64) {
		for _, id := range found {
			if len(ids) < q.Size && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	for place := 0; place < 2 && len(ids) < q.Size; place++ {
		query := `SELECT c.doc FROM completion c CROSS JOIN doc d ON d.id = c.doc
			WHERE c.type IN (SELECT value FROM json_each(?)) AND c.place = ? AND c.text >= ? AND c.text < ?
			AND c.field IN (SELECT value FROM json_each(?)) AND ` + where.sql + " ORDER BY c.text, d.urn LIMIT ?"
		args := append([]any{jsonList(types), place, text, end, jsonList(fields)}, where.args...)
		found, err := s.ids(query, append(args, q.Size*2)...)
		if err != nil {
			return nil, err
		}
		add(found)
	}
	if len(ids) < q.Size && len(q.Tokens) > 0 {
		match := "{completions} : (" + textQuery(q.Tokens, true) + ")"
		found, err := s.ids("SELECT d.id FROM text CROSS JOIN doc d ON d.id = text.rowid WHERE text MATCH ? AND "+where.sql+" LIMIT ?",
			append(append([]any{match}, where.args...), q.Size*2)...)
		if err != nil {
			return nil, err
		}
		add(found)
	}
	return ids, nil
}

// Groups counts the documents below a path by its next step.
func (x *Index) Groups(ctx context.Context, q *indexer.GroupQuery) ([]indexer.Group, error) {
	var groups []indexer.Group
	err := x.read(ctx, func(s *snapshot) error {
		var err error
		groups, err = s.groups(q)
		return err
	})
	return groups, err
}

func (s *snapshot) groups(q *indexer.GroupQuery) ([]indexer.Group, error) {
	separator := "/"
	if q.Field == indexer.FieldAncestorsV2 {
		separator = indexer.PathV2Separator
	}
	field, below := s.fields.find(q.Field), q.Path+separator
	end, _ := after(below)
	step := "v.field = ? AND v.text >= ? AND v.text < CAST(? AS TEXT) AND instr(substr(v.text, length(?) + 1), ?) = 0"
	args := []any{field, below, []byte(end), below, separator}
	filter := indexer.Simplify(q.Filter)
	var query string
	if v, ok := s.wholeView(&indexer.Query{}, filter); ok {
		where, more := v.condition()
		query = "SELECT v.text, sum(t.docs) FROM value v JOIN tally t ON t.value = v.id AND " + where + " WHERE " + step
		args = append(more, args...)
	} else {
		where, err := s.compile(filter)
		if err != nil {
			return nil, err
		}
		query = "SELECT v.text, count(*) FROM value v JOIN doc_value x ON x.value = v.id JOIN doc d ON d.id = x.doc WHERE " + step + " AND " + where.sql
		args = append(args, where.args...)
	}
	counts, err := s.counts(query+" GROUP BY v.id ORDER BY v.text", args...)
	groups := make([]indexer.Group, len(counts))
	for i, c := range counts {
		groups[i] = indexer.Group{Path: c.Value, Docs: c.Docs}
	}
	slices.SortFunc(groups, func(a, b indexer.Group) int { return cmp.Compare(a.Path, b.Path) })
	return groups, err
}
