package embedded

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"

	"github.com/headwater-io/headwater/indexer"
)

// Search answers a query on one view of the index.
func (x *Index) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	var result *indexer.Result
	err := x.read(ctx, func(r *reading) error {
		var err error
		result, err = r.search(q)
		return err
	})
	return result, err
}

// SearchMany answers the queries one after the other, all on the same view of the index.
func (x *Index) SearchMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	answers := make([]indexer.Answer, len(queries))
	err := x.read(ctx, func(r *reading) error {
		for i, q := range queries {
			result, err := r.search(q)
			switch {
			case err == nil:
				answers[i].Result = result
			case errors.Is(err, indexer.ErrBadToken):
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

func (r *reading) search(q *indexer.Query) (*indexer.Result, error) {
	start, err := start(q)
	if err != nil {
		return nil, err
	}
	filter := indexer.Simplify(q.Filter)
	words := wordsOf(&q.Text, 0)
	found, total, err := r.matches(filter, words)
	for changes := 1; changes <= indexer.MaxChanges && total == 0 && len(words) > 0 && q.Text.Typos && err == nil; changes++ {
		words = wordsOf(&q.Text, changes)
		found, total, err = r.matches(filter, words)
	}
	if err != nil {
		return nil, err
	}
	result := &indexer.Result{Hits: []indexer.Hit{}, Facets: facets(found, q), Total: total}
	if q.Size <= 0 || start >= total {
		return result, nil
	}
	var page []located
	switch {
	case len(q.Sort) > 0:
		page = sorted(found, q.Sort, start, q.Size)
	case len(words)+len(q.Text.Also) > 0:
		page = ranked(found, withAlso(words, &q.Text), q.Text.Name, start, q.Size)
	default:
		page = inURNOrder(setsOf(found), start, q.Size, nil)
	}
	for _, at := range page {
		result.Hits = append(result.Hits, at.hit(q.Plain))
	}
	if next := start + len(page); q.Scroll && len(page) == q.Size && next < total {
		result.Next = base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(next)))
	}
	return result, nil
}

func setsOf(found []match) []set {
	sets := make([]set, len(found))
	for i := range found {
		sets[i] = set{found[i].part, found[i].found}
	}
	return sets
}

// start returns the number of documents before the page that a query asks for.
func start(q *indexer.Query) (int, error) {
	if q.After == "" {
		return q.From, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(q.After)
	if err == nil {
		if n, err := strconv.Atoi(string(text)); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%q: %w", q.After, indexer.ErrBadToken)
}

// hit returns a document with its values, or without them if plain is set.
func (l located) hit(plain bool) indexer.Hit {
	urn := string(l.part.urn(l.doc))
	hit := indexer.Hit{URN: urn, Type: l.entityType()}
	if plain {
		return hit
	}
	hit.Values = map[string][]string{indexer.FieldURN: {urn}}
	var buffer [16]uint32
	for _, f := range l.part.public {
		if values := f.valuesOf(l.doc, buffer[:0]); values != nil {
			hit.Values[f.name] = values
		}
	}
	for _, name := range l.part.shown {
		for _, column := range l.part.numbers[name] {
			if n, ok := column.at(l.doc); ok && column.shown {
				hit.Values[name] = []string{strconv.FormatInt(n, 10)}
			}
		}
	}
	return hit
}

func (l located) entityType() string {
	if values := l.part.fields[fieldType].valuesOf(l.doc, nil); values != nil {
		return values[0]
	}
	return ""
}

// valuesOf returns the texts of a document in this field, nil if it has none.
func (f *field) valuesOf(doc uint32, buffer []uint32) []string {
	ords := f.column.at(doc, buffer)
	if len(ords) == 0 {
		return nil
	}
	values := make([]string, len(ords))
	for i, ord := range ords {
		values[i] = string(f.at(int(ord)))
	}
	return values
}
