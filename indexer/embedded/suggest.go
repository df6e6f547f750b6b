package embedded

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
)

// Suggest finds completions: first names that begin with the text, then names with the text from a
// further word on, then names with the words anywhere.
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

// suggestions collects the documents to suggest, each once.
type suggestions struct {
	size  int
	found []located
	seen  map[located]bool
	// candidates is how many allowed documents have the words at all. It is negative until
	// they are counted.
	candidates int
}

// complete reports whether every candidate has been found.
func (s *suggestions) complete() bool { return s.candidates >= 0 && len(s.seen) >= s.candidates }

func (s *suggestions) add(at located) {
	if len(s.found) < s.size && !s.seen[at] {
		s.seen[at] = true
		s.found = append(s.found, at)
	}
}

// passedOver is the number of texts without an allowed document after which beginning looks
// up which allowed documents can have such a text.
const passedOver = 1000

// beginning adds the documents whose completions begin with the text, in the order of the
// completions and then of the URNs. If it passes over many texts without an allowed
// document, it first counts the allowed documents with the words, and stops when it has
// found them all. So a search for tags does not read thousands of dataset names when no tag
// begins with the text.
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

// narrow leaves in allowed only the documents that have all words, and counts them.
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
	// sources are the fields with such texts.
	sources []sourceField
}

type sourceField struct {
	*match
	field *field
}

// add adds a field of a segment; f is nil if the segment does not have the field.
func (b *beginnings) add(m *match, f *field, text []byte) {
	if f == nil {
		return
	}
	if from, to := f.beginning(text); from < to {
		b.next = append(b.next, placeAt(len(b.sources), f, from, to))
		b.sources = append(b.sources, sourceField{m, f})
	}
}

// having adds the documents whose completions contain all tokens. The last token may be the
// beginning of a word.
func (s *suggestions) having(allowed []match, tokens []string) {
	var sets []set
	for i := range allowed {
		sets = append(sets, set{allowed[i].part, allowed[i].having(tokens)})
	}
	for _, at := range inURNOrder(sets, 0, s.size+len(s.found), nil) {
		s.add(at)
	}
}

// having returns the documents whose completions contain all tokens. The last token may be
// the beginning of a word.
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

// steps groups the documents below a path by their path further steps beyond the next one,
// and counts each group.
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
