package embedded

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
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

// SearchMany answers queries one after the other, all on one state of the
// index.
func (x *Index) SearchMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	answers := make([]indexer.Answer, len(queries))
	err := x.read(ctx, func(s *snapshot) error {
		for i, q := range queries {
			result, err := s.search(q)
			switch {
			case err == nil:
				answers[i].Result = result
			case errors.Is(err, indexer.ErrBadToken), errors.Is(err, indexer.ErrTooComplex):
				answers[i].Err = err
			default:
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

func (s *snapshot) search(q *indexer.Query) (*indexer.Result, error) {
	result := &indexer.Result{Hits: []indexer.Hit{}, Facets: []indexer.Facet{}}
	filter := indexer.Simplify(q.Filter)
	where, err := s.plan(filter)
	if err != nil {
		return nil, err
	}
	switch v, whole := s.wholeView(q, filter); {
	case len(q.Text.Tokens) > 0 && len(q.Sort) == 0:
		return result, s.ranked(q, where, result)
	case whole:
		if result.Total, err = s.viewTotal(v); err == nil {
			result.Facets, err = s.viewFacets(v, q)
		}
	case where.docs < maxListed && len(q.Text.Tokens) == 0:
		return result, s.listed(q, where, result)
	default:
		err = s.countMatches(q, where, result)
	}
	if err != nil || q.Size == 0 || result.Total == 0 {
		return result, err
	}
	return result, s.page(q, where, result)
}

// maxListed is the largest number of documents that are all fetched, in order, rather
// than counted first.
const maxListed = 5_000

// listed answers a query that few documents match: they are found once.
func (s *snapshot) listed(q *indexer.Query, where condition, result *indexer.Result) error {
	first, err := start(q)
	if err != nil {
		return err
	}
	from, args := matches(q, where)
	order, orderArgs := s.order(q)
	ids, err := s.ids("SELECT d.id "+from+" ORDER BY "+order, append(args, orderArgs...)...)
	if err != nil {
		return err
	}
	result.Total = len(ids)
	if result.Facets, err = s.facets(q, "SELECT value AS id FROM json_each(?)", []any{jsonList(ids)}); err != nil {
		return err
	}
	low := min(first, len(ids))
	return s.finish(q, result, ids[low:min(low+q.Size, len(ids))], first)
}

// matches is the part of a statement that selects the documents of a query.
func matches(q *indexer.Query, where condition) (from string, args []any) {
	if len(q.Text.Tokens) == 0 {
		return "FROM doc d" + where.joins + " WHERE " + where.sql, append(slices.Clone(where.joinArgs), where.args...)
	}
	match := textQuery(q.Text.Tokens, q.Text.Prefix)
	return "FROM text CROSS JOIN doc d ON d.id = text.rowid" + where.joins + " WHERE text MATCH ? AND " + where.sql,
		append(append(slices.Clone(where.joinArgs), match), where.args...)
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

// countMatches fills in the total and the facets by going through the
// documents that match.
func (s *snapshot) countMatches(q *indexer.Query, where condition, result *indexer.Result) error {
	from, args := matches(q, where)
	err := s.row("SELECT count(*) "+from, args...).Scan(&result.Total)
	if err != nil || result.Total == 0 {
		return err
	}
	result.Facets, err = s.facets(q, "SELECT d.id "+from, args)
	return err
}

// page fills in the hits.
func (s *snapshot) page(q *indexer.Query, where condition, result *indexer.Result) error {
	from, args := matches(q, where)
	start, err := start(q)
	if err != nil {
		return err
	}
	order, orderArgs := s.order(q)
	ids, err := s.ids("SELECT d.id "+from+" ORDER BY "+order+" LIMIT ? OFFSET ?",
		append(append(args, orderArgs...), q.Size, start)...)
	if err != nil {
		return err
	}
	return s.finish(q, result, ids, start)
}

// finish fills in a page of hits and the token to continue with.
func (s *snapshot) finish(q *indexer.Query, result *indexer.Result, ids []int64, start int) (err error) {
	if result.Hits, err = s.hits(ids, q.Plain); err != nil {
		return err
	}
	if next := start + len(ids); q.Scroll && len(ids) == q.Size && next < result.Total {
		result.Next = base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(next)))
	}
	return nil
}

// start is the position of a page.
func start(q *indexer.Query) (int, error) {
	if q.After == "" {
		return q.From, nil
	}
	return parseToken(q.After)
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

// order writes the ORDER BY of a query: its keys, then the URN.
func (s *snapshot) order(q *indexer.Query) (string, []any) {
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
	return strings.Join(append(keys, "d.urn"), ", "), args
}

// hits reads documents in the order of their numbers given; of their values
// only those wanted, when any are named.
func (s *snapshot) hits(ids []int64, plain bool, wanted ...string) ([]indexer.Hit, error) {
	query := "SELECT d.urn, t.text, '' FROM json_each(?) j CROSS JOIN doc d ON d.id = j.value CROSS JOIN value t ON t.id = d.type ORDER BY j.key"
	if !plain {
		query = `SELECT d.urn, t.text, b.json FROM json_each(?) j CROSS JOIN doc d ON d.id = j.value CROSS JOIN value t ON t.id = d.type
			CROSS JOIN body b ON b.doc = d.id ORDER BY j.key`
	}
	rows, err := s.query(query, jsonList(ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	hits := make([]indexer.Hit, 0, len(ids))
	for rows.Next() {
		var hit indexer.Hit
		var body sql.RawBytes
		if err := rows.Scan(&hit.URN, &hit.Type, &body); err != nil {
			return nil, err
		}
		if len(body) > 0 {
			if hit.Values, err = valuesIn(body, wanted); err != nil {
				return nil, err
			}
		}
		hits = append(hits, hit)
	}
	return hits, rows.Err()
}

// valuesIn decodes the values of a document, or those wanted of them.
func valuesIn(body []byte, wanted []string) (map[string][]string, error) {
	var values map[string][]string
	if len(wanted) == 0 {
		return values, json.Unmarshal(body, &values)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, err
	}
	values = make(map[string][]string, len(wanted))
	for _, name := range wanted {
		if text, ok := raw[name]; ok {
			var list []string
			if err := json.Unmarshal(text, &list); err != nil {
				return nil, err
			}
			values[name] = list
		}
	}
	return values, nil
}
