package embedded

import (
	"container/heap"
	"slices"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
)

// The score of a document is the sum over the words of the query, times the weight of the
// document. A word adds the weight of the best class of text that has it, or nothing. Of
// documents with the same score, those with shorter names come first, then those with
// smaller URNs. Documents whose name is exactly the query come before all others.
//
// No score is computed for a single document. The documents found are split into sets by
// the parts of their score. The set with the highest possible score is always split next,
// until enough documents have a known score.

// exactBonus is added to the score of documents whose name is exactly the query.
const exactBonus = 1e9

// tier is a set of documents of a part whose scores are equal in all parts of the score that are
// computed so far.
type tier struct {
	set
	words  *wordSets
	bonus  float64
	weight float64
	// sum is the score of the first level words. When all words are done, level counts one
	// more for the length of the name.
	level, sum int
	length     int
	// bound is the highest score that a document of the tier can have.
	bound float64
}

// wordSets has, for each word of a query and each class of text, the documents of a part
// with the word in that class.
type wordSets struct {
	part  *part
	words []word
	sets  [][indexer.TextClasses]*roaring.Bitmap
	known [][indexer.TextClasses]bool
}

func (w *wordSets) in(i int, class indexer.TextClass) *roaring.Bitmap {
	if !w.known[i][class] {
		w.sets[i][class], w.known[i][class] = w.part.havingIn(class, &w.words[i]), true
	}
	return w.sets[i][class]
}

// ranked returns a page of the documents found, the best first.
func ranked(found []match, words []word, name string, skip, take int) []located {
	var queue tiers
	for i := range found {
		queue.addPart(&found[i], words, name)
	}
	heap.Init(&queue)
	var page []located
	var equal []set
	score := 0.0
	flush := func() {
		count := 0
		for _, s := range equal {
			count += int(s.docs.GetCardinality())
		}
		if skip < count {
			page = inURNOrder(equal, skip, take-len(page), page)
		}
		skip, equal = max(skip-count, 0), equal[:0]
	}
	for len(queue) > 0 && len(page) < take {
		best := heap.Pop(&queue).(*tier)
		if best.level <= len(words) {
			for _, t := range best.split() {
				heap.Push(&queue, t)
			}
			continue
		}
		if len(equal) > 0 && best.bound != score {
			flush()
		}
		score = best.bound
		equal = append(equal, best.set)
	}
	if len(page) < take {
		flush()
	}
	return page
}

// addPart adds the documents found in a part as tiers, split by their weights and by
// whether their name is exactly the query.
func (q *tiers) addPart(m *match, words []word, name string) {
	sets := &wordSets{
		part: m.part, words: words,
		sets: make([][indexer.TextClasses]*roaring.Bitmap, len(words)), known: make([][indexer.TextClasses]bool, len(words)),
	}
	named := roaring.New()
	if f := m.field(indexer.FieldName); f != nil && name != "" {
		if ord, ok := f.find([]byte(name)); ok {
			named = f.docs(ord)
		}
	}
	weights := m.fields[fieldWeight]
	for ord := range weights.n {
		docs := m.found
		if weights.n > 1 {
			docs = roaring.And(docs, weights.docs(ord))
		}
		for _, exact := range []bool{true, false} {
			t := tier{words: sets, weight: weightOf(weights.at(ord)), set: set{m.part, docs}}
			switch {
			case exact:
				t.docs, t.bonus = roaring.And(docs, named), exactBonus
			case !named.IsEmpty():
				t.docs = roaring.AndNot(docs, named)
			}
			if !t.docs.IsEmpty() {
				t.bind()
				*q = append(*q, &t)
			}
		}
	}
}

// bind computes the bound of the tier.
func (t *tier) bind() {
	open := max(len(t.words.words)-t.level, 0) * indexer.Weights[indexer.TextName]
	t.bound = t.bonus + t.weight*(float64(t.sum+open)+float64(indexer.MaxNameLength-t.length)/(indexer.MaxNameLength+1))
}

// split splits a tier by the class of text that has the next word or, when all words are
// done, by the length of the name.
func (t *tier) split() []*tier {
	var parts []*tier
	rest := t.docs
	take := func(docs *roaring.Bitmap, sum, length int) {
		part := *t
		part.docs, part.sum, part.length = rest, t.sum+sum, length
		if docs != nil { // nil means the rest of the tier
			part.docs = roaring.And(rest, docs)
		}
		if part.docs.IsEmpty() {
			return
		}
		part.level++
		part.bind()
		parts = append(parts, &part)
		if docs == nil {
			rest = roaring.New()
			return
		}
		rest = roaring.AndNot(rest, docs)
	}
	if t.level < len(t.words.words) {
		for class := indexer.TextClass(0); class < indexer.TextClasses && !rest.IsEmpty(); class++ {
			if !t.words.words[t.level].without.Has(class) {
				take(t.words.in(t.level, class), indexer.Weights[class], 0)
			}
		}
		take(nil, 0, 0) // the documents without the word, which may be optional
		return parts
	}
	lengths := t.part.fields[fieldLength]
	for ord := 0; ord < lengths.n && !rest.IsEmpty(); ord++ {
		length, err := strconv.Atoi(string(lengths.at(ord)))
		if err != nil {
			panic(err) // the builder writes only decimal numbers
		}
		take(lengths.docs(ord), 0, length)
	}
	return parts
}

// tiers is a heap of tiers, the one with the best bound first.
type tiers []*tier

func (q tiers) Len() int           { return len(q) }
func (q tiers) Less(i, k int) bool { return q[i].bound > q[k].bound }
func (q tiers) Swap(i, k int)      { q[i], q[k] = q[k], q[i] }
func (q *tiers) Push(v any)        { *q = append(*q, v.(*tier)) }
func (q *tiers) Pop() any {
	last := (*q)[len(*q)-1]
	*q = slices.Delete(*q, len(*q)-1, len(*q))
	return last
}
