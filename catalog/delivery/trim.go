package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// LogRetention tells how long the change log is kept. Changes that a follower has not received
// yet are kept longer.
type LogRetention struct {
	// Age is the age at which changes are deleted; 0 keeps them forever.
	Age time.Duration
	// Changes is the approximate number of newest changes that are kept; 0 is no condition. If Age
	// is set too, a change is deleted when both conditions allow it.
	Changes int64
}

// limited reports whether any change is ever deleted.
func (r LogRetention) limited() bool { return r.Age > 0 || r.Changes > 0 }

const (
	// trimEvery is the pause between trims of the log.
	trimEvery = 10 * time.Minute
	// trimAtOnce bounds the changes that one transaction deletes.
	trimAtOnce = 5000
	// indexPrefix begins the names of search indexes among the followers that the store itself
	// knows.
	indexPrefix = "search-index/"
)

// TrimStore is the part of the graph store that trimming needs.
type TrimStore interface {
	graphstore.LogTrimmer
	Followers(ctx context.Context, prefix string) ([]graphstore.Follower, error)
}

// KeepTrimmed trims the log every trimEvery until the context ends.
func (s *Service) KeepTrimmed(ctx context.Context, store TrimStore, r LogRetention) {
	if !r.limited() {
		return
	}
	for {
		deleted, err := s.Trim(ctx, store, r)
		switch {
		case err != nil && ctx.Err() == nil:
			s.logger.WarnContext(ctx, "the change log cannot be trimmed; trying again later", "error", err)
		case deleted > 0:
			s.logger.InfoContext(ctx, "the beginning of the change log was deleted", "changes", deleted)
		}
		if !pause(ctx, trimEvery) {
			return
		}
	}
}

// Trim deletes the changes that the retention allows to delete and that no follower still
// needs. Trim returns the number of deleted changes.
func (s *Service) Trim(ctx context.Context, store TrimStore, r LogRetention) (int64, error) {
	if !r.limited() {
		return 0, nil
	}
	trim := graphstore.LogTrim{Keep: r.Changes, Limit: trimAtOnce}
	if r.Age > 0 {
		trim.Before = s.now().Add(-r.Age).UnixMilli()
	}
	total := int64(0)
	for {
		cursors, err := s.needed(ctx, store)
		if err != nil {
			return total, catalog.StoreFailure(err)
		}
		trim.Cursors = cursors
		deleted, err := store.TrimChanges(ctx, trim)
		total += deleted
		if err != nil || deleted == 0 {
			return total, catalog.StoreFailure(err)
		}
	}
}

// needed returns the positions of all followers. needed leaves out a position whose change the
// log has lost.
func (s *Service) needed(ctx context.Context, store TrimStore) ([]string, error) {
	indexes, err := store.Followers(ctx, indexPrefix)
	if err != nil {
		return nil, err
	}
	var cursors []string
	for i := range indexes {
		cursors = append(cursors, indexes[i].Cursor)
	}
	known, err := s.states(ctx)
	if err != nil {
		return nil, err
	}
	for i := range known {
		cursors = append(cursors, known[i].Cursor)
	}
	var needed []string
	for _, cursor := range cursors {
		switch _, err := s.store.Lag(ctx, cursor); {
		case err == nil:
			needed = append(needed, cursor)
		case !errors.Is(err, graphstore.ErrBadCursor): // ErrLostCursor is an ErrBadCursor too
			return nil, err
		}
	}
	return needed, nil
}
