package embedded

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/headwater-io/headwater/indexer"
)

// The limits of one completion.
const (
	maxCompletionWords = 6
	maxCompletionBytes = 64
)

// entry is a document to be indexed.
type entry struct {
	*indexer.Document
	hash uint64
}

// builder collects documents and makes a segment of them.
type builder struct {
	doc     uint32
	fields  map[string]*fieldBuilder
	numbers map[numbersKey]*numbersEncoder
}

type numbersKey struct {
	name  string
	shown bool
}

// fieldBuilder collects the texts of a field. Texts are numbered in the order in which they
// are added.
type fieldBuilder struct {
	ids   map[string]uint32 // nil while the field has at most fewTexts texts
	texts []string
	docs  []docList
	// column: the field also records which texts each document has.
	column bool
	rows   []uint32 // rows[i] is a document
	rowIDs []uint32 // rowIDs[i] is the number of a text of document rows[i]
}

// docList is a list of documents in ascending order. The first is stored in place, because
// most texts have one document.
type docList struct {
	first uint32
	rest  []uint32
}

// add adds a document, and reports whether the list did not have it.
func (l *docList) add(doc uint32) bool {
	last := l.first
	if len(l.rest) > 0 {
		last = l.rest[len(l.rest)-1]
	}
	if last != doc {
		l.rest = append(l.rest, doc)
	}
	return last != doc
}

// buildSegment makes a segment in memory; no two documents have the same URN.
func buildSegment(entries []entry) (*segment, error) {
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.URN, b.URN) })
	b := builder{fields: map[string]*fieldBuilder{}, numbers: map[numbersKey]*numbersEncoder{}}
	hashes := make([]uint64, len(entries))
	urns := fieldEncoder{name: fieldURNs, identity: true}
	for i, d := range entries {
		b.doc = uint32(i)
		hashes[i] = d.hash
		urns.addText([]byte(d.URN))
		b.add(d.Document)
	}
	var out bytes.Buffer
	out.Grow(4096 * min(len(entries), 4))
	e := newEncoder(&out)
	e.begin(hashes)
	urns.write(e, len(entries))
	for _, name := range slices.Sorted(maps.Keys(b.fields)) {
		b.fields[name].write(e, name, len(entries))
	}
	for _, n := range b.numbers {
		n.write(e, len(entries))
	}
	if _, err := e.finish(); err != nil {
		return nil, err
	}
	return parseSegment(out.Bytes())
}

// add adds a document to the segment.
func (b *builder) add(d *indexer.Document) {
	for name, values := range d.Values {
		n, numeric := d.Numbers[name]
		if name == indexer.FieldURN || numeric && isDecimal(values, n) {
			continue
		}
		f := b.field(name, true)
		for _, value := range values {
			f.add(value, b.doc)
		}
	}
	for name, n := range d.Numbers {
		key := numbersKey{name, isDecimal(d.Values[name], n)}
		if b.numbers[key] == nil {
			b.numbers[key] = &numbersEncoder{name: name, shown: key.shown}
		}
		b.numbers[key].docs = append(b.numbers[key].docs, b.doc)
		b.numbers[key].values = append(b.numbers[key].values, n)
	}
	b.field(fieldType, true).add(d.Type, b.doc)
	b.field(fieldWeight, false).add(weightText(d.Weight), b.doc)
	b.field(fieldLength, false).add(strconv.Itoa(d.NameLength()), b.doc)
	for class, texts := range d.Text {
		f := b.field(fieldText+strconv.Itoa(class), false)
		for _, text := range texts {
			for token := range strings.FieldsSeq(text) {
				f.add(token, b.doc)
			}
		}
	}
	for name, texts := range d.Completions {
		for _, text := range texts {
			b.complete(name, text)
		}
	}
}

// isDecimal reports whether the only value is the number n in decimal.
func isDecimal(values []string, n int64) bool {
	return len(values) == 1 && values[0] == strconv.FormatInt(n, 10)
}

// weightText encodes a weight so that texts have the order of their weights.
func weightText(weight float64) string {
	return string(binary.BigEndian.AppendUint64(nil, math.Float64bits(weight)))
}

func weightOf(text []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(text)) }

// complete adds a completion under its whole text and under the rest of the text from each
// of its first words.
func (b *builder) complete(name, text string) {
	tokens, whole := indexer.Analyze(text)
	for i := range tokens[:min(len(tokens), maxCompletionWords)] {
		place := fieldFirst
		if i > 0 {
			place = fieldFurther
		}
		b.field(place+name, false).add(completionText(tokens[i:]), b.doc)
	}
	words := b.field(fieldWords, false)
	for _, token := range append(tokens, whole...) {
		words.add(token, b.doc)
	}
}

func completionText(tokens []string) string {
	text := strings.Join(tokens, " ")
	return text[:min(len(text), maxCompletionBytes)]
}

func (b *builder) field(name string, column bool) *fieldBuilder {
	f := b.fields[name]
	if f == nil {
		f = &fieldBuilder{column: column}
		b.fields[name] = f
	}
	return f
}

// fewTexts is the number of texts up to which find compares them one by one. Most segments
// are small, and a map costs more.
const fewTexts = 8

// find returns the number of a text, or the next free number if the text is new.
func (f *fieldBuilder) find(text string) (id uint32, known bool) {
	next := len(f.texts)
	if next < fewTexts {
		if i := slices.Index(f.texts, text); i >= 0 {
			return uint32(i), true
		}
		return uint32(next), false
	}
	if f.ids == nil {
		f.ids = make(map[string]uint32, 4*next)
		for i, text := range f.texts {
			f.ids[text] = uint32(i)
		}
	}
	if id, known = f.ids[text]; !known {
		id = uint32(next)
		f.ids[text] = id
	}
	return id, known
}

// add adds a text to a document. Adding it twice does nothing.
func (f *fieldBuilder) add(text string, doc uint32) {
	id, ok := f.find(text)
	if !ok {
		f.texts = append(f.texts, text)
		f.docs = append(f.docs, docList{first: doc})
	} else if !f.docs[id].add(doc) {
		return
	}
	if f.column {
		f.rows, f.rowIDs = append(f.rows, doc), append(f.rowIDs, id)
	}
}

func (f *fieldBuilder) write(e *encoder, name string, docs int) {
	order := make([]uint32, len(f.texts))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(f.texts[a], f.texts[b]) })
	encoded := fieldEncoder{name: name}
	ords := make([]uint32, len(order))
	var list []uint32
	var text []byte
	for ord, id := range order {
		ords[id] = uint32(ord)
		list = append(append(list[:0], f.docs[id].first), f.docs[id].rest...)
		text = append(text[:0], f.texts[id]...)
		encoded.add(text, list)
	}
	encoded.column.used = f.column
	var row []uint32
	for i := 0; i < len(f.rows); {
		doc := f.rows[i]
		row = row[:0]
		for ; i < len(f.rows) && f.rows[i] == doc; i++ {
			row = append(row, ords[f.rowIDs[i]])
		}
		encoded.column.add(doc, row)
	}
	encoded.write(e, docs)
}

// hashOf identifies the content of a document. The hasher's memory is used again for each
// document.
func (h *hasher) hashOf(d *indexer.Document) uint64 {
	*h = (*h)[:0]
	h.texts(d.URN, d.Type)
	h.number(math.Float64bits(d.Weight))
	h.number(uint64(len(d.Values)))
	for _, name := range slices.Sorted(maps.Keys(d.Values)) {
		h.texts(name)
		h.texts(d.Values[name]...)
	}
	h.number(uint64(len(d.Numbers)))
	for _, name := range slices.Sorted(maps.Keys(d.Numbers)) {
		h.texts(name)
		h.number(uint64(d.Numbers[name]))
	}
	for _, texts := range d.Text {
		h.texts(texts...)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Completions)) {
		h.texts(name)
		h.texts(d.Completions[name]...)
	}
	return xxhash.Sum64(*h)
}

// hasher collects the bytes of a document for its hash. Each text has its length before it,
// so that different documents have different bytes.
type hasher []byte

func (h *hasher) texts(texts ...string) {
	h.number(uint64(len(texts)))
	for _, text := range texts {
		h.number(uint64(len(text)))
		*h = append(*h, text...)
	}
}

func (h *hasher) number(n uint64) { *h = binary.LittleEndian.AppendUint64(*h, n) }
