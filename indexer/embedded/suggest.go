package embedded

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/indexer"
)

// Suggest finds completions: from their beginnings first, then from a further
// word on, then with the words anywhere.
func (x *Index) Suggest(ctx context.Context, q *indexer.SuggestQuery) ([]indexer.Hit, error) {
	var hits []indexer.Hit
	err := x.read(ctx, func(s *snapshot) error {
		ids, err := s.suggest(q)
		if err == nil {
			hits, err = s.hits(ids, false, append(slices.Clone(q.Fields), q.Names...)...)
		}
		return err
	})
	return hits, err
}

func (s *snapshot) suggest(q *indexer.SuggestQuery) ([]int64, error) {
	filter := indexer.Simplify(q.Filter)
	where, err := s.compile(filter)
	if err != nil {
		return nil, err
	}
	types, err := s.typesIn(filter)
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
		found, err := s.beginnings(q, where, types, place)
		if err != nil {
			return nil, err
		}
		add(found)
	}
	if len(ids) < q.Size && len(q.Tokens) > 0 {
		found, err := s.ids("SELECT d.id FROM completion_word CROSS JOIN doc d ON d.id = completion_word.rowid WHERE completion_word MATCH ? AND "+
			where.sql+" LIMIT ?", append(append([]any{textQuery(q.Tokens, true)}, where.args...), q.Size*2)...)
		if err != nil {
			return nil, err
		}
		add(found)
	}
	return ids, nil
}

// typesIn are the entity types that a condition leaves, all unless it says.
func (s *snapshot) typesIn(filter indexer.Expr) ([]int64, error) {
	parts, ok := filter.(indexer.And)
	if !ok {
		parts = indexer.And{filter}
	}
	for _, part := range parts {
		if in, ok := part.(indexer.In); ok && in.Field == indexer.FieldType {
			return s.valueIDs(in.Field, in.Values)
		}
	}
	return s.ids("SELECT id FROM value WHERE field = ?", s.fields.find(indexer.FieldType))
}

// beginnings finds the completions that begin with the text, in its order. The
// table has that order for each type, so that reading ends at the limit.
func (s *snapshot) beginnings(q *indexer.SuggestQuery, where condition, types []int64, place int) ([]int64, error) {
	text := strings.Join(q.Tokens, " ")
	if len(text) > maxCompletionBytes {
		text = text[:maxCompletionBytes]
	}
	end, _ := after(text)
	fields := make([]int64, len(q.Fields))
	for i, name := range q.Fields {
		fields[i] = s.fields.find(name)
	}
	type row struct {
		text, urn string
		id        int64
	}
	var found []row
	for _, t := range types {
		args := append([]any{t, place, text, end, jsonList(fields)}, where.args...)
		rows, err := s.query(`SELECT c.text, d.urn, d.id FROM completion c CROSS JOIN doc d ON d.id = c.doc
			WHERE c.type = ? AND c.place = ? AND c.text >= ? AND c.text < ? AND c.field IN (SELECT value FROM json_each(?)) AND `+where.sql+`
			ORDER BY c.text LIMIT ?`, append(args, q.Size*2)...)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var r row
			if err := rows.Scan(&r.text, &r.urn, &r.id); err != nil {
				return nil, errors.Join(err, rows.Close())
			}
			found = append(found, r)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(found, func(a, b row) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.urn, b.urn)) })
	ids := make([]int64, len(found))
	for i, r := range found {
		ids[i] = r.id
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
	groups, err := s.steps(q, separator, 0)
	if err != nil || !q.Below || len(groups) == 0 {
		return groups, err
	}
	deeper, err := s.steps(q, separator, 1)
	if err != nil {
		return nil, err
	}
	indexer.MarkBelow(groups, separator, deeper)
	return groups, nil
}

// steps counts the documents below a path by the step that is some steps
// further than the next.
func (s *snapshot) steps(q *indexer.GroupQuery, separator string, further int) ([]indexer.Group, error) {
	field, below := s.fields.find(q.Field), q.Path+separator
	end, _ := after(below)
	step := "v.field = ? AND v.text >= ? AND v.text < CAST(? AS TEXT) AND length(v.text) - length(replace(v.text, ?, '')) = ? * length(?)"
	args := []any{field, below, []byte(end), separator, strings.Count(below, separator) + further, separator}
	filter := indexer.Simplify(q.Filter)
	var query string
	if v, ok := s.wholeView(&indexer.Query{}, filter); ok && v.value == 0 { // the tally does not pair values
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
