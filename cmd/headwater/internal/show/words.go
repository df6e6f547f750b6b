package show

import (
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/screen"
)

// TimeOf is a moment in epoch milliseconds as people read it.
func TimeOf(millis int64) string { return time.UnixMilli(millis).UTC().Format(time.RFC3339) }

// OrDash is a text, or a dash for none.
func OrDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// ShellWord writes a word, cleaned for terminals, so that a shell leaves it as it is.
func ShellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.,:/@%+=", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(screen.Line(word), "'", `'\''`) + "'"
}

// Unusual is a note about an entity that is not there as others are, "" for others.
func Unusual(e *lineage.Entity) string {
	switch {
	case e.Removed:
		return "(deleted)"
	case !e.Exists:
		return "(never ingested)"
	}
	return ""
}
