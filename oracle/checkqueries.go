package main

import (
	"context"
	"fmt"
)

// structured sends random structured queries.
func (r *checker) structured(ctx context.Context) (tally, error) {
	everything := r.index.seen(nil)
	var questions []structuredQuestion
	for range 2 * r.sample {
		d := pick(r.maker, everything)
		about := []*document{d, d, pick(r.maker, everything)}
		q := structuredQuestion{query: r.anyQuery(about, 1+r.IntN(3))}
		q.input = "/q " + q.text
		if r.chance(50) {
			q.kinds = []string{d.kind}
		}
		questions = append(questions, q)
	}
	return over(ctx, "structured queries", questions, r.askStructured)
}

// structuredQuestion is a search with a structured query.
type structuredQuestion struct {
	search
	query
}

func (q structuredQuestion) String() string { return q.search.String() }

func (r *checker) askStructured(ctx context.Context, q structuredQuestion) (string, error) {
	found, err := r.ask(ctx, q.search)
	if err != nil {
		return "", err
	}
	expected := map[string]bool{}
	for _, d := range r.index.seen(q.kinds) {
		must, may := q.holds(d)
		if must || may && found.urns[d.urn] {
			expected[d.urn] = true
		}
	}
	if wrong := differ(q.String(), expected, found.urns); wrong != "" {
		return wrong, nil
	}
	if found.total != len(expected) {
		return fmt.Sprintf("%v: total %d of %d", q, found.total, len(expected)), nil
	}
	return "", nil
}
