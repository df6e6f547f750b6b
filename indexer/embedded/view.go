package embedded

import (
	"bytes"
	"slices"
	"sync/atomic"
)

// view is one state of the index: segments, what is gone of them, and the position.
// It never changes. Who reads it holds it, and so its segments stay mapped.
type view struct {
	parts  []part
	cursor string
	// holders is the number of those who read the view, and one while it is current.
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

// hold takes hold of the view, unless nobody has it any longer.
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

// release lets go of the view.
func (v *view) release() {
	if v.holders.Add(-1) > 0 {
		return
	}
	for i := range v.parts {
		_ = v.parts[i].release() // the next start removes what is left of it
	}
}

// find returns where the document of a URN is.
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

// memory is the size of the segments that are in memory.
func (v *view) memory() int {
	size := 0
	for i := range v.parts {
		if v.parts[i].mapped == nil {
			size += v.parts[i].size
		}
	}
	return size
}

// split returns the parts in memory and those in files.
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

// indexOf returns the place of a segment among parts, -1 if it is not there.
func indexOf(parts []part, s *segment) int {
	return slices.IndexFunc(parts, func(p part) bool { return p.segment == s })
}
