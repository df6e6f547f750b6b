package catalog

import (
	"strings"

	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
)

// Beginning returns the first bytes of a text from outside, as many as two of the longest URNs
// have.
func Beginning(text string) string {
	if len(text) <= 2*limits.MaxURNBytes {
		return text
	}
	return strings.ToValidUTF8(text[:2*limits.MaxURNBytes], "") + "…"
}

// Shown returns a message in the form that callers may see: it is cut after
// limits.MaxMessageBytes, because a message may repeat the caller's text.
func Shown(message string) string { return clip.Text(message, limits.MaxMessageBytes) }

// clipped returns the arguments of a message. Each text is cut to the length of the longest URN.
func clipped(args []any) []any {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			if len(arg) > limits.MaxURNBytes {
				args[i] = clip.Text(arg, limits.MaxURNBytes)
			}
		case []byte:
			if len(arg) > limits.MaxURNBytes {
				args[i] = []byte(clip.Text(string(arg), limits.MaxURNBytes))
			}
		}
	}
	return args
}
