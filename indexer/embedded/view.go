package embedded

import (
	"bytes"
	"slices"
	"sync/atomic"
)

// view is one state of the index: its parts and its position. A view never changes. A
// reader holds the view, and so its segments stay mapped.
type view struct {
	parts  []part
	cursor string
	// holders is the number of readers, plus one while the view is current.
	holders atomic.Int64
}

func newView(parts []part, cursor string) *view {
	v := &view{parts: parts, cursor: cursor}
	v.holders.Store(1)
	for i := range parts {
		parts[i].holders.Add(1)
	}
	return v
}

// hold adds a holder to the view. It returns false if the view has no holder any more.
func (v *view) hold() bool {
	for {
		n := v.holders.Load()
		if n == 0 {
			return false
		}
		if v.holders.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release removes a holder from the view.
func (v *view) release() {
	if v.holders.Add(-1) > 0 {
		return
	}
	for i := range v.parts {
		_ = v.parts[i].release() // after an error, the next start deletes the file
	}
}

// find returns the part and the number of the document that has a URN.
func (v *view) find(urn []byte) (at source, ok bool) {
	for i := len(v.parts) - 1; i >= 0; i-- {
		p := &v.parts[i]
		if bytes.Compare(urn, p.urns.at(0)) < 0 || bytes.Compare(urn, p.urns.at(p.docs-1)) > 0 {
			continue
		}
		if doc, ok := p.find(urn); ok && !p.isGone(doc) {
			return source{i, doc}, true
		}
	}
	return source{}, false
}

// memory returns the size in bytes of the segments in memory.
func (v *view) memory() int {
	size := 0
	for i := range v.parts {
		if v.parts[i].mapped == nil {
			size += v.parts[i].size
		}
	}
	return size
}

// split returns the parts in memory and the parts in files.
func (v *view) split() (memory, files []part) {
	for _, p := range v.parts {
		if p.mapped == nil {
			memory = append(memory, p)
		} else {
			files = append(files, p)
		}
	}
	return memory, files
}

// indexOf returns the index of a segment in parts, or -1.
func indexOf(parts []part, s *segment) int {
	return slices.IndexFunc(parts, func(p part) bool { return p.segment == s })
}
