package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/headwater-io/headwater/graphstore"
)

// LoadCursor returns a follower's position, or "" if it has none.
func (s *Store) LoadCursor(ctx context.Context, follower string) (string, error) {
	var cursor string
	err := s.log.QueryRowContext(ctx, "SELECT cursor FROM follower WHERE name = ?", follower).Scan(&cursor)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return cursor, s.failure(err)
}

// SaveCursor stores a follower's position.
func (s *Store) SaveCursor(ctx context.Context, follower, cursor string) error {
	if _, err := s.parseCursor(cursor); err != nil {
		return err
	}
	return s.upkeep(ctx, func(w *writer) error { return w.stmts.saveCursor.run(follower, cursor, w.now) })
}

// DropCursor deletes a follower.
func (s *Store) DropCursor(ctx context.Context, follower string) error {
	return s.upkeep(ctx, func(w *writer) error { return w.stmts.dropCursor.run(follower) })
}

// upkeep makes a write that concerns no entity.
func (s *Store) upkeep(ctx context.Context, write func(*writer) error) error {
	return s.Update(ctx, nil, func(t graphstore.Tx) error {
		inner, ok := t.(*tx)
		if !ok {
			return fmt.Errorf("unexpected transaction %T", t)
		}
		inner.written = true
		return write(inner.w)
	})
}

// Followers returns the followers whose names begin with a prefix.
func (s *Store) Followers(ctx context.Context, prefix string) ([]graphstore.Follower, error) {
	rows, err := s.log.QueryContext(ctx, "SELECT name, cursor, saved FROM follower WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name", prefix)
	if err != nil {
		return nil, s.failure(err)
	}
	defer rows.Close()
	followers := []graphstore.Follower{}
	for rows.Next() {
		var f graphstore.Follower
		if err := rows.Scan(&f.Name, &f.Cursor, &f.Saved); err != nil {
			return nil, s.failure(err)
		}
		followers = append(followers, f)
	}
	return followers, s.failure(rows.Err())
}
