package embedded

import (
	"slices"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
)

// word is a word of a text query.
type word struct {
	text string
	// prefix: words that begin with text count too.
	prefix bool
	// changes is how many letters of a matching word may differ.
	changes int
	// without are classes of text in which the word is not searched.
	without indexer.ClassSet
}

// wordsOf returns the words of a query, each once. Each word may differ in at most changes
// letters, or fewer if it is short.
func wordsOf(text *indexer.Text, changes int) []word {
	var words []word
	seen := map[word]bool{}
	for i, token := range text.Tokens {
		w := word{
			text: token, prefix: text.Prefix && i == len(text.Tokens)-1, changes: min(changes, indexer.ChangesIn(token)),
			without: text.Without,
		}
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// withAlso adds the optional words, which only affect the order.
func withAlso(words []word, text *indexer.Text) []word {
	for _, w := range text.Also {
		if also := (word{text: w.Token, prefix: w.Prefix, without: text.Without}); !slices.Contains(words, also) {
			words = append(words, also)
		}
	}
	return words
}

// textField returns the field of a class of text, nil if the segment has no such text.
func (s *segment) textField(class indexer.TextClass) *field {
	return s.fields[fieldText+strconv.Itoa(int(class))]
}

// havingIn returns the documents that have a word in a class of text; nil stands for all.
// The caller must not change the bitmap.
func (s *segment) havingIn(class indexer.TextClass, w *word) *roaring.Bitmap {
	u := union{docs: s.docs}
	if f := s.textField(class); f == nil || !u.addWord(f, w) {
		return u.bitmap()
	}
	return nil
}

// havingWord returns the documents that have a word in any class of text in which it is searched; nil
// stands for all.
func (s *segment) havingWord(w *word) *roaring.Bitmap {
	u := union{docs: s.docs}
	for class := range indexer.TextClasses {
		if w.without.Has(class) {
			continue
		}
		if f := s.textField(class); f != nil && u.addWord(f, w) {
			return nil
		}
	}
	return u.bitmap()
}

// addWord adds the documents of a word. It reports whether these are all documents of the
// segment.
func (u *union) addWord(f *field, w *word) (all bool) {
	switch {
	case w.changes > 0:
		for _, ord := range indexer.SimilarWords(wordList{&f.dictionary}, w.text, w.changes, w.prefix) {
			u.add(&f.postings, ord)
		}
	case w.prefix:
		for ord, to := f.beginning([]byte(w.text)); ord < to; ord++ {
			if f.count(ord) == u.docs {
				return true
			}
			u.add(&f.postings, ord)
		}
	default:
		if ord, ok := f.find([]byte(w.text)); ok {
			if f.count(ord) == u.docs {
				return true
			}
			u.add(&f.postings, ord)
		}
	}
	return false
}

// havingWords returns the documents that satisfy a condition on words; nil stands for all.
// The caller must not change the bitmap.
func (s *segment) havingWords(e *indexer.Words) *roaring.Bitmap {
	var within *roaring.Bitmap
	if len(e.Fields) == 0 || e.InText {
		for i, token := range e.Tokens {
			within = both(within, s.havingWord(&word{text: token, prefix: e.Prefix && i == len(e.Tokens)-1, without: e.Without}))
			if within != nil && within.IsEmpty() {
				return within
			}
		}
	}
	if len(e.Fields) == 0 {
		return within
	}
	u := union{docs: s.docs}
	for _, name := range e.Fields {
		switch f := s.field(name); {
		case f == nil:
		case within == nil || int(within.GetCardinality()) > f.n:
			for ord := range f.n {
				if e.HoldsIn(string(f.at(ord))) {
					u.add(&f.postings, ord)
				}
			}
		default:
			u.addHolding(f, e, within)
		}
	}
	return u.bitmap()
}

// addHolding adds the documents of within that have a value with the words. Each distinct value is
// split into words once.
func (u *union) addHolding(f *field, e *indexer.Words, within *roaring.Bitmap) {
	known := map[uint32]bool{}
	var buffer []uint32
	for docs := within.Iterator(); docs.HasNext(); {
		doc := docs.Next()
		if buffer = append(buffer[:0], doc); !f.identity {
			buffer = f.column.at(doc, buffer[:0])
		}
		for _, ord := range buffer {
			holds, seen := known[ord]
			if !seen {
				holds = e.HoldsIn(string(f.at(int(ord))))
				known[ord] = holds
			}
			if holds {
				u.doc(doc)
				break
			}
		}
	}
}
