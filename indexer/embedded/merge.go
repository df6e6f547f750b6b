package embedded

import (
	"bytes"
	"container/heap"
	"errors"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// part is a segment, with the set of its documents that are gone: deleted, or replaced in another
// segment. The bitmap gone is never changed, only exchanged for another; nil means that no document
// is gone.
type part struct {
	*segment
	gone *roaring.Bitmap
}

func (p *part) isGone(doc uint32) bool { return p.gone != nil && p.gone.Contains(doc) }

// alive is the number of documents that are not gone.
func (p *part) alive() int {
	if p.gone == nil {
		return p.docs
	}
	return p.docs - int(p.gone.GetCardinality())
}

// dropped stands for the new number of a document that is gone.
const dropped = 1<<32 - 1

var errStopped = errors.New("the merge was stopped")

// merger makes one segment of several.
type merger struct {
	inputs []part
	// moved[i] maps each document of input i to its number in the new segment, or to
	// dropped.
	moved [][]uint32
	// sources has, for each document of the new segment, its input and its number in that
	// input.
	sources []source
	stopped func() bool
	// docs and dense are buffers for the documents of one text.
	docs  []uint32
	dense []uint64
}

type source struct {
	input int
	doc   uint32
}

// merge writes the documents of the inputs that are not gone as one segment, and returns
// its hash.
func (m *merger) merge(e *encoder) (sum uint64, err error) {
	urns := fieldEncoder{name: fieldURNs, identity: true}
	hashes := m.order(&urns)
	m.dense = make([]uint64, (len(m.sources)+63)/64)
	e.begin(hashes)
	urns.write(e, len(m.sources))
	segments := make([]*segment, len(m.inputs))
	for i := range m.inputs {
		segments[i] = m.inputs[i].segment
	}
	for _, name := range fieldNames(segments) {
		if name != fieldURNs {
			m.field(name, e)
		}
		if m.stopped() {
			return 0, errStopped
		}
	}
	m.numbers(e)
	return e.finish()
}

// order numbers the documents of the new segment in the order of their URNs.
func (m *merger) order(urns *fieldEncoder) (hashes []uint64) {
	m.moved = make([][]uint32, len(m.inputs))
	dictionaries := make([]*dictionary, len(m.inputs))
	for i := range m.inputs {
		m.moved[i] = make([]uint32, m.inputs[i].docs)
		dictionaries[i] = &m.inputs[i].urns.dictionary
	}
	inOrder(dictionaries, func(text []byte, at []place) {
		for _, p := range at { // at most one input has the URN in a document that is not gone
			if m.inputs[p.from].isGone(uint32(p.ord)) {
				m.moved[p.from][p.ord] = dropped
				continue
			}
			m.moved[p.from][p.ord] = uint32(len(m.sources))
			m.sources = append(m.sources, source{p.from, uint32(p.ord)})
			hashes = append(hashes, m.inputs[p.from].hash(p.ord))
			urns.addText(text)
		}
	})
	return hashes
}

// field merges one field.
func (m *merger) field(name string, e *encoder) {
	fields := make([]*field, len(m.inputs))
	dictionaries := make([]*dictionary, len(m.inputs))
	ords := make([][]uint32, len(m.inputs))
	encoded := fieldEncoder{name: name}
	for i := range m.inputs {
		if f := m.inputs[i].fields[name]; f != nil {
			fields[i], dictionaries[i], ords[i] = f, &f.dictionary, make([]uint32, f.n)
			encoded.column.used = encoded.column.used || f.column.present
		}
	}
	texts := 0
	placesOf(dictionaries).each(func(text []byte, at []place) bool {
		for _, p := range at {
			ords[p.from][p.ord] = uint32(encoded.len())
		}
		m.list(fields, at, text, &encoded)
		texts++
		return texts%1024 != 0 || !m.stopped()
	})
	if encoded.column.used && !m.stopped() {
		m.column(fields, ords, &encoded.column)
	}
	encoded.write(e, len(m.sources))
}

// list adds a text with its documents from all inputs. A text without documents is left
// out.
func (m *merger) list(fields []*field, at []place, text []byte, encoded *fieldEncoder) {
	total := 0
	for _, p := range at {
		total += fields[p.from].count(p.ord)
	}
	if total > len(m.sources)/32 && total > fewDocs {
		clear(m.dense)
		m.each(fields, at, func(doc uint32) { m.dense[doc/64] |= 1 << (doc % 64) })
		if b := roaring.FromDense(m.dense, true); b.GetCardinality() > fewDocs {
			encoded.addBitmap(text, b)
		} else if !b.IsEmpty() {
			encoded.add(text, b.ToArray())
		}
		return
	}
	m.docs = m.docs[:0]
	m.each(fields, at, func(doc uint32) { m.docs = append(m.docs, doc) })
	if len(m.docs) > 0 {
		slices.Sort(m.docs)
		encoded.add(text, m.docs)
	}
}

// each calls fn with the new number of each document of a text.
func (m *merger) each(fields []*field, at []place, fn func(doc uint32)) {
	for _, p := range at {
		moved := m.moved[p.from]
		renumber := func(doc uint32) {
			if to := moved[doc]; to != dropped {
				fn(to)
			}
		}
		large := fields[p.from].few(p.ord, renumber)
		if large == nil {
			continue
		}
		var buffer [256]uint32
		for many := large.ManyIterator(); ; {
			n := many.NextMany(buffer[:])
			if n == 0 {
				break
			}
			for _, doc := range buffer[:n] {
				renumber(doc)
			}
		}
	}
}

// column merges the columns of a field.
func (m *merger) column(fields []*field, ords [][]uint32, to *columnEncoder) {
	var row []uint32
	for doc, source := range m.sources {
		f := fields[source.input]
		if f == nil {
			continue
		}
		row = f.column.at(source.doc, row[:0])
		for i, ord := range row {
			row[i] = ords[source.input][ord]
		}
		to.add(uint32(doc), row)
	}
}

// numbers merges the numeric fields.
func (m *merger) numbers(e *encoder) {
	seen := map[numbersKey]bool{}
	for i := range m.inputs {
		for name, columns := range m.inputs[i].numbers {
			for _, column := range columns {
				if key := (numbersKey{name, column.shown}); !seen[key] {
					seen[key] = true
					m.number(key, e)
				}
			}
		}
	}
}

func (m *merger) number(key numbersKey, e *encoder) {
	columns := make([]*numbers, len(m.inputs))
	for i := range m.inputs {
		for _, column := range m.inputs[i].numbers[key.name] {
			if column.shown == key.shown {
				columns[i] = column
			}
		}
	}
	encoded := numbersEncoder{name: key.name, shown: key.shown}
	for doc, source := range m.sources {
		column := columns[source.input]
		if column == nil {
			continue
		}
		if v, ok := column.at(source.doc); ok {
			encoded.docs, encoded.values = append(encoded.docs, uint32(doc)), append(encoded.values, v)
		}
	}
	encoded.write(e, len(m.sources))
}

// place is the place of a text: an ordinal of one of several dictionaries.
type place struct {
	from, ord int
	text      []byte
	n         int
	in        *dictionary
}

// inOrder calls fn with every text of several dictionaries, in order and each once, and
// with all places of the text. A nil dictionary is skipped.
func inOrder(dictionaries []*dictionary, fn func(text []byte, at []place)) {
	placesOf(dictionaries).each(func(text []byte, at []place) bool { fn(text, at); return true })
}

// placesOf returns the first place of each dictionary. A nil dictionary is skipped.
func placesOf(dictionaries []*dictionary) places {
	var next places
	for i, d := range dictionaries {
		if d != nil && d.n > 0 {
			next = append(next, place{from: i, text: d.at(0), n: d.n, in: d})
		}
	}
	return next
}

// placeAt returns the place of ordinal ord in a field, for a walk that ends before ordinal
// end.
func placeAt(from int, f *field, ord, end int) place {
	return place{from: from, ord: ord, text: f.at(ord), n: end, in: &f.dictionary}
}

// each is inOrder from the given places to the end of each input. It ends when fn returns false.
func (p places) each(fn func(text []byte, at []place) (more bool)) {
	heap.Init(&p)
	var at []place
	for len(p) > 0 {
		at = at[:0]
		text := p[0].text
		for len(p) > 0 && bytes.Equal(p[0].text, text) {
			first := &p[0]
			at = append(at, *first)
			if first.ord++; first.ord < first.n {
				first.text = first.in.at(first.ord)
				heap.Fix(&p, 0)
			} else {
				heap.Pop(&p)
			}
		}
		if !fn(text, at) {
			return
		}
	}
}

// places is a heap of places, the smallest text first.
type places []place

func (p places) Len() int { return len(p) }
func (p places) Less(i, k int) bool {
	if c := bytes.Compare(p[i].text, p[k].text); c != 0 {
		return c < 0
	}
	return p[i].from < p[k].from
}
func (p places) Swap(i, k int) { p[i], p[k] = p[k], p[i] }
func (p *places) Push(v any)   { *p = append(*p, v.(place)) }
func (p *places) Pop() any {
	old := *p
	last := old[len(old)-1]
	*p = old[:len(old)-1]
	return last
}
