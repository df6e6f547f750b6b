package embedded

import (
	"cmp"
	"slices"

	"github.com/headwater-io/headwater/indexer"
)

// match is a document that a text query found. Less is better.
type match struct {
	id    int64
	score float64
}

// exactBonus puts documents of exactly the name asked for before all others.
const exactBonus = 1e6

// ranked answers a text query in the order of relevance. The text is searched
// once: what it finds is ranked, counted and paged from memory.
func (s *snapshot) ranked(q *indexer.Query, where condition, result *indexer.Result) error {
	first, err := start(q)
	if err != nil {
		return err
	}
	found, err := s.matched(q, where)
	if err != nil || len(found) == 0 {
		return err
	}
	result.Total = len(found)
	ids := make([]int64, len(found))
	for i, m := range found {
		ids[i] = m.id
	}
	if result.Facets, err = s.facets(q, "SELECT value AS id FROM json_each(?)", []any{jsonList(ids)}); err != nil {
		return err
	}
	if q.Size == 0 || first >= len(found) {
		return nil
	}
	page, err := s.best(found, first, q.Size)
	if err != nil {
		return err
	}
	return s.finish(q, result, page, first)
}

// matched returns every document found, with its score.
func (s *snapshot) matched(q *indexer.Query, where condition) ([]match, error) {
	from, args := matches(q, where)
	var weights []any
	for _, weight := range indexer.Weights {
		weights = append(weights, weight)
	}
	rows, err := s.query("SELECT d.id, bm25(text, ?, ?, ?, ?) * d.weight "+from, append(weights, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []match
	for rows.Next() {
		var m match
		if err := rows.Scan(&m.id, &m.score); err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	if err := rows.Err(); err != nil || len(found) == 0 {
		return nil, err
	}
	return found, s.preferNamed(found, q.Text.Name)
}

// preferNamed raises the documents with exactly the name.
func (s *snapshot) preferNamed(found []match, name string) error {
	values, err := s.valueIDs(indexer.FieldName, []string{name})
	if err != nil || len(values) == 0 {
		return err
	}
	named, err := s.ids("SELECT doc FROM doc_value WHERE value = ?", values[0])
	if err != nil {
		return err
	}
	exact := make(map[int64]bool, len(named))
	for _, id := range named {
		exact[id] = true
	}
	for i := range found {
		if exact[found[i].id] {
			found[i].score -= exactBonus
		}
	}
	return nil
}

// best returns the documents of a page in order: by score, equal ones by URN.
func (s *snapshot) best(found []match, first, size int) ([]int64, error) {
	slices.SortFunc(found, func(a, b match) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.id, b.id)) })
	low, high := first, min(first+size, len(found))
	// Equal ones at both ends of the page belong to the comparison.
	for low > 0 && found[low-1].score == found[first].score {
		low--
	}
	for end := found[high-1].score; high < len(found) && found[high].score == end; {
		high++
	}
	urns, err := s.urns(found[low:high])
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found[low:high], func(a, b match) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(urns[a.id], urns[b.id]))
	})
	var ids []int64
	for _, m := range found[first:min(first+size, len(found))] {
		ids = append(ids, m.id)
	}
	return ids, nil
}

func (s *snapshot) urns(of []match) (map[int64]string, error) {
	ids := make([]int64, len(of))
	for i, m := range of {
		ids[i] = m.id
	}
	rows, err := s.query("SELECT d.id, d.urn FROM json_each(?) j CROSS JOIN doc d ON d.id = j.value", jsonList(ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	urns := make(map[int64]string, len(of))
	for rows.Next() {
		var id int64
		var urn string
		if err := rows.Scan(&id, &urn); err != nil {
			return nil, err
		}
		urns[id] = urn
	}
	return urns, rows.Err()
}
