package catalog

import (
	"fmt"
	"time"
)

// AgeOf says in words how long ago something was, "" for the future.
func AgeOf(d time.Duration) string {
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
