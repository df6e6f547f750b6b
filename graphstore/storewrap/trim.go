package storewrap

import (
	"context"

	"github.com/headwater-io/headwater/graphstore"
)

// TrimChanges deletes the beginning of the log.
func (s *Store) TrimChanges(ctx context.Context, t graphstore.LogTrim) (deleted int64, err error) {
	s.observe(ctx, "TrimChanges", func(ctx context.Context) (int, error) {
		deleted, err = s.inner.TrimChanges(ctx, t)
		return int(deleted), err
	})
	return deleted, err
}

// OldestCursor returns the first position from which the log can be read.
func (s *Store) OldestCursor(ctx context.Context) (string, error) { return s.inner.OldestCursor(ctx) }
