package embedded

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
)

// Suggest finds completions: from their beginnings first, then from a further
// word on, then with the words anywhere.
func (x *Index) Suggest(ctx context.Context, q *indexer.SuggestQuery) ([]indexer.Hit, error) {
	hits := []indexer.Hit{}
	err := x.read(ctx, func(r *reading) error {
		found, err := r.suggest(q)
		for _, at := range found {
			hits = append(hits, at.hit(false))
		}
		return err
	})
	return hits, err
}

func (r *reading) suggest(q *indexer.SuggestQuery) ([]located, error) {
	if len(q.Tokens) == 0 || q.Size <= 0 {
		return nil, nil
	}
	allowed, _, err := r.matches(indexer.Simplify(q.Filter), nil)
	if err != nil {
		return nil, err
	}
	s := suggestions{size: q.Size, seen: map[located]bool{}, candidates: -1}
	for _, kind := range []string{fieldFirst, fieldFurther} {
		s.beginning(allowed, kind, q)
	}
	if len(s.found) < s.size && !s.complete() {
		s.having(allowed, q.Tokens)
	}
	return s.found, nil
}

// suggestions are completions that were found, each document once.
type suggestions struct {
	size  int
	found []located
	seen  map[located]bool
	// candidates is how many documents have the words at all, negative until that is
	// counted.
	candidates int
}

// complete reports whether there is nothing more to find.
func (s *suggestions) complete() bool { return s.candidates >= 0 && len(s.seen) >= s.candidates }

func (s *suggestions) add(at located) {
	if len(s.found) < s.size && !s.seen[at] {
		s.seen[at] = true
		s.found = append(s.found, at)
	}
}

// passedOver is how many texts, none of which is of an allowed document, are passed over
// before it is found out which documents may have such a text.
const passedOver = 1000

// beginning adds the documents whose completions begin with the text, in the order of
// the completions and then of the URNs. Where the allowed documents are few among many
// with such texts, it does not look at all of these: no tag begins with a letter with
// which thousands of datasets do.
func (s *suggestions) beginning(allowed []match, kind string, q *indexer.SuggestQuery) {
	text := []byte(completionText(q.Tokens))
	var b beginnings
	for i := range allowed {
		for _, name := range q.Fields {
			b.add(&allowed[i], allowed[i].fields[kind+name], text)
		}
	}
	passed := 0
	b.next.each(func(_ []byte, at []place) bool {
		if s.complete() {
			return false
		}
		var sets []set
		for _, p := range at {
			from := b.sources[p.from]
			if docs := roaring.And(from.field.docs(p.ord), from.found); !docs.IsEmpty() {
				sets = append(sets, set{from.part, docs})
			}
		}
		if len(sets) == 0 {
			if passed++; passed == passedOver && s.candidates < 0 {
				s.narrow(allowed, q.Tokens)
			}
			return true
		}
		for _, at := range inURNOrder(sets, 0, s.size, nil) {
			s.add(at)
		}
		return len(s.found) < s.size
	})
}

// narrow leaves only the documents that have all words.
func (s *suggestions) narrow(allowed []match, tokens []string) {
	s.candidates = 0
	for i := range allowed {
		allowed[i].found = allowed[i].having(tokens)
		s.candidates += int(allowed[i].found.GetCardinality())
	}
}

// beginnings are the texts of several fields that begin with one text.
type beginnings struct {
	next places
	// sources are the fields that have such texts.
	sources []sourceField
}

type sourceField struct {
	*match
	field *field
}

// add adds a field of a segment, nil when the segment does not have it.
func (b *beginnings) add(m *match, f *field, text []byte) {
	if f == nil {
		return
	}
	if from, to := f.beginning(text); from < to {
		b.next = append(b.next, placeAt(len(b.sources), f, from, to))
		b.sources = append(b.sources, sourceField{m, f})
	}
}

// having adds documents that have all words in their completions, the last one as a
// beginning.
func (s *suggestions) having(allowed []match, tokens []string) {
	var sets []set
	for i := range allowed {
		sets = append(sets, set{allowed[i].part, allowed[i].having(tokens)})
	}
	for _, at := range inURNOrder(sets, 0, s.size+len(s.found), nil) {
		s.add(at)
	}
}

// having returns the documents that have all words in their completions, the last one
// as a beginning.
func (m *match) having(tokens []string) *roaring.Bitmap {
	f := m.fields[fieldWords]
	if f == nil {
		return roaring.New()
	}
	docs := m.found
	for k, token := range tokens {
		u := union{docs: m.docs}
		if !u.addWord(f, &word{text: token, prefix: k == len(tokens)-1}) {
			docs = roaring.And(docs, u.bitmap())
		}
	}
	return docs
}

// Groups counts the documents below a path by its next step.
func (x *Index) Groups(ctx context.Context, q *indexer.GroupQuery) ([]indexer.Group, error) {
	var groups []indexer.Group
	err := x.read(ctx, func(r *reading) error {
		var err error
		groups, err = r.groups(q)
		return err
	})
	return groups, err
}

func (r *reading) groups(q *indexer.GroupQuery) ([]indexer.Group, error) {
	separator := "/"
	if q.Field == indexer.FieldAncestorsV2 {
		separator = indexer.PathV2Separator
	}
	allowed, _, err := r.matches(indexer.Simplify(q.Filter), nil)
	if err != nil {
		return nil, err
	}
	groups := steps(allowed, q, separator, 0)
	if q.Below && len(groups) > 0 {
		indexer.MarkBelow(groups, separator, steps(allowed, q, separator, 1))
	}
	return groups, nil
}

// steps counts the documents below a path by the step that is some steps further than
// the next.
func steps(allowed []match, q *indexer.GroupQuery, separator string, further int) []indexer.Group {
	below := []byte(q.Path + separator)
	wanted := strings.Count(string(below), separator) + further
	groups := []indexer.Group{}
	var b beginnings
	for i := range allowed {
		b.add(&allowed[i], allowed[i].field(q.Field), below)
	}
	b.next.each(func(path []byte, at []place) bool {
		if bytes.Count(path, []byte(separator)) != wanted {
			return true
		}
		n := 0
		for _, p := range at {
			if from := b.sources[p.from]; from.count == from.docs {
				n += from.field.count(p.ord)
			} else {
				n += from.field.countIn(p.ord, from.found)
			}
		}
		if n > 0 {
			groups = append(groups, indexer.Group{Path: string(path), Docs: n})
		}
		return true
	})
	return slices.Clip(groups)
}
