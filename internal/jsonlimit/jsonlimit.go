// Package jsonlimit measures a JSON text before it is decoded. A few bytes of JSON
// can become hundreds of bytes of structures. The cost follows from the nesting
// and the number of values, which are counted here in one pass that stores nothing.
//
// The pass does not check that the text is valid JSON; the decoder does.
package jsonlimit

import "fmt"

// Limits bound a text. 0 means no bound, except for Depth.
type Limits struct {
	// Depth is how many levels of nested lists and objects there may be; at most
	// MaxDepth, which is also what 0 means.
	Depth int
	// Items is how many values the text may have: every element of a list,
	// every member of an object, and the text itself.
	Items int
	// List is how many elements one list, or members one object, may have.
	List int
	// Shallow is the depth to which items are counted as shallow, too.
	Shallow int
}

// MaxDepth is the deepest nesting that can be measured.
const MaxDepth = 128

// Error says which limit a text exceeds.
type Error struct {
	// What names what there is too much of.
	What string
	// Limit is how much there may be.
	Limit int
}

func (e *Error) Error() string {
	return fmt.Sprintf("the JSON has more than %d %s", e.Limit, e.What)
}

// Scanner measures a text that comes in pieces. Its zero value has no bounds
// but MaxDepth; Reset sets them.
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

// Reset makes the scanner ready for a text.
func (s *Scanner) Reset(l Limits) {
	if l.Depth <= 0 || l.Depth > MaxDepth {
		l.Depth = MaxDepth
	}
	*s = Scanner{limits: l}
}

// Items is how many values there were so far. The name of a member is counted until
// its colon was read.
func (s *Scanner) Items() int { return s.items }

// ShallowItems is how many of them are within no more than Limits.Shallow
// lists and objects.
func (s *Scanner) ShallowItems() int { return s.shallow }

// Scan measures the next piece of the text.
func (s *Scanner) Scan(piece []byte) error {
	_, _, err := s.scan(piece, false)
	return err
}

// ScanValue measures the next piece up to the end of the list or object that
// the text begins with. It returns how many bytes belong to it, and whether it
// ended.
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
		if s.inString && !s.escaped { // most bytes are the text of strings
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

// structure processes a byte that belongs neither to a string nor to a number or word.
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
	case colon: // what came before was a name
		s.items--
		if s.depth <= s.limits.Shallow {
			s.shallow--
		}
	}
	return nil
}

// begin counts a value. One more is permitted for the name of a member.
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

// Check measures a whole text and returns how many values it has.
func Check(text []byte, l Limits) (items int, err error) {
	var s Scanner
	s.Reset(l)
	err = s.Scan(text)
	return s.items, err
}
