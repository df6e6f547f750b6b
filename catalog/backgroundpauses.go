package catalog

import "time"

// RetryFirst and RetryMost are the first and the longest pause after failures of work in the
// background.
const (
	RetryFirst = 200 * time.Millisecond
	RetryMost  = 15 * time.Second
)
