package embedded

import (
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// The documents of a value are stored in one of three forms. A single document is stored in
// the reference itself. A few documents are a row of differences. More are a bitmap, which
// is read without copying it.
const (
	single  = 1 << 31
	fewDocs = 48
)

// postings has, for each text of a dictionary, the documents that have it.
type postings struct {
	refs, lists []byte
	// identity: each ordinal is the number of its only document.
	identity bool
}

// list returns the row or bitmap that a reference names, and its number of documents. If
// the file is damaged while the index serves, list and few may panic; [view.guarded] turns
// the panic into an error.
func (p *postings) list(ref uint32) (count int, list []byte) {
	n, size := binary.Uvarint(p.lists[ref:])
	if size <= 0 {
		panic("a list of documents without a length")
	}
	return int(n), p.lists[int(ref)+size:]
}

// count returns how many documents have a text.
func (p *postings) count(ord int) int {
	if p.identity {
		return 1
	}
	ref := numberAt(p.refs, ord)
	if ref&single != 0 {
		return 1
	}
	count, _ := p.list(ref)
	return count
}

// few calls fn with each document of a text if there are few; otherwise it returns
// their bitmap, which must only be read.
func (p *postings) few(ord int, fn func(doc uint32)) *roaring.Bitmap {
	if p.identity {
		fn(uint32(ord))
		return nil
	}
	ref := numberAt(p.refs, ord)
	if ref&single != 0 {
		fn(ref &^ single)
		return nil
	}
	count, list := p.list(ref)
	if count > fewDocs {
		b := roaring.New()
		if _, err := b.FromBuffer(list); err != nil {
			panic(err)
		}
		return b
	}
	doc := uint64(0)
	for range count {
		step, size := binary.Uvarint(list)
		if size <= 0 {
			panic("a list of documents that ends too early")
		}
		doc, list = doc+step, list[size:]
		fn(uint32(doc))
	}
	return nil
}

// docs returns the documents of a text. The bitmap must only be read.
func (p *postings) docs(ord int) *roaring.Bitmap {
	b := roaring.New()
	if large := p.few(ord, b.Add); large != nil {
		return large
	}
	return b
}

// countIn counts those documents of a text that are in among.
func (p *postings) countIn(ord int, among *roaring.Bitmap) int {
	n := 0
	large := p.few(ord, func(doc uint32) {
		if among.Contains(doc) {
			n++
		}
	})
	if large != nil {
		n = int(large.AndCardinality(among))
	}
	return n
}

// union collects the documents of many texts.
type union struct {
	docs  int // number of documents of the segment
	few   []uint32
	dense []uint64
	large []*roaring.Bitmap
}

// add adds the documents of a text.
func (u *union) add(p *postings, ord int) {
	if large := p.few(ord, u.doc); large != nil {
		u.large = append(u.large, large)
	}
	if len(u.large) >= 64 {
		u.large = []*roaring.Bitmap{roaring.FastOr(u.large...)}
	}
}

func (u *union) doc(doc uint32) {
	if u.dense != nil {
		u.dense[doc/64] |= 1 << (doc % 64)
		return
	}
	u.few = append(u.few, doc)
	if len(u.few) > 256 && len(u.few) > u.docs/64 {
		u.dense = make([]uint64, (u.docs+63)/64)
		for _, d := range u.few {
			u.dense[d/64] |= 1 << (d % 64)
		}
		u.few = nil
	}
}

// bitmap returns the collected documents.
func (u *union) bitmap() *roaring.Bitmap {
	var b *roaring.Bitmap
	if u.dense != nil {
		b = roaring.FromDense(u.dense, false)
	} else {
		slices.Sort(u.few)
		b = roaring.BitmapOf(u.few...)
	}
	if len(u.large) > 0 {
		b = roaring.FastOr(append(u.large, b)...)
	}
	return b
}

// appendList encodes a list of at least two documents in ascending order.
func appendList(to []byte, docs []uint32) []byte {
	to = binary.AppendUvarint(to, uint64(len(docs)))
	if len(docs) > fewDocs {
		return appendBitmap(to, roaring.BitmapOf(docs...))
	}
	last := uint32(0)
	for _, doc := range docs {
		to = binary.AppendUvarint(to, uint64(doc-last))
		last = doc
	}
	return to
}

func appendBitmap(to []byte, b *roaring.Bitmap) []byte {
	b.RunOptimize()
	text, err := b.ToBytes()
	if err != nil {
		panic(err) // ToBytes writes to memory, which cannot fail
	}
	return append(to, text...)
}
