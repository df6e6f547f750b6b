package neo4j

import (
	"context"
	"fmt"
	"math"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// TrimChanges deletes the beginning of the log, shard by shard.
func (s *Store) TrimChanges(ctx context.Context, t graphstore.LogTrim) (int64, error) {
	ends, err := trimEnds(t.Cursors)
	if err != nil || t.Limit <= 0 {
		return 0, err
	}
	before := t.Before
	if before == 0 {
		before = math.MaxInt64
	}
	newest := (t.Keep + shards - 1) / shards
	params := map[string]any{"ends": ends[:], "keep": newest, "before": before, "each": max(t.Limit/shards, 1)}
	parts, err := rows(ctx, s, "read/oldest_changes", params, func(r *driver.Record) (row, error) {
		return row{"shard": integer(r, "shard"), "last": integer(r, "last")}, nil
	})
	if err != nil || len(parts) == 0 {
		return 0, err
	}
	mark, err := s.statements.Text("write/mark_trimmed")
	if err != nil {
		return 0, err
	}
	if err := s.execWrite(ctx, mark, map[string]any{"rows": parts}); err != nil {
		return 0, err
	}
	return s.deleteChanges(ctx, parts)
}

// trimEnds returns, for each shard, the smallest number that must stay because a follower names
// it.
func trimEnds(cursors []string) (ends [shards]int64, err error) {
	for i := range ends {
		ends[i] = math.MaxInt64
	}
	for _, cursor := range cursors {
		var at position
		if cursor != "" {
			if at, err = parsePosition(cursor); err != nil {
				return ends, err
			}
		}
		for i := range ends {
			ends[i] = min(ends[i], at.seqs[i])
		}
	}
	return ends, nil
}

func (s *Store) deleteChanges(ctx context.Context, parts []row) (int64, error) {
	statement, err := s.statements.Text("write/trim_changes")
	if err != nil {
		return 0, err
	}
	leave, err := s.lanes.writes.Enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	session := s.session(ctx, driver.AccessModeWrite)
	defer s.end(ctx, session)
	deleted, err := driver.ExecuteWrite(ctx, session, func(tx driver.ManagedTransaction) (int64, error) {
		result, err := tx.Run(ctx, statement, map[string]any{"rows": parts})
		if err != nil {
			return 0, err
		}
		r, err := result.Single(ctx)
		if err != nil {
			return 0, err
		}
		return integer(r, "deleted"), nil
	}, bounds(ctx, 0)...)
	return deleted, s.failure(ctx, err)
}

// readable locates a cursor, and fails if the log cannot be read from there.
func (s *Store) readable(ctx context.Context, cursor string) (located, error) {
	at, err := s.locate(ctx, cursor)
	if err != nil || !at.trimmed {
		return at, err
	}
	_, err = rows(ctx, s, "read/oldest_positions", map[string]any{"shards": shards}, func(r *driver.Record) (struct{}, error) {
		if trimmed, _ := r.Get("trimmed"); trimmed == true && at.seqs[integer(r, "shard")] == 0 {
			return struct{}{}, fmt.Errorf("the beginning of the log was deleted: %w", graphstore.ErrLostCursor)
		}
		return struct{}{}, nil
	})
	return at, err
}

// trimmedAfter reports whether changes after a position are deleted, or are just being deleted.
func (s *Store) trimmedAfter(ctx context.Context, at *position) (bool, error) {
	found, err := rows(ctx, s, "read/trimmed", map[string]any{"after": at.seqs[:]}, func(r *driver.Record) (int64, error) { return integer(r, "shard"), nil })
	return len(found) > 0, err
}

// OldestCursor returns the first position from which the log can be read.
func (s *Store) OldestCursor(ctx context.Context) (string, error) {
	var l located
	lost := false
	_, err := rows(ctx, s, "read/oldest_positions", map[string]any{"shards": shards}, func(r *driver.Record) (struct{}, error) {
		if shard := integer(r, "shard"); shard >= 0 && shard < shards {
			l.seqs[shard], l.tokens[shard] = integer(r, "seq"), integer(r, "token")
		}
		trimmed, _ := r.Get("trimmed")
		lost = lost || trimmed == true
		return struct{}{}, nil
	})
	if err != nil || !lost {
		return "", err
	}
	l.sum = l.summed()
	return l.String(), nil
}
