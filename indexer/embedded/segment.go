package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/headwater-io/headwater/indexer"
)

// Names of fields that documents do not have under these names. After a colon follows the
// name of a field of documents.
const (
	hidden      = "\x00"
	fieldURNs   = hidden + "urn"
	fieldType   = hidden + "type"
	fieldWeight = hidden + "weight"
	// fieldLength is the number of words of the shortest name, as one digit.
	fieldLength = hidden + "length"
	// fieldText is followed by the digit of a text class.
	fieldText = hidden + "text"
	// fieldFirst has completions from their first word on, fieldFurther from each further
	// word on.
	fieldFirst   = hidden + "first:"
	fieldFurther = hidden + "further:"
	// fieldWords has the words of all completions.
	fieldWords = hidden + "words"
)

// field is the data of one field in a segment.
type field struct {
	name string
	dictionary
	postings
	column column
}

// segment is an immutable set of documents, numbered in the order of their URNs. Its bytes
// are in memory or in a file, and are read without copying them.
type segment struct {
	docs    int
	size    int
	hashes  []byte
	fields  map[string]*field
	numbers map[string][]*numbers
	// public lists the fields whose values hits return; shown lists the names of the numeric
	// fields whose values hits return.
	public []*field
	shown  []string
	urns   *field

	kept   kept
	mapped *mapping // nil for a segment in memory
	// holders is the number of views that have the segment.
	holders atomic.Int64
}

// The format of a segment: a mark, the sections, the table of contents, the position and
// size of the table, a hash of everything before, and the mark again.
const (
	segmentMark    = "HWSEG\x00\x00\x01"
	segmentTrailer = 8 + 8 + 8 + len(segmentMark)
)

// The kinds of entries in the table of contents.
const (
	entryField = iota
	entryNumbers
)

// Bits of a field's entry.
const (
	bitIdentity = 1 << iota
	bitColumn
	bitSparse
	bitMany
)

var errFormat = errors.New("the file is not a segment of a search index")

// parseSegment reads the table of contents. The sections are not copied.
func parseSegment(data []byte) (*segment, error) {
	n := len(data)
	if n < len(segmentMark)+segmentTrailer || string(data[:len(segmentMark)]) != segmentMark || string(data[n-len(segmentMark):]) != segmentMark {
		return nil, errFormat
	}
	trailer := data[n-segmentTrailer:]
	at, size := binary.LittleEndian.Uint64(trailer), binary.LittleEndian.Uint64(trailer[8:])
	if end := uint64(n - segmentTrailer); at > end || size != end-at {
		return nil, errFormat
	}
	c := contents{data: data[:at], toc: data[at : at+size]}
	s := &segment{size: n, fields: map[string]*field{}, numbers: map[string][]*numbers{}, docs: c.number()}
	s.hashes = c.section(8 * s.docs)
	for entries := c.number(); entries > 0 && c.err == nil; entries-- {
		switch kind := c.number(); kind {
		case entryField:
			s.addField(c.field(s.docs))
		case entryNumbers:
			name, column := c.numbers(s.docs)
			s.numbers[name] = append(s.numbers[name], column)
			if column != nil && column.shown && !strings.HasPrefix(name, "^") {
				s.shown = append(s.shown, name)
			}
		default:
			c.fail()
		}
	}
	s.urns = s.fields[fieldURNs]
	if c.err == nil && (s.urns == nil || s.urns.n != s.docs || !s.urns.identity) {
		c.fail()
	}
	if c.err != nil {
		return nil, c.err
	}
	return s, nil
}

func (s *segment) addField(f *field) {
	s.fields[f.name] = f
	if !strings.HasPrefix(f.name, hidden) && !strings.HasPrefix(f.name, "^") {
		s.public = append(s.public, f)
	}
}

// field returns a field of documents, or nil if no document of the segment has it.
func (s *segment) field(name string) *field {
	if name == indexer.FieldURN {
		return s.urns
	}
	return s.fields[name]
}

// urn returns the URN of a document. The caller must not use it after it has released the
// segment.
func (s *segment) urn(doc uint32) []byte { return s.urns.at(int(doc)) }

func (s *segment) hash(doc int) uint64 { return binary.LittleEndian.Uint64(s.hashes[8*doc:]) }

// find returns the document that has a URN.
func (s *segment) find(urn []byte) (doc uint32, ok bool) {
	i, ok := s.urns.find(urn)
	return uint32(i), ok
}

// contents reads a table of contents. After an error its methods return zero values.
type contents struct {
	data, toc []byte
	err       error
}

func (c *contents) fail() {
	if c.err == nil {
		c.err = fmt.Errorf("%w: its table of contents is wrong", errFormat)
	}
	c.toc = nil
}

func (c *contents) number() int {
	v, size := binary.Uvarint(c.toc)
	if size <= 0 || v > 1<<40 {
		c.fail()
		return 0
	}
	c.toc = c.toc[size:]
	return int(v)
}

func (c *contents) string() string {
	n := c.number()
	if n > len(c.toc) {
		c.fail()
		return ""
	}
	text := string(c.toc[:n])
	c.toc = c.toc[n:]
	return text
}

// section returns the next section of the table. Its size must be want bytes, unless want
// is negative. The result is not nil.
func (c *contents) section(want int) []byte {
	at, size := c.number(), c.number()
	if at > len(c.data) || size > len(c.data)-at || want >= 0 && size != want {
		c.fail()
		return make([]byte, max(want, 0)&0xffff)
	}
	return c.data[at : at+size : at+size]
}

func (c *contents) field(docs int) *field {
	f := &field{name: c.string()}
	bits := c.number()
	f.n = c.number()
	f.text, f.ends = c.section(-1), c.section(4*(f.n+1))
	if f.identity = bits&bitIdentity != 0; !f.identity {
		f.refs, f.lists = c.section(4*f.n), c.section(-1)
	}
	if c.err == nil && int(numberAt(f.ends, f.n)) > len(f.text) {
		c.fail()
	}
	if bits&bitColumn == 0 || c.err != nil {
		return f
	}
	f.column = column{present: true, rows: docs, segment: docs}
	if bits&bitSparse != 0 {
		f.column.rows = c.number()
		f.column.docs = c.section(4 * f.column.rows)
	}
	if bits&bitMany != 0 {
		f.column.ends = c.section(4 * (f.column.rows + 1))
	}
	f.column.width = c.number()
	f.column.ords = c.section(-1)
	return f
}

func (c *contents) numbers(docs int) (string, *numbers) {
	name := c.string()
	n := &numbers{rows: docs, segment: docs, shown: c.number() == 1}
	if bits := c.number(); bits&bitSparse != 0 {
		n.rows = c.number()
		n.docs = c.section(4 * n.rows)
	}
	n.values = c.section(8 * n.rows)
	return name, n
}

// fieldNames lists the names of the fields of several segments, in order.
func fieldNames(segments []*segment) []string {
	seen := map[string]bool{}
	for _, s := range segments {
		for name := range s.fields {
			seen[name] = true
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
