// Package runlog keeps a bounded part of the log of a run, without the values of secrets.
package runlog

import (
	"fmt"
	"strings"
	"sync"
)

// Log keeps the beginning and the end of the text that is written to it. It is safe for concurrent use.
type Log struct {
	mask *Mask

	mu sync.Mutex
	// pending was written and may be the beginning of a secret.
	pending []byte
	head    []byte
	// tail is a ring: its oldest byte is at next once it is full.
	tail []byte
	next int
	// written counts the bytes that left the mask.
	written int64
	// scratch is used again by each write.
	scratch []byte
	// headSize and tailSize are how many bytes are kept.
	headSize, tailSize int
}

// New makes a log that keeps about size bytes and in which the mask, which may be nil, has replaced secrets.
func New(size int, mask *Mask) *Log {
	if mask == nil {
		mask = &Mask{}
	}
	return &Log{mask: mask, headSize: size / 2, tailSize: size - size/2}
}

// Write implements io.Writer. It never fails.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		part := rest[:min(len(rest), 64<<10)]
		rest = rest[len(part):]
		l.pending = append(l.pending, part...)
		l.pass(false)
	}
	return len(p), nil
}

// Print writes a line of the executor's own.
func (l *Log) Print(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(true)
	if l.written > 0 && l.last() != '\n' {
		l.retain([]byte{'\n'})
	}
	l.pending = append(l.pending, fmt.Sprintf(format, args...)+"\n"...)
	l.pass(true)
}

// pass moves the pending text through the mask.
func (l *Log) pass(all bool) {
	if l.mask.longest == 0 {
		l.retain(l.pending)
		l.pending = l.pending[:0]
		return
	}
	masked, used := l.mask.replace(l.scratch[:0], l.pending, all)
	l.retain(masked)
	l.scratch = masked
	l.pending = append(l.pending[:0], l.pending[used:]...)
}

func (l *Log) retain(text []byte) {
	l.written += int64(len(text))
	if room := l.headSize - len(l.head); room > 0 {
		n := min(room, len(text))
		l.head, text = append(l.head, text[:n]...), text[n:]
	}
	if over := len(text) - l.tailSize; over > 0 {
		text = text[over:]
	}
	if room := l.tailSize - len(l.tail); room > 0 {
		n := min(room, len(text))
		l.tail, text = append(l.tail, text[:n]...), text[n:]
	}
	for len(text) > 0 {
		n := copy(l.tail[l.next:], text)
		text, l.next = text[n:], (l.next+n)%l.tailSize
	}
}

func (l *Log) last() byte {
	switch {
	case len(l.tail) == 0:
		return l.head[len(l.head)-1]
	case len(l.tail) < l.tailSize:
		return l.tail[len(l.tail)-1]
	}
	return l.tail[(l.next+l.tailSize-1)%l.tailSize]
}

// end returns the kept end, oldest first.
func (l *Log) end() []byte { return append(append([]byte{}, l.tail[l.next:]...), l.tail[:l.next]...) }

// Text returns the log: whole, or its beginning and its end with how much is left out between.
func (l *Log) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(true)
	left := l.written - int64(len(l.head)+len(l.tail))
	text := string(l.head)
	if left > 0 {
		text += fmt.Sprintf("\n[%d bytes are left out here]\n", left)
	}
	return valid(text + string(l.end()))
}

// Tail returns at most n bytes of the end of the log, from the beginning of a line, and how many bytes the log
// has had so far. Text that may be the beginning of a secret is not in it yet.
func (l *Log) Tail(n int) (text string, written int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.end()
	if l.written == int64(len(l.head)+len(l.tail)) {
		kept = append(append([]byte{}, l.head...), kept...)
	}
	if len(kept) <= n {
		return valid(string(kept)), l.written
	}
	kept = kept[len(kept)-n:]
	if _, from, ok := strings.Cut(string(kept), "\n"); ok && from != "" {
		return valid(from), l.written
	}
	return valid(string(kept)), l.written
}

// Mask masks a text that is kept beside the log, such as a report.
func (l *Log) Mask(text string) string { return l.mask.Text(text) }

// valid returns a text as valid UTF-8 without zero bytes, which no store takes.
func valid(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}
