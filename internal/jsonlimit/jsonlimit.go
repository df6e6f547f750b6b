// Package jsonlimit measures a JSON text before it is decoded. A few bytes of JSON can
// become hundreds of bytes of structures. The cost depends on the nesting and on the number
// of values. This package counts both in one pass, without storing the text.
//
// The pass does not check that the text is valid JSON; the decoder does.
package jsonlimit

import "fmt"

// Limits are the limits of a text. 0 means no limit, except for Depth.
type Limits struct {
	// Depth is the largest number of levels of nested lists and objects. It is at most
	// MaxDepth; 0 means MaxDepth.
	Depth int
	// Items is the largest number of values in the text: the elements of lists, the members
	// of objects, and the text itself.
	Items int
	// List is the largest number of elements of one list, or of members of one object.
	List int
	// Shallow is the depth up to which ShallowItems counts values.
	Shallow int
}

// MaxDepth is the deepest nesting that can be measured.
const MaxDepth = 128

// Error is the error of a text that exceeds a limit.
type Error struct {
	// What names the counted things, such as "values".
	What string
	// Limit is the exceeded limit.
	Limit int
}

func (e *Error) Error() string {
	return fmt.Sprintf("the JSON has more than %d %s", e.Limit, e.What)
}

// Scanner measures a text that comes in pieces. The zero value has only the limit MaxDepth;
// Reset sets others.
type Scanner struct {
	limits Limits
	depth  int
	// lists counts the separators at each depth.
	lists    [MaxDepth + 1]int
	items    int
	shallow  int
	inString bool
	escaped  bool
	inScalar bool
}

// Reset prepares the scanner for a new text.
func (s *Scanner) Reset(l Limits) {
	if l.Depth <= 0 || l.Depth > MaxDepth {
		l.Depth = MaxDepth
	}
	*s = Scanner{limits: l}
}

// Items returns the number of values so far. The name of a member counts as a value until
// its colon is read.
func (s *Scanner) Items() int { return s.items }

// ShallowItems returns the number of values that are inside at most Limits.Shallow lists and
// objects.
func (s *Scanner) ShallowItems() int { return s.shallow }

// Scan measures the next piece of the text.
func (s *Scanner) Scan(piece []byte) error {
	_, _, err := s.scan(piece, false)
	return err
}

// ScanValue measures the next piece, up to the end of the list or object with which the
// text begins. It returns how many bytes of the piece belong to this value, and whether the
// value has ended.
func (s *Scanner) ScanValue(piece []byte) (n int, done bool, err error) {
	return s.scan(piece, true)
}

// Kinds of bytes outside strings.
const (
	scalar = iota
	space
	open
	shut
	comma
	colon
	quote
)

var kinds = func() (k [256]uint8) {
	for b, kind := range map[byte]uint8{' ': space, '\t': space, '\n': space, '\r': space, '{': open, '[': open, '}': shut, ']': shut, ',': comma, ':': colon, '"': quote} {
		k[b] = kind
	}
	return k
}()

func (s *Scanner) scan(piece []byte, oneValue bool) (int, bool, error) {
	for i := 0; i < len(piece); i++ {
		if s.inString && !s.escaped { // most bytes are in strings
			for i < len(piece) && piece[i] != '"' && piece[i] != '\\' {
				i++
			}
			if i == len(piece) {
				break
			}
		}
		b := piece[i]
		if s.inString {
			switch {
			case s.escaped:
				s.escaped = false
			case b == '\\':
				s.escaped = true
			case b == '"':
				s.inString = false
			}
			continue
		}
		kind := kinds[b]
		if kind == scalar {
			if !s.inScalar {
				s.inScalar = true
				if err := s.begin(); err != nil {
					return i, false, err
				}
			}
			continue
		}
		s.inScalar = false
		if kind == space {
			continue
		}
		if err := s.structure(kind); err != nil {
			return i, false, err
		}
		if oneValue && kind == shut && s.depth == 0 {
			return i + 1, true, nil
		}
	}
	return len(piece), false, nil
}

// structure processes a byte outside strings, numbers and words.
func (s *Scanner) structure(kind uint8) error {
	switch kind {
	case quote:
		s.inString = true
		return s.begin()
	case open:
		if err := s.begin(); err != nil {
			return err
		}
		if s.depth++; s.depth > s.limits.Depth {
			return &Error{What: "lists and objects within each other", Limit: s.limits.Depth}
		}
		s.lists[s.depth] = 0
	case shut:
		s.depth = max(s.depth-1, 0)
	case comma:
		if s.lists[s.depth]++; s.limits.List > 0 && s.lists[s.depth] >= s.limits.List {
			return &Error{What: "items in one list or object", Limit: s.limits.List}
		}
	case colon: // the value before the colon was the name of a member
		s.items--
		if s.depth <= s.limits.Shallow {
			s.shallow--
		}
	}
	return nil
}

// begin counts a value. One value more than the limit is permitted, because the last one
// may be the name of a member.
func (s *Scanner) begin() error {
	s.items++
	if s.depth <= s.limits.Shallow {
		s.shallow++
	}
	if s.limits.Items > 0 && s.items > s.limits.Items+1 {
		return &Error{What: "values", Limit: s.limits.Items}
	}
	return nil
}

// Check measures a whole text and returns its number of values.
func Check(text []byte, l Limits) (items int, err error) {
	var s Scanner
	s.Reset(l)
	err = s.Scan(text)
	return s.items, err
}
