package catalog

import (
	"strconv"
	"time"
)

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
