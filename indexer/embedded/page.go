package embedded

import (
	"bytes"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
)

// located is a document with its part.
type located struct {
	part *part
	doc  uint32
}

// set is a set of documents of one part.
type set struct {
	part *part
	docs *roaring.Bitmap
}

// scanned is the number of documents up to which a page is reached by passing over them one
// by one; a page further on is searched for.
const scanned = 256

// inURNOrder orders the documents of all sets by URN and appends at most take of them,
// after the first skip.
func inURNOrder(sets []set, skip, take int, to []located) []located {
	cursors := make([]setCursor, len(sets))
	for i, s := range sets {
		cursors[i] = setCursor{set: s}
	}
	if skip > scanned {
		skip -= jump(cursors, skip)
	}
	for i := range cursors {
		cursors[i].start()
	}
	for ; take > 0; skip-- {
		least := -1
		for i := range cursors {
			if cursors[i].ok && (least < 0 || bytes.Compare(cursors[i].urn, cursors[least].urn) < 0) {
				least = i
			}
		}
		if least < 0 {
			return to
		}
		c := &cursors[least]
		if skip <= 0 {
			to = append(to, located{c.part, c.doc})
			take--
		}
		c.next()
	}
	return to
}

// setCursor is a position in a set.
type setCursor struct {
	set
	iterator roaring.IntPeekable
	from     uint32 // the position: documents before it are passed over
	doc      uint32
	urn      []byte
	ok       bool
}

func (c *setCursor) start() {
	c.iterator = c.docs.Iterator()
	c.iterator.AdvanceIfNeeded(c.from)
	c.next()
}

func (c *setCursor) next() {
	if c.ok = c.iterator.HasNext(); c.ok {
		c.doc = c.iterator.Next()
		c.urn = c.part.urn(c.doc)
	}
}

// before returns how many documents of the set have a URN before the given one, and the
// first document whose URN is not before it.
func (c *setCursor) before(urn []byte) (n int, from uint32) {
	from = uint32(c.part.urns.from(urn))
	if from == 0 {
		return 0, 0
	}
	return int(c.docs.Rank(from - 1)), from
}

// jump moves the cursors to the document that has exactly skip documents before it in all
// sets, or to a document shortly before that one. It returns how many documents the cursors
// pass over.
func jump(cursors []setCursor, skip int) (passed int) {
	var start []byte
	for i := range cursors {
		c := &cursors[i]
		n := int(c.docs.GetCardinality())
		// The last document of this set that has at most skip documents of all sets before
		// it.
		after := sort.Search(n, func(k int) bool {
			urn := c.part.urn(c.at(k))
			before := 0
			for other := range cursors {
				n, _ := cursors[other].before(urn)
				before += n
			}
			return before > skip
		})
		if after == 0 {
			continue
		}
		if urn := c.part.urn(c.at(after - 1)); start == nil || bytes.Compare(urn, start) > 0 {
			start = urn
		}
	}
	if start == nil {
		return 0
	}
	for i := range cursors {
		n, from := cursors[i].before(start)
		cursors[i].from = from
		passed += n
	}
	return passed
}

// at returns the k-th document of the set.
func (c *setCursor) at(k int) uint32 {
	doc, err := c.docs.Select(uint32(k))
	if err != nil {
		panic(err) // k is less than the number of documents, so Select cannot fail
	}
	return doc
}
