// Package screen writes text for people at a terminal: without characters that control the
// terminal, in tables, and not wider than the screen.
package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Replacement replaces a character that a terminal must not receive.
const Replacement = '\uFFFD'

// Line returns a text of other people as one line: without control characters and escape
// sequences, and with single spaces in place of all blanks.
func Line(text string) string {
	return strings.Join(strings.Fields(Text(text)), " ")
}

// Text cleans a text of other people that may have several lines. Line feeds and tabs
// remain. Other control characters, characters that change the direction of writing, and
// invalid bytes become Replacement.
func Text(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexFunc(text, isUnsafe) < 0 && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isUnsafe(r) {
			return Replacement
		}
		return r
	}, strings.ToValidUTF8(text, string(Replacement)))
}

// joiners are the format characters that are part of letters and symbols.
const joiners = "\u200c\u200d\u00ad"

func isUnsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.Is(unicode.Cf, r) && !strings.ContainsRune(joiners, r)
}

// JSON escapes those characters in the strings of a JSON text that a terminal must not
// receive. The meaning of the JSON text stays the same.
func JSON(text []byte) []byte {
	if strings.IndexFunc(string(text), isUnsafe) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range string(text) {
		if !isUnsafe(r) || r == '\r' {
			b.WriteRune(r)
			continue
		}
		high, low := rune(0), r
		if r > 0xFFFF { // written as a surrogate pair
			high, low = 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF
			writeEscape(&b, high)
		}
		writeEscape(&b, low)
	}
	return []byte(b.String())
}

func writeEscape(b *strings.Builder, r rune) {
	const digits = "0123456789abcdef"
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(digits[r>>shift&0xF])
	}
}
