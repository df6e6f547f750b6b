package embedded

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/headwater-io/headwater/indexer"
)

// sortable is a document with its sort keys. The key of a text is the text's ordinal,
// because ordinals have the order of the texts within a segment.
type sortable struct {
	located
	keys []sortKey
}

type sortKey struct {
	n       int64
	missing bool
}

// sorted returns a page of the documents found, in the order of some fields and then of
// URNs.
func sorted(found []match, by []indexer.Sort, skip, take int) []located {
	var best []sortable
	for i := range found {
		best = append(best, found[i].first(by, skip+take)...)
	}
	if len(found) > 1 {
		slices.SortFunc(best, func(a, b sortable) int { return compareKeys(a, b, by, compareTexts) })
	}
	page := make([]located, 0, min(take, len(best)))
	for _, row := range best[min(skip, len(best)):min(skip+take, len(best))] {
		page = append(page, row.located)
	}
	return page
}

// sortedAtOnce is the smallest number of documents that are sorted at once before documents beyond
// the page are dropped.
const sortedAtOnce = 1024

// first returns the first of the found documents of the part in the given order, at most most.
func (m *match) first(by []indexer.Sort, most int) []sortable {
	var rows []sortable
	var last *sortable // documents that do not come before last cannot be in the result
	var buffer [16]uint32
	keys := make([]sortKey, len(by))
	compare := func(a, b sortable) int { return compareKeys(a, b, by, compareOrdinals) }
	cut := func() {
		slices.SortFunc(rows, compare)
		rows = rows[:min(most, len(rows))]
	}
	m.found.Iterate(func(doc uint32) bool {
		for i, key := range by {
			keys[i] = m.keyOf(doc, key, buffer[:])
		}
		row := sortable{located{m.part, doc}, keys}
		if last != nil && compare(row, *last) >= 0 {
			return true
		}
		row.keys = slices.Clone(keys)
		if rows = append(rows, row); len(rows) >= 2*most+sortedAtOnce {
			cut()
			last = &sortable{rows[most-1].located, rows[most-1].keys}
		}
		return true
	})
	cut()
	return rows
}

func (m *match) keyOf(doc uint32, by indexer.Sort, buffer []uint32) sortKey {
	switch {
	case by.Numeric:
		for _, column := range m.numbers[by.Field] {
			if n, ok := column.at(doc); ok {
				return sortKey{n: n}
			}
		}
	case by.Field == indexer.FieldURN:
		return sortKey{n: int64(doc)}
	default:
		if f := m.field(by.Field); f != nil {
			if ord, ok := f.column.least(doc, buffer); ok {
				return sortKey{n: int64(ord)}
			}
		}
	}
	return sortKey{missing: true}
}

// compareKeys compares two documents by each key and then by URN. A document without a key comes
// after the documents with the key.
func compareKeys(a, b sortable, by []indexer.Sort, compare func(a, b sortable, key int, by *indexer.Sort) int) int {
	for i := range by {
		switch x, y := a.keys[i], b.keys[i]; {
		case x.missing && y.missing:
		case x.missing:
			return 1
		case y.missing:
			return -1
		default:
			c := compare(a, b, i, &by[i])
			if by[i].Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
	}
	if a.part == b.part {
		return cmp.Compare(a.doc, b.doc)
	}
	return bytes.Compare(a.part.urn(a.doc), b.part.urn(b.doc))
}

// compareOrdinals compares a key of two documents of the same part.
func compareOrdinals(a, b sortable, key int, _ *indexer.Sort) int {
	return cmp.Compare(a.keys[key].n, b.keys[key].n)
}

// compareTexts compares a key of two documents of any parts.
func compareTexts(a, b sortable, key int, by *indexer.Sort) int {
	if by.Numeric || a.part == b.part {
		return compareOrdinals(a, b, key, by)
	}
	text := func(s sortable) []byte { return s.part.field(by.Field).at(int(s.keys[key].n)) }
	return bytes.Compare(text(a), text(b))
}
