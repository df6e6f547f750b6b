package graphstore

import "context"

// LogTrim says which changes are deleted from the beginning of the log: those that fit all of
// it, up to the first that does not.
type LogTrim struct {
	// Before is the time, epoch milliseconds, before which a change must have been made;
	// 0 is no condition.
	Before int64
	// Keep is about how many of the newest changes stay; 0 is no condition. If the log has
	// several shards, it is spread over them.
	Keep int64
	// Cursors are positions of followers, which keep the changes that they name and all
	// later ones.
	Cursors []string
	// Limit is how many changes are deleted at most.
	Limit int
}

// LogTrimmer deletes the beginning of the log.
type LogTrimmer interface {
	// TrimChanges deletes changes and returns how many. The newest change of the log, or of
	// each of its shards, stays. A log whose beginning was deleted has lost the
	// cursor "" and those of the changes that were deleted: [ChangeLog.Changes] fails
	// with [ErrLostCursor].
	TrimChanges(ctx context.Context, t LogTrim) (deleted int64, err error)
	// OldestCursor is the first position that the log can be read from: "" if nothing
	// was deleted, otherwise after the oldest change that it has.
	OldestCursor(ctx context.Context) (string, error)
}
