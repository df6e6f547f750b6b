// Package checktext finds invalid Unicode: bytes that are not UTF-8, and halves of
// surrogate pairs in JSON escapes. Decoders replace both with the same character,
// so that different texts would become equal.
package checktext

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// The errors that a check returns.
var (
	ErrEncoding  = errors.New("the text is not valid UTF-8")
	ErrSurrogate = errors.New("the text contains half of a surrogate pair")
)

// JSON returns an error if a JSON text contains invalid Unicode. It does not check the
// syntax.
func JSON(text []byte) error {
	if !utf8.Valid(text) {
		return ErrEncoding
	}
	if !bytes.Contains(text, []byte(`\u`)) {
		return nil
	}
	var c checker
	if err := c.add(text); err != nil {
		return err
	}
	return c.end()
}

// Reader checks the JSON text that is read through it. A read returns an error at the first
// invalid place.
type Reader struct {
	from    io.Reader
	checker checker
	err     error
}

// NewReader makes a Reader of from. Read returns the errors of this package for invalid
// text.
func NewReader(from io.Reader) *Reader { return &Reader{from: from} }

// Read reads the next part of the text and checks it.
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	if bad := r.checker.add(p[:n]); bad != nil {
		r.err = bad
		return 0, bad
	}
	if errors.Is(err, io.EOF) {
		if bad := r.checker.end(); bad != nil {
			r.err = bad
			return 0, bad
		}
	}
	return n, err
}

// The states of a checker.
const (
	plain  = iota
	escape // after a backslash
	digits // in the digits after \u
	paired // after the first half of a surrogate pair
	second // after the first half and a backslash
)

// checker checks a text piece by piece.
type checker struct {
	at int
	// rune has the first bytes of a character that is not complete.
	rune []byte
	// code is the value of the digits read so far, and left is the number of digits to come.
	// high: the previous escape was the first half of a surrogate pair.
	code rune
	left int
	high bool
}

func (c *checker) add(text []byte) error {
	for len(c.rune) > 0 && len(text) > 0 {
		c.rune = append(c.rune, text[0])
		text = text[1:]
		if utf8.FullRune(c.rune) {
			if !utf8.Valid(c.rune) {
				return ErrEncoding
			}
			c.rune = c.rune[:0]
		}
	}
	for i := 0; i < len(text); {
		if c.at == plain {
			if i += plainPrefix(text[i:]); i == len(text) {
				return nil
			}
		}
		b := text[i]
		if b < utf8.RuneSelf {
			if err := c.step(b); err != nil {
				return err
			}
			i++
			continue
		}
		if c.at == paired || c.at == second || c.at == digits && c.high {
			return ErrSurrogate
		}
		c.at = plain
		if !utf8.FullRune(text[i:]) {
			c.rune = append(c.rune[:0], text[i:]...)
			return nil
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return ErrEncoding
		}
		i += size
	}
	return nil
}

// plainPrefix returns the number of bytes before the first backslash or non-ASCII
// character.
func plainPrefix(text []byte) int {
	for i, b := range text {
		if b == '\\' || b >= utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

// step processes an ASCII byte. It ignores invalid JSON, which the decoder finds.
func (c *checker) step(b byte) error {
	switch c.at {
	case plain:
		if b == '\\' {
			c.at = escape
		}
	case paired:
		if b != '\\' {
			return ErrSurrogate
		}
		c.at = second
	case escape, second:
		if b == 'u' {
			c.high, c.at, c.code, c.left = c.at == second, digits, 0, 4
			return nil
		}
		if c.at == second {
			return ErrSurrogate
		}
		c.at = plain
	case digits:
		return c.digit(b)
	}
	return nil
}

func (c *checker) digit(b byte) error {
	switch {
	case b >= '0' && b <= '9':
		c.code = c.code<<4 | rune(b-'0')
	case b|0x20 >= 'a' && b|0x20 <= 'f':
		c.code = c.code<<4 | rune(b|0x20-'a'+10)
	default:
		c.at = plain
		return nil
	}
	if c.left--; c.left > 0 {
		return nil
	}
	c.at = plain
	low, high := c.code >= 0xDC00 && c.code < 0xE000, c.code >= 0xD800 && c.code < 0xDC00
	if low != c.high {
		return ErrSurrogate
	}
	if high {
		c.at = paired
	}
	return nil
}

// end returns an error if the text ends within a character or an escape.
func (c *checker) end() error {
	switch {
	case len(c.rune) > 0:
		return ErrEncoding
	case c.at == paired || c.at == second:
		return ErrSurrogate
	}
	return nil
}
