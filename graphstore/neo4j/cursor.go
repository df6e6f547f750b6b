package neo4j

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// position is a place in the change log: in every shard, after the change with a number. sum is
// computed from the identities of these changes. The identities distinguish these changes from
// other changes to which a restored copy of the database gives the same numbers.
// The reasons are in docs/decisions/0031-positions.md.
type position struct {
	seqs [shards]int64
	sum  uint64
}

// shardSum returns the part of a sum that belongs to one shard.
func shardSum(shard int, seq, token int64) uint64 {
	h := fnv.New64a()
	var b [24]byte
	binary.LittleEndian.PutUint64(b[:], uint64(token))
	binary.LittleEndian.PutUint64(b[8:], uint64(seq))
	binary.LittleEndian.PutUint64(b[16:], uint64(shard))
	_, _ = h.Write(b[:]) // a hash accepts every write
	return h.Sum64()
}

// String returns the cursor: the numbers as unsigned varints and the sum, in base64.
func (p *position) String() string {
	var b []byte
	for _, n := range p.seqs {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(b, p.sum))
}

// sumSize is the size of the sum at the end of a cursor, in bytes.
const sumSize = 8

func parsePosition(cursor string) (position, error) {
	var p position
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	for i := range p.seqs {
		n, size := binary.Uvarint(b)
		if err != nil || size <= 0 || n > 1<<62 {
			return p, fmt.Errorf("%.100q: %w", cursor, graphstore.ErrBadCursor)
		}
		p.seqs[i], b = int64(n), b[size:]
	}
	switch len(b) {
	case sumSize:
		p.sum = binary.BigEndian.Uint64(b)
		return p, nil
	case 0: // the cursor comes from an earlier release, which wrote only the numbers
		return p, fmt.Errorf("%.100q: %w", cursor, graphstore.ErrLostCursor)
	}
	return p, fmt.Errorf("%.100q: %w", cursor, graphstore.ErrBadCursor)
}

// located is a position that the log has, with the identity of the last change of each shard.
type located struct {
	position
	tokens [shards]int64
	// identity is the identity of the log.
	identity int64
	// trimmed tells that the beginning of some shards was deleted.
	trimmed bool
}

// advance moves the position to a later change of a shard.
func (l *located) advance(shard int, seq, token int64) {
	l.sum ^= shardSum(shard, l.seqs[shard], l.tokens[shard]) ^ shardSum(shard, seq, token)
	l.seqs[shard], l.tokens[shard] = seq, token
}

// summed returns the sum that the position must have.
func (l *located) summed() uint64 {
	var sum uint64
	for i := range l.seqs {
		sum ^= shardSum(i, l.seqs[i], l.tokens[i])
	}
	return sum
}

// locate parses a cursor, and checks that the log has the changes that it names. The cursor ""
// is the beginning of any log.
func (s *Store) locate(ctx context.Context, cursor string) (located, error) {
	var l located
	if cursor != "" {
		var err error
		if l.position, err = parsePosition(cursor); err != nil {
			return l, err
		}
	}
	known := 0
	_, err := rows(ctx, s, "read/tokens", map[string]any{"after": l.seqs[:]}, func(r *driver.Record) (struct{}, error) {
		token, ok := r.AsMap()["token"].(int64)
		if shard := integer(r, "shard"); ok && shard >= 0 && shard < shards {
			l.tokens[shard] = token
			known++
			l.identity = integer(r, "identity")
			trimmed, _ := r.Get("trimmed")
			l.trimmed = trimmed == true
		}
		return struct{}{}, nil
	})
	if err != nil {
		return l, err
	}
	sum := l.summed()
	if cursor != "" && (known < shards || sum != l.sum) {
		return l, fmt.Errorf("%.100q: %w", cursor, graphstore.ErrLostCursor)
	}
	l.sum = sum
	return l, nil
}

// newest returns the position after the newest changes.
func (s *Store) newest(ctx context.Context) (located, error) {
	var l located
	_, err := rows(ctx, s, "read/positions", map[string]any{"shards": shards}, func(r *driver.Record) (struct{}, error) {
		if shard := integer(r, "shard"); shard >= 0 && shard < shards {
			l.seqs[shard], l.tokens[shard] = integer(r, "seq"), integer(r, "token")
		}
		return struct{}{}, nil
	})
	l.sum = l.summed()
	return l, err
}

// EndCursor returns the cursor after the newest change.
func (s *Store) EndCursor(ctx context.Context) (string, error) {
	l, err := s.newest(ctx)
	return l.String(), err
}

// Lag counts the changes after a cursor.
func (s *Store) Lag(ctx context.Context, after string) (int64, error) {
	from, err := s.locate(ctx, after)
	if err != nil {
		return 0, err
	}
	to, err := s.newest(ctx)
	var lag int64
	for i := range to.seqs {
		lag += max(to.seqs[i]-from.seqs[i], 0)
	}
	return lag, err
}

// Covers reports whether a position has all changes up to another position, in every shard.
func (s *Store) Covers(at, target string) (bool, error) {
	missing, err := s.Missing(at, target)
	return err == nil && missing == 0, err
}

// Missing counts the changes between two positions, in all shards.
func (s *Store) Missing(at, target string) (int64, error) {
	if target == "" {
		return 0, nil
	}
	to, err := parsePosition(target)
	if err != nil {
		return 0, err
	}
	var from position
	if at != "" {
		if from, err = parsePosition(at); err != nil {
			return 0, err
		}
	}
	var missing int64
	for i := range to.seqs {
		missing += max(to.seqs[i]-from.seqs[i], 0)
	}
	if missing == 0 && from.seqs == to.seqs && from.sum != to.sum {
		return 1, nil // the positions belong to different logs
	}
	return missing, nil
}

// newToken returns a random number that is practically unique.
func newToken() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.LittleEndian.Uint64(b[:]))
}
