package embedded

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
)

// facets counts, in the documents found, the values of the fields that a query names.
func facets(found []match, q *indexer.Query) []indexer.Facet {
	facets := []indexer.Facet{}
	if q.FacetSize <= 0 {
		return facets
	}
	for _, name := range q.Facets {
		if counts := facet(found, name, q.FacetSize); len(counts) > 0 {
			facets = append(facets, indexer.Facet{Field: name, Counts: counts})
		}
	}
	return facets
}

// facet returns the most frequent values of a field in the documents found.
func facet(found []match, name string, size int) []indexer.Count {
	counts := make([][]uint32, len(found))
	dictionaries := make([]*dictionary, len(found))
	for i := range found {
		f := found[i].field(name)
		if f == nil {
			continue
		}
		dictionaries[i], counts[i] = &f.dictionary, make([]uint32, f.n)
		found[i].tally(f, counts[i])
	}
	best := topCounts{size: size}
	inOrder(dictionaries, func(text []byte, at []place) {
		n := 0
		for _, p := range at {
			n += int(counts[p.from][p.ord])
		}
		best.add(text, n)
	})
	return best.sorted()
}

// perValue is the number of documents that can be counted one by one in the time in which
// one value's bitmap is compared with that of the documents found.
const perValue = 400

// tally counts the values of a field in the documents found in a part. If the field has few
// values, it counts with their bitmaps. Otherwise it counts the rows of the documents
// found, or of the other documents if there are fewer of these. The other documents are those of the standing
// that contains the documents found, if its tallies are kept.
func (m *match) tally(f *field, counts []uint32) {
	all, whole := m.docs, []uint32(nil)
	if m.within != nil {
		if whole = m.segment.tally(m.within, f); whole != nil {
			all = m.within.count
		}
	}
	switch rest := all - m.count; {
	case f.identity:
		m.found.Iterate(func(doc uint32) bool { counts[doc] = 1; return true })
	case rest > 0 && f.n*(m.docs>>16+1)*perValue < min(m.count, rest):
		for ord := range counts {
			counts[ord] = uint32(f.countIn(ord, m.found))
		}
	case rest < m.count:
		if rest > 0 {
			f.column.tally(m.rest(whole != nil), counts)
		}
		for ord := range counts {
			if whole != nil {
				counts[ord] = whole[ord] - counts[ord]
			} else {
				counts[ord] = uint32(f.count(ord)) - counts[ord]
			}
		}
	default:
		f.column.tally(m.found, counts)
	}
}

// rest returns the documents that were not found: all of the part, or only those within the standing.
func (m *match) rest(within bool) *roaring.Bitmap {
	of, from := &m.others, m.everything
	if within {
		of, from = &m.othersWithin, func() *roaring.Bitmap { return m.within.docs }
	}
	if *of == nil {
		*of = roaring.AndNot(from(), m.found)
	}
	return *of
}

// topCounts keeps the largest numbers.
type topCounts struct {
	size   int
	counts []indexer.Count
	least  int // counts up to this are not among the largest
}

func (t *topCounts) add(value []byte, n int) {
	if n == 0 || n <= t.least {
		return
	}
	t.counts = append(t.counts, indexer.Count{Value: string(value), Docs: n})
	if len(t.counts) >= 2*t.size+16 {
		t.cut()
		t.least = t.counts[len(t.counts)-1].Docs
	}
}

func (t *topCounts) cut() {
	indexer.SortCounts(t.counts)
	t.counts = slices.Delete(t.counts, min(t.size, len(t.counts)), len(t.counts))
}

func (t *topCounts) sorted() []indexer.Count {
	t.cut()
	return t.counts
}
