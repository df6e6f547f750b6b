package runlog

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// shortest is the length in bytes from which the value of a secret is masked. Shorter values occur in any text.
const shortest = 4

// shortestLine is the length from which a single line of a secret of several lines is masked.
const shortestLine = 8

// Mask replaces the values of secrets by their names, as they are and in the spellings in which programs show
// them: in JSON, in URLs and in base64.
type Mask struct {
	// forms are the texts that are replaced, longest first, by their first byte.
	forms [256][]form
	// longest is the length of the longest form.
	longest int
}

type form struct{ text, by string }

// NewMask makes a mask of secrets by their names.
func NewMask(secrets map[string]string) *Mask {
	m := &Mask{}
	known := map[string]bool{}
	for name, value := range secrets {
		for _, text := range formsOf(value) {
			if known[text] {
				continue
			}
			known[text] = true
			m.forms[text[0]] = append(m.forms[text[0]], form{text, "***" + name + "***"})
			m.longest = max(m.longest, len(text))
		}
	}
	for i := range m.forms {
		slices.SortFunc(m.forms[i], func(a, b form) int { return len(b.text) - len(a.text) })
	}
	return m
}

// formsOf returns the spellings of a value.
func formsOf(value string) []string {
	trimmed := strings.TrimSpace(value)
	forms := []string{value, trimmed}
	if lines := strings.Split(trimmed, "\n"); len(lines) > 1 {
		for _, line := range lines {
			if line = strings.TrimSpace(line); len(line) >= shortestLine {
				forms = append(forms, line)
			}
		}
	}
	for _, plain := range slices.Clone(forms) {
		forms = append(forms, inJSON(plain), strings.ReplaceAll(plain, `'`, `\'`))
		for _, escaped := range []string{url.QueryEscape(plain), url.PathEscape(plain), strings.ReplaceAll(url.QueryEscape(plain), "+", "%20")} {
			forms = append(forms, escaped, lowerEscapes(escaped))
		}
		forms = append(forms, inBase64(plain)...)
	}
	return slices.DeleteFunc(forms, func(text string) bool { return len(text) < shortest })
}

// inJSON returns a text as JSON spells it within quotes.
func inJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	return string(quoted[1 : len(quoted)-1])
}

// lowerEscapes returns a URL's text with the escapes in lower case, as %2f.
func lowerEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
			i += 2
		}
	}
	return string(b)
}

// inBase64 returns the texts by which a value shows in base64, also in the middle of a longer one, such as
// user:password, where it may begin at any of three places of a group.
func inBase64(text string) []string {
	var forms []string
	for before := range 3 {
		padded := strings.Repeat("\x00", before) + text
		// Only those letters of the encoding are masked that depend on the value alone, and not on its neighbours.
		from, to := []int{0, 2, 3}[before], len(padded)*8/6
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if letters := encoding.EncodeToString([]byte(padded)); to-from >= 2*shortest {
				forms = append(forms, letters[from:to])
			}
		}
	}
	return forms
}

// Text masks a whole text.
func (m *Mask) Text(text string) string {
	if m == nil || m.longest == 0 {
		return text
	}
	masked, _ := m.replace(nil, []byte(text), true)
	return string(masked)
}

// replace appends text to into, with secrets replaced. Unless last is set, it leaves the end of the text if that
// is the beginning of a secret, and returns how many bytes it has used.
func (m *Mask) replace(into, text []byte, last bool) (masked []byte, used int) {
	certain := len(text)
	if !last {
		certain = max(0, len(text)-m.longest+1)
	}
	from, i := 0, 0
	for i < len(text) {
		if !last && i >= certain && m.begins(text[i:]) {
			break
		}
		found, ok := m.at(text[i:])
		if !ok {
			i++
			continue
		}
		into = append(append(into, text[from:i]...), found.by...)
		i += len(found.text)
		from = i
	}
	return append(into, text[from:i]...), i
}

// begins reports whether a text may be the beginning of a longer form.
func (m *Mask) begins(text []byte) bool {
	for _, f := range m.forms[text[0]] {
		if len(f.text) > len(text) && f.text[:len(text)] == string(text) {
			return true
		}
	}
	return false
}

// at returns the form with which a text begins.
func (m *Mask) at(text []byte) (form, bool) {
	for _, f := range m.forms[text[0]] {
		if len(f.text) <= len(text) && string(text[:len(f.text)]) == f.text {
			return f, true
		}
	}
	return form{}, false
}
