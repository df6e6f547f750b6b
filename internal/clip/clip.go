// Package clip cuts texts of callers before errors, logs and listings repeat them.
package clip

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text returns a text of at most most bytes unchanged. It cuts a longer text and appends
// the length.
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
