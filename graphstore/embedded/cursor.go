package embedded

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
)

// position is a place in the change log, after the change with a number. The token
// distinguishes this change from another change to which a restored copy of the file gives the
// same number.
// The reasons are in docs/decisions/0031-positions.md.
type position struct{ seq, token int64 }

// tokenBase is the base in which a cursor writes a token.
const tokenBase = 36

// String returns the cursor.
func (p position) String() string {
	return strconv.FormatInt(p.seq, 10) + "." + strconv.FormatUint(uint64(p.token), tokenBase)
}

// parseCursor parses a cursor. The cursor "" is the beginning of any log.
func (s *Store) parseCursor(cursor string) (position, error) {
	if cursor == "" {
		return position{0, s.origin}, nil
	}
	number, token, _ := strings.Cut(cursor, ".")
	seq, err := strconv.ParseInt(number, 10, 64)
	if err != nil || seq < 0 {
		return position{}, fmt.Errorf("%.100q: %w", cursor, graphstore.ErrBadCursor)
	}
	if number == cursor { // the cursor comes from an earlier release, which wrote only the number
		return position{}, fmt.Errorf("%.100q: %w", cursor, graphstore.ErrLostCursor)
	}
	value, err := strconv.ParseUint(token, tokenBase, 64)
	if err != nil {
		return position{}, fmt.Errorf("%.100q: %w", cursor, graphstore.ErrBadCursor)
	}
	return position{seq, int64(value)}, nil
}

// located parses a cursor, and checks that the log has the change that it names.
func (s *Store) located(ctx context.Context, q querier, cursor string) (position, error) {
	p, err := s.parseCursor(cursor)
	if err != nil {
		return p, err
	}
	token := sql.NullInt64{}
	if p.seq > 0 {
		err = q.QueryRowContext(ctx, "SELECT token FROM change WHERE seq = ?", p.seq).Scan(&token)
	}
	if errors.Is(err, sql.ErrNoRows) || err == nil && s.tokenOf(token) != p.token {
		return p, fmt.Errorf("%.100q: %w", cursor, graphstore.ErrLostCursor)
	}
	return p, err
}

// tokenOf returns the token of a change. A change that is older than tokens has the origin of
// the log.
func (s *Store) tokenOf(token sql.NullInt64) int64 {
	if token.Valid {
		return token.Int64
	}
	return s.origin
}

// newest returns the position after the last change.
func (s *Store) newest(ctx context.Context, q querier) (position, error) {
	var seq int64
	var token sql.NullInt64
	err := q.QueryRowContext(ctx, "SELECT seq, token FROM change ORDER BY seq DESC LIMIT 1").Scan(&seq, &token)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return position{seq, s.tokenOf(token)}, err
}

// Covers reports whether a position has all changes up to another position.
func (s *Store) Covers(at, target string) (bool, error) {
	missing, err := s.Missing(at, target)
	return err == nil && missing == 0, err
}

// Missing counts the changes between two positions.
func (s *Store) Missing(at, target string) (int64, error) {
	a, err := s.parseCursor(at)
	if err != nil {
		return 0, err
	}
	b, err := s.parseCursor(target)
	if err != nil || a.seq > b.seq || a == b {
		return 0, err
	}
	return max(b.seq-a.seq, 1), nil // positions of different logs may have the same number
}

// newToken returns a random number that is practically unique.
func newToken() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.LittleEndian.Uint64(b[:]))
}
