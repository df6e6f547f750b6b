// Package wording puts numbers, ages and moments into words.
package wording

import (
	"fmt"
	"strconv"
	"time"
)

// Age returns the words for the time since something, "" for the future.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return ""
	case d < 2*time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d hours ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/day)
}

// Counted is a number with the word for the things that it counts.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// MomentForms lists the forms of a moment, for messages.
const MomentForms = "epoch milliseconds, 2026-10-21 or 2026-10-21T08:00:00Z"

// ParseMoment parses a moment into epoch milliseconds. A day means its
// beginning in UTC.
func ParseMoment(text string) (int64, bool) {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return ms, true
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UnixMilli(), true
		}
	}
	return 0, false
}
