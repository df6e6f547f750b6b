package catalog

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/headwater-io/headwater/internal/limits"
)

// Shown is a message as callers may see it: what is beyond
// limits.MaxMessageBytes is left out, since a message repeats what the caller
// sent, and that may be long.
func Shown(message string) string { return clip(message, limits.MaxMessageBytes) }

// clip cuts a text that is longer than it may be, and says how long it was.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + fmt.Sprintf("… (%d bytes)", len(text))
}

// clipped are the arguments of a message with long texts cut: none is longer
// than the longest URN.
func clipped(args []any) []any {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			if len(arg) > limits.MaxURNBytes {
				args[i] = clip(arg, limits.MaxURNBytes)
			}
		case []byte:
			if len(arg) > limits.MaxURNBytes {
				args[i] = []byte(clip(string(arg), limits.MaxURNBytes))
			}
		}
	}
	return args
}
