package embedded

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/headwater-io/headwater/graphstore"
)

// trimmedRecord is the name of a record that exists after the beginning of the log was deleted.
const trimmedRecord = "log/trimmed"

// oldestChanges reads the beginning of the log.
const oldestChanges = "SELECT seq, time FROM change WHERE seq < ? ORDER BY seq LIMIT ?+0"

// TrimChanges deletes the beginning of the log.
func (s *Store) TrimChanges(ctx context.Context, t graphstore.LogTrim) (int64, error) {
	last, err := s.lastToTrim(ctx, t)
	if err != nil || last == 0 {
		return 0, s.failure(err)
	}
	var deleted int64
	err = s.upkeep(ctx, func(w *writer) error {
		if _, err := w.stmts.insertRecord.count("{}", rand.Text(), trimmedRecord); err != nil {
			return err
		}
		deleted, err = w.stmts.deleteChanges.count(last)
		return err
	})
	return deleted, err
}

// lastToTrim returns the number of the last change to delete, 0 for none.
func (s *Store) lastToTrim(ctx context.Context, t graphstore.LogTrim) (int64, error) {
	newest, err := s.newest(ctx, s.log)
	if err != nil {
		return 0, err
	}
	end := newest.seq
	if t.Keep > 0 {
		end = min(end, newest.seq-t.Keep+1)
	}
	for _, cursor := range t.Cursors {
		at, err := s.parseCursor(cursor)
		if err != nil {
			return 0, err
		}
		end = min(end, at.seq)
	}
	before := t.Before
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := s.log.QueryContext(ctx, oldestChanges, end, max(t.Limit, 0))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	last := int64(0)
	for rows.Next() {
		var seq, time int64
		if err := rows.Scan(&seq, &time); err != nil {
			return 0, err
		}
		if time >= before {
			break
		}
		last = seq
	}
	return last, rows.Err()
}

// readable returns the position of a cursor, and fails if the log cannot be read from there.
func (s *Store) readable(ctx context.Context, q querier, cursor string) (position, error) {
	at, err := s.located(ctx, q, cursor)
	if err != nil || at.seq > 0 {
		return at, err
	}
	trimmed, err := s.trimmed(ctx, q)
	if err == nil && trimmed {
		err = fmt.Errorf("the beginning of the log was deleted: %w", graphstore.ErrLostCursor)
	}
	return at, err
}

// stillReadable fails if the changes after a position were deleted before a page was read that begins with the change first, 0
// for none.
func (s *Store) stillReadable(ctx context.Context, from position, first int64, cursor string) error {
	if first <= from.seq+1 {
		return nil
	}
	_, err := s.readable(ctx, s.log, cursor)
	return err
}

func (s *Store) trimmed(ctx context.Context, q querier) (trimmed bool, err error) {
	err = q.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM record WHERE name = ?)", trimmedRecord).Scan(&trimmed)
	return trimmed, err
}

// OldestCursor returns the first position from which the log can be read.
func (s *Store) OldestCursor(ctx context.Context) (string, error) {
	trimmed, err := s.trimmed(ctx, s.log)
	if err != nil || !trimmed {
		return "", s.failure(err)
	}
	var seq int64
	var token sql.NullInt64
	err = s.log.QueryRowContext(ctx, "SELECT seq, token FROM change ORDER BY seq LIMIT 1").Scan(&seq, &token)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return position{seq, s.tokenOf(token)}.String(), s.failure(err)
}
