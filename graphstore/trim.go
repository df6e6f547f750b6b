package graphstore

import "context"

// LogTrim selects changes at the beginning of the log to delete: all changes that meet its
// conditions, up to the first one that does not.
type LogTrim struct {
	// Before selects changes that were made before this time, epoch milliseconds; 0 is no
	// condition.
	Before int64
	// Keep is the approximate number of newest changes that stay; 0 is no condition. If the log
	// has several shards, the number is spread over them.
	Keep int64
	// Cursors are positions of followers. The change that a cursor names and all later changes
	// stay.
	Cursors []string
	// Limit bounds the changes that are deleted.
	Limit int
}

// LogTrimmer deletes the beginning of the log.
type LogTrimmer interface {
	// TrimChanges deletes changes, and returns their number. The newest change of the log, or of
	// each of its shards, stays. A log whose beginning was deleted has lost the cursor "" and the
	// cursors of the deleted changes: [ChangeLog.Changes] fails with [ErrLostCursor] for them.
	TrimChanges(ctx context.Context, t LogTrim) (deleted int64, err error)
	// OldestCursor returns the first position from which the log can be read: "" if nothing was
	// deleted, otherwise the position after the oldest change of the log.
	OldestCursor(ctx context.Context) (string, error)
}
