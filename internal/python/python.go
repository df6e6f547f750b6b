// Package python writes values as Python writes them: the client makes texts and digests of values in this way.
package python

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// truths are the texts that the client's settings take as truth values.
var truths = map[string]bool{"true": true, "yes": true, "on": true, "1": true, "t": true, "y": true, "false": false, "no": false, "off": false, "0": false, "f": false, "n": false}

// Truth returns the truth value that a text means in a setting of the client, in any letter case; false if it means none.
func Truth(text string) (value, known bool) {
	value, known = truths[strings.ToLower(text)]
	return value, known
}

// Number returns Python's spelling of a JSON number.
func Number(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0"
		}
		return text
	}
	f, _ := strconv.ParseFloat(text, 64) // a number out of range becomes infinite, in Python too
	return Float(f)
}

// Float returns Python's spelling of a floating-point number.
func Float(f float64) string {
	switch size := math.Abs(f); {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+")
	case size != 0 && (size < 1e-4 || size >= 1e16):
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// Quoted returns Python's literal of a string.
func Quoted(text string) string {
	quote := '\''
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range text {
		switch {
		case r == quote || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

// JSONString returns a JSON string in ASCII.
func JSONString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}
	for _, r := range text {
		switch {
		case short[r] != "":
			b.WriteString(short[r])
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// GUID returns the id that the client makes of a key: a digest of its members.
func GUID(key map[string]string) string {
	parts := []string{}
	for _, name := range slices.Sorted(maps.Keys(key)) {
		if key[name] != "" {
			parts = append(parts, JSONString(name)+":"+JSONString(key[name]))
		}
	}
	sum := md5.Sum([]byte("{" + strings.Join(parts, ",") + "}"))
	return hex.EncodeToString(sum[:])
}

// Bytes returns Python's literal of bytes.
func Bytes(value []byte) string {
	quote := byte('\'')
	if strings.Contains(string(value), "'") && !strings.Contains(string(value), `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteByte('b')
	b.WriteByte(quote)
	for _, c := range value {
		switch {
		case c == quote || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c >= ' ' && c <= '~':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	b.WriteByte(quote)
	return b.String()
}
