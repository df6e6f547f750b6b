package catalog

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/headwater-io/headwater/internal/limits"
)

// Beginning returns the part of an error's text that an import keeps.
func Beginning(text string) string {
	if len(text) <= 2*limits.MaxURNBytes {
		return text
	}
	return strings.ToValidUTF8(text[:2*limits.MaxURNBytes], "") + "…"
}

// Shown returns a message in the form that callers may see: it is cut after
// limits.MaxMessageBytes, because a message may repeat what the caller sent.
func Shown(message string) string { return Clip(message, limits.MaxMessageBytes) }

// Clip cuts a text that is too long, and appends how long it was.
func Clip(text string, most int) string {
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
				args[i] = Clip(arg, limits.MaxURNBytes)
			}
		case []byte:
			if len(arg) > limits.MaxURNBytes {
				args[i] = []byte(Clip(string(arg), limits.MaxURNBytes))
			}
		}
	}
	return args
}
