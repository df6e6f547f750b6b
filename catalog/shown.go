package catalog

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/headwater-io/headwater/internal/limits"
)

// Shown returns a message in the form that callers may see: it is cut after
// limits.MaxMessageBytes, because a message may repeat what the caller sent.
func Shown(message string) string { return clip(message, limits.MaxMessageBytes) }

// clip cuts a text that is too long, and appends how long it was.
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

// clipped returns the arguments of a message, with every text cut to the length
// of the longest URN.
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
