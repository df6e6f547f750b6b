package show

import (
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/screen"
)

// TimeOf formats a moment, given in epoch milliseconds, for people.
func TimeOf(millis int64) string { return time.UnixMilli(millis).UTC().Format(time.RFC3339) }

// OrDash returns the text, or a dash for an empty one.
func OrDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// ShellWord returns a word, without control characters, quoted so that a shell does not
// change it.
func ShellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.,:/@%+=", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(screen.Line(word), "'", `'\''`) + "'"
}

// Unusual returns a note if an entity is soft-deleted or does not exist, otherwise "".
func Unusual(e *lineage.Entity) string {
	switch {
	case e.Removed:
		return "(deleted)"
	case !e.Exists:
		return "(never ingested)"
	}
	return ""
}
