package python

import "strings"

// controls are the characters that letters behind a backslash mean.
var controls = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\'}

// Template returns the text that Python's re.sub inserts for a template without references to groups. fits is false if Python
// refuses the template: it ends with a backslash, or a backslash is before a letter or a digit that mean nothing.
func Template(text string) (put string, fits bool) {
	if !strings.Contains(text, `\`) {
		return text, true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) {
			return "", false
		}
		c := text[i]
		control, known := controls[c]
		switch {
		case known:
			b.WriteByte(control)
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return "", false
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), true
}
