package embedded

import (
	"cmp"
	"context"
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
			hits, err = s.hits(ids, false)
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
		found, err := s.ids("SELECT d.id FROM completion_word CROSS JOIN doc d ON d.id = completion_word.rowid WHERE completion_word MATCH ? AND "+
			where.sql+" LIMIT ?", append(append([]any{textQuery(q.Tokens, true)}, where.args...), q.Size*2)...)
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
