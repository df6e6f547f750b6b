package embedded

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
)

// reading reads one view of the index.
type reading struct {
	ctx  context.Context
	view *view
}

// match is the set of documents of one part that a query found.
type match struct {
	*part
	found *roaring.Bitmap
	count int
	// within, if not nil, contains all documents found.
	within *standing
	// others are the documents not found, and othersWithin the documents among them within the standing; both are
	// nil until a facet needs them.
	others, othersWithin *roaring.Bitmap
}

// matches returns the documents that satisfy the condition and have all words. Parts
// without such documents are left out.
func (r *reading) matches(e indexer.Expr, words []word) (found []match, total int, err error) {
	e = prepared(e)
	for i := range r.view.parts {
		if err := r.ctx.Err(); err != nil {
			return nil, 0, err
		}
		p := &r.view.parts[i]
		docs, err := p.matches(e, words)
		if err != nil {
			return nil, 0, err
		}
		if n := int(docs.GetCardinality()); n > 0 {
			within, err := p.within(e)
			if err != nil {
				return nil, 0, err
			}
			found = append(found, match{part: p, found: docs, count: n, within: within})
			total += n
		}
	}
	return found, total, nil
}

// manyValues is the number of values from which a condition's values are sorted and looked
// up in order.
const manyValues = 64

// inSorted is an [indexer.In] whose values are in order.
type inSorted struct{ indexer.In }

// prepared sorts the values of conditions with many values, once for all parts.
func prepared(e indexer.Expr) indexer.Expr {
	switch e := e.(type) {
	case indexer.And:
		return indexer.And(indexer.EachOf(e, prepared))
	case indexer.Or:
		return indexer.Or(indexer.EachOf(e, prepared))
	case indexer.Not:
		return indexer.Not{Expr: prepared(e.Expr)}
	case indexer.In:
		if len(e.Values) >= manyValues {
			return inSorted{indexer.In{Field: e.Field, Values: slices.Sorted(slices.Values(e.Values))}}
		}
	}
	return e
}

func (p *part) matches(e indexer.Expr, words []word) (*roaring.Bitmap, error) {
	docs, err := p.holds(e)
	if err != nil {
		return nil, err
	}
	for i := range words {
		if docs != nil && docs.IsEmpty() {
			return docs, nil
		}
		docs = both(docs, p.havingWord(&words[i]))
	}
	if docs == nil {
		docs = p.everything()
	}
	if p.gone != nil {
		docs = roaring.AndNot(docs, p.gone)
	}
	return docs, nil
}

func (s *segment) everything() *roaring.Bitmap {
	b := roaring.New()
	b.AddRange(0, uint64(s.docs))
	return b
}

// both returns the intersection of two sets; nil stands for all documents.
func both(a, b *roaring.Bitmap) *roaring.Bitmap {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return roaring.And(a, b)
}

// holds returns the documents that satisfy a condition, including documents that are gone; nil
// stands for all. The caller must not change the bitmap.
func (s *segment) holds(e indexer.Expr) (*roaring.Bitmap, error) {
	switch e := e.(type) {
	case nil:
		return nil, nil
	case indexer.And:
		return s.conjunction(e)
	case indexer.Or:
		return s.disjunction(e)
	case indexer.Not:
		inner, err := s.holds(e.Expr)
		if inner == nil || err != nil {
			return roaring.New(), err
		}
		return roaring.Flip(inner, 0, uint64(s.docs)), nil
	case indexer.In:
		return s.in(e), nil
	case inSorted:
		return s.inSorted(e), nil
	case indexer.Match:
		return s.match(e), nil
	case indexer.Range:
		return s.between(e), nil
	case indexer.Between:
		return s.amounts(e), nil
	case indexer.Exists:
		return s.exists(e.Field), nil
	case indexer.Words:
		return s.havingWords(&e), nil
	case *indexer.Standing:
		known, err := s.standing(e)
		if err != nil {
			return nil, err
		}
		return known.docs, nil
	}
	return nil, fmt.Errorf("unknown condition %T", e)
}

// cost orders the parts of a conjunction by their cost: a part that is looked up has a low
// cost, a part that compares every value a high one.
func cost(e indexer.Expr) int {
	switch e.(type) {
	case indexer.In, inSorted, *indexer.Standing:
		return 0
	case indexer.Match, indexer.Range, indexer.Between, indexer.Exists:
		return 2
	case indexer.Words:
		return 3
	}
	return 1
}

func (s *segment) conjunction(parts indexer.And) (all *roaring.Bitmap, err error) {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b indexer.Expr) int { return cmp.Compare(cost(a), cost(b)) })
	for _, part := range parts {
		docs, err := s.holds(part)
		if err != nil {
			return nil, err
		}
		if all = both(all, docs); all != nil && all.IsEmpty() {
			return all, nil
		}
	}
	return all, nil
}

func (s *segment) disjunction(parts indexer.Or) (*roaring.Bitmap, error) {
	bitmaps := make([]*roaring.Bitmap, 0, len(parts))
	for _, part := range parts {
		docs, err := s.holds(part)
		if docs == nil || err != nil {
			return nil, err
		}
		bitmaps = append(bitmaps, docs)
	}
	return roaring.FastOr(bitmaps...), nil
}

// in returns the documents that have one of the values.
func (s *segment) in(e indexer.In) *roaring.Bitmap {
	f := s.field(e.Field)
	if f == nil {
		return roaring.New()
	}
	var ords []int
	for _, value := range e.Values {
		if ord, ok := f.find([]byte(value)); ok {
			ords = append(ords, ord)
		}
	}
	return s.having(f, ords)
}

// inSorted is in for values in order. The search for each value begins at the place of the
// value before it.
func (s *segment) inSorted(e inSorted) *roaring.Bitmap {
	f := s.field(e.Field)
	if f == nil {
		return roaring.New()
	}
	var ords []int
	at := 0
	for _, value := range e.Values {
		text := []byte(value)
		if at = f.fromAfter(at, text); at == f.n {
			break
		}
		if bytes.Equal(f.at(at), text) {
			ords = append(ords, at)
		}
	}
	return s.having(f, ords)
}

// having returns the documents that have one of the texts; nil stands for all.
func (s *segment) having(f *field, ords []int) *roaring.Bitmap {
	u := union{docs: s.docs}
	for _, ord := range ords {
		if f.count(ord) == s.docs {
			return nil
		}
		u.add(&f.postings, ord)
	}
	return u.bitmap()
}

// match returns the documents with a value that contains, begins with or ends with one of the
// texts; the kind says which.
func (s *segment) match(e indexer.Match) *roaring.Bitmap {
	f := s.field(e.Field)
	if f == nil {
		return roaring.New()
	}
	u := union{docs: s.docs}
	for _, text := range e.Texts {
		if text == "" && e.Kind != indexer.Same && len(e.Except) == 0 {
			return s.exists(e.Field)
		}
		for ord := range f.matching(e.Kind, []byte(text)) {
			if len(e.Except) == 0 || !indexer.NamesAny(string(f.at(ord)), e.Except) {
				u.add(&f.postings, ord)
			}
		}
	}
	return u.bitmap()
}

// matching returns the places of the values that match a text.
func (f *field) matching(kind indexer.MatchKind, text []byte) iter.Seq[int] {
	switch kind {
	case indexer.Suffix:
		return slices.Values(f.ending(text))
	case indexer.Same:
		return slices.Values(f.folded(text))
	case indexer.Contains:
		return slices.Values(f.containing(text))
	}
	return func(yield func(int) bool) {
		for ord, to := f.beginning(text); ord < to && yield(ord); ord++ {
		}
	}
}

func (s *segment) between(e indexer.Range) *roaring.Bitmap {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if e.From != nil {
		from = *e.From
	}
	if e.To != nil {
		to = *e.To
	}
	docs := roaring.New()
	for _, column := range s.numbers[e.Field] {
		docs.Or(column.between(from, to))
	}
	return docs
}

// amounts returns the documents with an amount between the bounds. It reads every value of
// the field.
func (s *segment) amounts(e indexer.Between) *roaring.Bitmap {
	f := s.field(e.Field)
	if f == nil {
		return roaring.New()
	}
	u := union{docs: s.docs}
	for ord := range f.n {
		if e.Holds(string(f.at(ord))) {
			u.add(&f.postings, ord)
		}
	}
	return u.bitmap()
}

// exists returns the documents with a value of a field; nil stands for all.
func (s *segment) exists(name string) *roaring.Bitmap {
	if name == indexer.FieldURN {
		return nil
	}
	docs := s.between(indexer.Range{Field: name})
	if f := s.field(name); f != nil {
		docs.Or(f.column.all())
	}
	return docs
}
