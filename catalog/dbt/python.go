package dbt

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// The client writes values of the project as Python writes them: custom properties, arguments of tests. These functions
// write the same texts.

// pythonText returns Python's str of a JSON value: strings stay, true becomes True, lists and objects become their
// literals. The absent value is None.
func pythonText(value json.RawMessage) string {
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return text
	}
	return pythonLiteral(value)
}

func pythonLiteral(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0 || string(value) == "null":
		return "None"
	case string(value) == "true":
		return "True"
	case string(value) == "false":
		return "False"
	case value[0] == '"':
		var text string
		_ = json.Unmarshal(value, &text) // cannot fail, because the artifact was decoded before
		return pythonQuoted(text)
	case value[0] == '[':
		return "[" + joined(list(value), pythonLiteral, ", ") + "]"
	case value[0] == '{':
		var o object
		_ = o.UnmarshalJSON(value) // cannot fail either
		parts := make([]string, len(o.names))
		for i, name := range o.names {
			parts[i] = pythonQuoted(name) + ": " + pythonLiteral(o.values[name])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return pythonNumber(string(value))
}

// pythonNumber returns Python's spelling of a JSON number.
func pythonNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0"
		}
		return text
	}
	f, _ := strconv.ParseFloat(text, 64) // a number out of range becomes infinite, in Python too
	switch size := math.Abs(f); {
	case math.IsInf(f, 0):
		return strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "+Inf", "inf", 1)
	case size != 0 && (size < 1e-4 || size >= 1e16):
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	if text = strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// pythonQuoted returns Python's literal of a string.
func pythonQuoted(text string) string {
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

// pythonJSON returns a JSON value as Python's json.dumps writes it. The absent value is null.
func pythonJSON(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0:
		return "null"
	case value[0] == '"':
		var text string
		_ = json.Unmarshal(value, &text) // cannot fail, because the artifact was decoded before
		return asciiQuoted(text)
	case value[0] == '[':
		return "[" + joined(list(value), pythonJSON, ", ") + "]"
	case value[0] == '{':
		var o object
		_ = o.UnmarshalJSON(value) // cannot fail either
		parts := make([]string, len(o.names))
		for i, name := range o.names {
			parts[i] = asciiQuoted(name) + ": " + pythonJSON(o.values[name])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case strings.ContainsAny(string(value[:1]), "-0123456789"):
		return pythonNumber(string(value))
	}
	return string(value)
}

// asciiQuoted returns a JSON string in ASCII.
func asciiQuoted(text string) string {
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

// list returns the elements of a JSON list, nil for any other value.
func list(value json.RawMessage) []json.RawMessage {
	var elements []json.RawMessage
	_ = json.Unmarshal(value, &elements) // another value has no elements
	return elements
}

func joined(values []json.RawMessage, write func(json.RawMessage) string, separator string) string {
	parts := make([]string, len(values))
	for i, value := range values {
		parts[i] = write(value)
	}
	return strings.Join(parts, separator)
}

// isTrue reports whether Python counts a JSON value as true.
func isTrue(value json.RawMessage) bool {
	switch text := pythonLiteral(value); text {
	case "None", "False", "''", "[]", "{}", "0", "0.0", "-0.0":
		return false
	}
	return true
}

// guid returns the id that the client makes of a key: a digest of its members.
func guid(key map[string]string) string {
	parts := []string{}
	for _, name := range slices.Sorted(maps.Keys(key)) {
		if key[name] != "" {
			parts = append(parts, asciiQuoted(name)+":"+asciiQuoted(key[name]))
		}
	}
	sum := md5.Sum([]byte("{" + strings.Join(parts, ",") + "}"))
	return hex.EncodeToString(sum[:])
}
