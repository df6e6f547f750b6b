package embedded

import (
	"encoding/binary"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
)

// column says for each document which texts of a dictionary it has, in their order in the document.
// If few documents have a text, docs lists these documents; otherwise the column has a row for
// every document. If every row has one text at most, ends is empty, and ords has the ordinal plus
// one, or zero.
type column struct {
	docs, ends, ords []byte
	width            int // bytes of an ordinal
	rows             int
	segment          int // documents of the segment
	present          bool
}

func (c *column) ord(i int) uint32 {
	switch c.width {
	case 1:
		return uint32(c.ords[i])
	case 2:
		return uint32(binary.LittleEndian.Uint16(c.ords[2*i:]))
	case 3:
		return uint32(c.ords[3*i]) | uint32(c.ords[3*i+1])<<8 | uint32(c.ords[3*i+2])<<16
	}
	return numberAt(c.ords, i)
}

// row returns the row of a document.
func (c *column) row(doc uint32) (int, bool) {
	if c.docs == nil {
		return int(doc), true
	}
	i := sort.Search(c.rows, func(i int) bool { return numberAt(c.docs, i) >= doc })
	return i, i < c.rows && numberAt(c.docs, i) == doc
}

// at appends the ordinals of the document's texts to a list.
func (c *column) at(doc uint32, to []uint32) []uint32 {
	if !c.present {
		return to
	}
	row, ok := c.row(doc)
	if !ok {
		return to
	}
	return c.inRow(row, to)
}

func (c *column) inRow(row int, to []uint32) []uint32 {
	if c.ends == nil {
		if ord := c.ord(row); ord > 0 {
			to = append(to, ord-1)
		}
		return to
	}
	for i := int(numberAt(c.ends, row)); i < int(numberAt(c.ends, row+1)); i++ {
		to = append(to, c.ord(i))
	}
	return to
}

// all returns the documents that have at least one text.
func (c *column) all() *roaring.Bitmap {
	if !c.present {
		return roaring.New()
	}
	dense := make([]uint64, (c.segment+63)/64)
	for row := range c.rows {
		has := c.ends == nil && c.ord(row) > 0 || c.ends != nil && numberAt(c.ends, row) < numberAt(c.ends, row+1)
		switch {
		case !has:
		case c.docs == nil:
			dense[row/64] |= 1 << (row % 64)
		default:
			doc := numberAt(c.docs, row)
			dense[doc/64] |= 1 << (doc % 64)
		}
	}
	return roaring.FromDense(dense, false)
}

// tally adds one to the count of each text of each of the documents.
func (c *column) tally(docs *roaring.Bitmap, counts []uint32) {
	if !c.present {
		return
	}
	if c.docs != nil && c.rows < int(docs.GetCardinality()) {
		for row := range c.rows {
			if docs.Contains(numberAt(c.docs, row)) {
				c.tallyRow(row, counts)
			}
		}
		return
	}
	var buffer [256]uint32
	many := docs.ManyIterator()
	for {
		n := many.NextMany(buffer[:])
		if n == 0 {
			return
		}
		for _, doc := range buffer[:n] {
			if row, ok := c.row(doc); ok {
				c.tallyRow(row, counts)
			}
		}
	}
}

func (c *column) tallyRow(row int, counts []uint32) {
	if c.ends == nil {
		if ord := c.ord(row); ord > 0 {
			counts[ord-1]++
		}
		return
	}
	for i := int(numberAt(c.ends, row)); i < int(numberAt(c.ends, row+1)); i++ {
		counts[c.ord(i)]++
	}
}

// least returns the smallest ordinal of a document's texts: that of the document's first
// text in order.
func (c *column) least(doc uint32, buffer []uint32) (ord int, ok bool) {
	ords := c.at(doc, buffer[:0])
	if len(ords) == 0 {
		return 0, false
	}
	least := ords[0]
	for _, ord := range ords[1:] {
		least = min(least, ord)
	}
	return int(least), true
}

// numbers are the values of a numeric field: one for each document in docs, or for
// every document if docs is empty.
type numbers struct {
	docs, values []byte
	rows         int
	segment      int // documents of the segment
	// shown: the documents have the numbers as texts too, which hits return.
	shown bool
}

func (n *numbers) value(row int) int64 { return int64(binary.LittleEndian.Uint64(n.values[8*row:])) }

// at returns the number of a document.
func (n *numbers) at(doc uint32) (int64, bool) {
	row := int(doc)
	if n.docs != nil {
		row = sort.Search(n.rows, func(i int) bool { return numberAt(n.docs, i) >= doc })
		if row == n.rows || numberAt(n.docs, row) != doc {
			return 0, false
		}
	}
	return n.value(row), true
}

// between returns the documents with a number from from to to, inclusive.
func (n *numbers) between(from, to int64) *roaring.Bitmap {
	dense := make([]uint64, (n.segment+63)/64)
	for row := range n.rows {
		if v := n.value(row); v >= from && v <= to {
			doc := row
			if n.docs != nil {
				doc = int(numberAt(n.docs, row))
			}
			dense[doc/64] |= 1 << (doc % 64)
		}
	}
	return roaring.FromDense(dense, false)
}
