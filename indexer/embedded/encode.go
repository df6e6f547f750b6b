package embedded

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cespare/xxhash/v2"
)

// encoder writes a segment.
type encoder struct {
	to      io.Writer
	at      uint64
	sum     *xxhash.Digest
	toc     []byte
	entries []byte
	count   int
	err     error
	buffer  []byte
}

// maxSection is the largest size in bytes of the texts, and of the document lists, of one
// field.
const maxSection = math.MaxInt32

var errTooLarge = errors.New("the documents are too large for one segment of the search index")

func newEncoder(to io.Writer) *encoder {
	e := &encoder{to: to, sum: xxhash.New()}
	e.write([]byte(segmentMark))
	return e
}

func (e *encoder) write(b []byte) {
	if e.err != nil {
		return
	}
	_, _ = e.sum.Write(b) // a hash accepts all bytes
	_, e.err = e.to.Write(b)
	e.at += uint64(len(b))
}

// section writes a section and names it in the table of contents.
func (e *encoder) section(b []byte) {
	if len(b) > maxSection {
		e.err = errors.Join(e.err, errTooLarge)
		return
	}
	e.number(int(e.at))
	e.number(len(b))
	e.write(b)
}

func (e *encoder) number(n int) { e.entries = binary.AppendUvarint(e.entries, uint64(n)) }

func (e *encoder) string(text string) {
	e.number(len(text))
	e.entries = append(e.entries, text...)
}

// row writes 32-bit numbers as a section.
func (e *encoder) row(numbers []uint32) {
	e.buffer = e.buffer[:0]
	for _, n := range numbers {
		e.buffer = binary.LittleEndian.AppendUint32(e.buffer, n)
	}
	e.section(e.buffer)
}

// begin writes the part of the segment before the fields.
func (e *encoder) begin(hashes []uint64) {
	e.number(len(hashes))
	e.buffer = e.buffer[:0]
	for _, h := range hashes {
		e.buffer = binary.LittleEndian.AppendUint64(e.buffer, h)
	}
	e.section(e.buffer)
	e.toc, e.entries = e.entries, nil
}

// finish writes the part of the segment after the fields, and returns the hash of the whole
// segment.
func (e *encoder) finish() (sum uint64, err error) {
	e.toc = binary.AppendUvarint(e.toc, uint64(e.count))
	e.toc = append(e.toc, e.entries...)
	trailer := binary.LittleEndian.AppendUint64(nil, e.at)
	trailer = binary.LittleEndian.AppendUint64(trailer, uint64(len(e.toc)))
	e.write(append(e.toc, trailer...))
	sum = e.sum.Sum64()
	e.write(append(binary.LittleEndian.AppendUint64(nil, sum), segmentMark...))
	return sum, e.err
}

// fieldEncoder collects a field. Texts are added in order.
type fieldEncoder struct {
	name     string
	identity bool
	text     []byte
	ends     []uint32
	refs     []uint32
	lists    []byte
	column   columnEncoder
}

// add adds a text with its documents: at least one, in ascending order.
func (f *fieldEncoder) add(text []byte, docs []uint32) {
	f.addText(text)
	switch {
	case f.identity:
	case len(docs) == 1:
		f.refs = append(f.refs, docs[0]|single)
	default:
		f.refs = append(f.refs, uint32(len(f.lists)))
		f.lists = appendList(f.lists, docs)
	}
}

// addBitmap is add for many documents.
func (f *fieldEncoder) addBitmap(text []byte, docs *roaring.Bitmap) {
	f.addText(text)
	f.refs = append(f.refs, uint32(len(f.lists)))
	f.lists = binary.AppendUvarint(f.lists, docs.GetCardinality())
	f.lists = appendBitmap(f.lists, docs)
}

func (f *fieldEncoder) addText(text []byte) {
	if f.ends == nil {
		f.ends = append(f.ends, 0)
	}
	f.text = append(f.text, text...)
	f.ends = append(f.ends, uint32(len(f.text)))
}

func (f *fieldEncoder) len() int { return max(len(f.ends)-1, 0) }

// write writes the field; docs is the number of documents of the segment.
func (f *fieldEncoder) write(e *encoder, docs int) {
	if f.len() == 0 && !f.identity {
		return
	}
	if f.ends == nil {
		f.ends = []uint32{0}
	}
	e.count++
	e.number(entryField)
	e.string(f.name)
	bits := 0
	if f.identity {
		bits |= bitIdentity
	}
	column := f.column.used
	if column {
		bits |= f.column.bits(docs)
	}
	e.number(bits)
	e.number(f.len())
	e.section(f.text)
	e.row(f.ends)
	if !f.identity {
		e.row(f.refs)
		e.section(f.lists)
	}
	if column {
		f.column.write(e, docs, f.len())
	}
}

// columnEncoder collects the ordinals of documents. Documents are added in ascending order.
type columnEncoder struct {
	used             bool
	docs, ends, ords []uint32
}

// add adds a document; without texts it does nothing.
func (c *columnEncoder) add(doc uint32, ords []uint32) {
	if len(ords) == 0 {
		return
	}
	c.docs = append(c.docs, doc)
	c.ords = append(c.ords, ords...)
	c.ends = append(c.ends, uint32(len(c.ords)))
}

// many reports whether any document has several texts.
func (c *columnEncoder) many() bool { return len(c.ords) > len(c.docs) }

// sparse reports whether only few documents have texts.
func (c *columnEncoder) sparse(docs int) bool { return len(c.docs) < docs/4 }

func (c *columnEncoder) bits(docs int) int {
	bits := bitColumn
	if c.sparse(docs) {
		bits |= bitSparse
	}
	if c.many() || c.sparse(docs) {
		bits |= bitMany
	}
	return bits
}

func (c *columnEncoder) write(e *encoder, docs, texts int) {
	sparse, many := c.sparse(docs), c.many() || c.sparse(docs)
	if sparse {
		e.number(len(c.docs))
		e.row(c.docs)
	}
	if many {
		ends := append(make([]uint32, 0, docs+1), 0)
		next := 0
		for doc := range uint32(docs) {
			switch has := next < len(c.docs) && c.docs[next] == doc; {
			case has:
				ends = append(ends, c.ends[next])
				next++
			case !sparse:
				ends = append(ends, ends[len(ends)-1])
			}
		}
		e.row(ends)
		e.ordinals(c.ords, texts)
		return
	}
	ords := make([]uint32, docs)
	for i, doc := range c.docs {
		ords[doc] = c.ords[i] + 1
	}
	e.ordinals(ords, texts)
}

// ordinals writes each ordinal in the number of bytes that the largest one needs.
func (e *encoder) ordinals(ords []uint32, largest int) {
	width := 4
	switch {
	case largest < 1<<8:
		width = 1
	case largest < 1<<16:
		width = 2
	case largest < 1<<24:
		width = 3
	}
	e.number(width)
	e.buffer = e.buffer[:0]
	for _, ord := range ords {
		for i := range width {
			e.buffer = append(e.buffer, byte(ord>>(8*i)))
		}
	}
	e.section(e.buffer)
}

// numbersEncoder collects a numeric field. Documents are added in ascending order.
type numbersEncoder struct {
	name   string
	shown  bool
	docs   []uint32
	values []int64
}

func (n *numbersEncoder) write(e *encoder, docs int) {
	if len(n.docs) == 0 {
		return
	}
	e.count++
	e.number(entryNumbers)
	e.string(n.name)
	shown, bits := 0, 0
	if n.shown {
		shown = 1
	}
	if len(n.docs) < docs {
		bits = bitSparse
	}
	e.number(shown)
	e.number(bits)
	if bits&bitSparse != 0 {
		e.number(len(n.docs))
		e.row(n.docs)
	}
	e.buffer = e.buffer[:0]
	for _, v := range n.values {
		e.buffer = binary.LittleEndian.AppendUint64(e.buffer, uint64(v))
	}
	e.section(e.buffer)
}
