// Package clip cuts texts that came from outside before they are told back, in errors, logs
// and listings.
package clip

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text cuts a text that has more than most bytes, and appends how long it was.
func Text(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + fmt.Sprintf("… (%d bytes)", len(text))
}
