package embedded

import (
	"database/sql"
	"slices"

	"github.com/headwater-io/headwater/indexer"
)

// view is a query for all documents of some types, or those of them with one
// value, for which the numbers are kept.
type view struct {
	types   []int64 // nil for all
	removed []int64
	value   int64 // 0 for none
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
		case !ok:
			return v, false
		case in.Field == indexer.FieldType && v.types == nil:
			ids, err := s.valueIDs(in.Field, in.Values)
			if err != nil {
				return v, false
			}
			v.types = append([]int64{}, ids...)
		case in.Field == indexer.FieldRemoved && len(v.removed) == 2:
			v.removed = v.removed[:0]
			for flag, text := range []string{"false", "true"} {
				if slices.Contains(in.Values, text) {
					v.removed = append(v.removed, int64(flag))
				}
			}
		case v.value == 0 && len(in.Values) == 1 && len(q.Facets) == 0 && s.fields.isCounted(s.fields.find(in.Field)):
			ids, err := s.valueIDs(in.Field, in.Values)
			if err != nil || len(ids) == 0 {
				return v, false
			}
			v.value = ids[0]
		default:
			return v, false
		}
	}
	return v, true
}

// condition restricts the table tally to the view.
func (v view) condition() (text string, args []any) {
	if len(v.removed) == 1 && len(v.types) == 1 {
		return "removed = ? AND type = ?", []any{v.removed[0], v.types[0]}
	}
	text, args = "removed IN (SELECT value FROM json_each(?))", []any{jsonList(v.removed)}
	if v.types != nil {
		text, args = text+" AND type IN (SELECT value FROM json_each(?))", append(args, jsonList(v.types))
	}
	return text, args
}

func (s *snapshot) viewTotal(v view) (int, error) {
	where, args := v.condition()
	field, id := "field = ?", s.fields.find(indexer.FieldType)
	if v.value != 0 {
		field, id = "value = ?", v.value
	}
	var total int
	err := s.row("SELECT coalesce(sum(docs), 0) FROM tally WHERE "+field+" AND "+where, append([]any{id}, args...)...).Scan(&total)
	return total, err
}

func (s *snapshot) viewFacets(v view, q *indexer.Query) ([]indexer.Facet, error) {
	facets := []indexer.Facet{}
	where, args := v.condition()
	top := "SELECT value, sum(docs) AS docs FROM tally WHERE field = ? AND " + where + " GROUP BY value ORDER BY docs DESC LIMIT ?"
	if len(v.removed) == 1 && len(v.types) == 1 { // the index has the order
		top = "SELECT value, docs FROM tally INDEXED BY tally_top WHERE field = ? AND " + where + " AND docs > 0 ORDER BY docs DESC LIMIT ?"
	}
	for _, name := range q.Facets {
		counts, err := s.counts("SELECT v.text, t.docs FROM ("+top+") t CROSS JOIN value v ON v.id = t.value ORDER BY t.docs DESC, v.text",
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

// facets counts the values of documents whose numbers a statement selects, all
// fields in one pass.
func (s *snapshot) facets(q *indexer.Query, selected string, args []any) ([]indexer.Facet, error) {
	facets := []indexer.Facet{}
	if len(q.Facets) == 0 {
		return facets, nil
	}
	fields := make([]int64, len(q.Facets))
	for i, name := range q.Facets {
		fields[i] = s.fields.find(name)
	}
	rows, err := s.query(`SELECT x.field, x.value, count(*) FROM (`+selected+`) m CROSS JOIN json_each(?) f
		CROSS JOIN doc_value x ON x.doc = m.id AND x.field = f.value GROUP BY x.value`, append(slices.Clone(args), jsonList(fields))...)
	if err != nil {
		return nil, err
	}
	found, err := tallied(rows)
	if err != nil {
		return nil, err
	}
	for i, name := range q.Facets {
		counts := found[fields[i]]
		slices.SortFunc(counts, func(a, b valueCount) int { return b.docs - a.docs })
		texts, err := s.named(counts[:min(len(counts), q.FacetSize)])
		if err != nil {
			return nil, err
		}
		if len(texts) > 0 {
			facets = append(facets, indexer.Facet{Field: name, Counts: texts})
		}
	}
	return facets, nil
}

type valueCount struct {
	value int64
	docs  int
}

// tallied reads counts by field and closes the rows.
func tallied(rows *sql.Rows) (map[int64][]valueCount, error) {
	defer rows.Close()
	found := map[int64][]valueCount{}
	for rows.Next() {
		var field int64
		var c valueCount
		if err := rows.Scan(&field, &c.value, &c.docs); err != nil {
			return nil, err
		}
		found[field] = append(found[field], c)
	}
	return found, rows.Err()
}

// named looks up the texts of values, most frequent first, then by text.
func (s *snapshot) named(counts []valueCount) ([]indexer.Count, error) {
	ids := make([]int64, len(counts))
	docs := make(map[int64]int, len(counts))
	for i, c := range counts {
		ids[i], docs[c.value] = c.value, c.docs
	}
	rows, err := s.query("SELECT v.id, v.text FROM json_each(?) j CROSS JOIN value v ON v.id = j.value", jsonList(ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	texts := make([]indexer.Count, 0, len(counts))
	for rows.Next() {
		var id int64
		var text string
		if err := rows.Scan(&id, &text); err != nil {
			return nil, err
		}
		texts = append(texts, indexer.Count{Value: text, Docs: docs[id]})
	}
	indexer.SortCounts(texts)
	return texts, rows.Err()
}

func (s *snapshot) counts(query string, args ...any) ([]indexer.Count, error) {
	rows, err := s.query(query, args...)
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
