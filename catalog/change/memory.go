package change

import (
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"io"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql/lineage"
)

// Memory has the readings of SQL texts from an earlier comparison, so that most of a project is not parsed again. It is for one
// comparison, and afterwards has the readings that the comparison used.
type Memory struct {
	version      string
	before, used map[string][]memo
}

// kept is the form of a Memory in a file.
type kept struct {
	Version string
	Memos   map[string][]memo
}

// NewMemory reads a memory. version tells programs apart: a program does not read the memory of another. A memory that cannot be
// read is empty, as is the memory of a nil reader.
func NewMemory(version string, r io.Reader) *Memory {
	m := &Memory{version: version, before: map[string][]memo{}, used: map[string][]memo{}}
	if r == nil {
		return m
	}
	var from kept
	if gob.NewDecoder(io.LimitReader(flate.NewReader(r), limits.CheckMemoryBytes)).Decode(&from) == nil && from.Version == version && from.Memos != nil {
		m.before = from.Memos
	}
	return m
}

// Write writes the readings that the comparison used. It fails if they are too large.
func (m *Memory) Write(w io.Writer) error {
	packed, err := flate.NewWriter(w, flate.BestSpeed)
	if err != nil {
		return err
	}
	bounded := &boundedWriter{packed, limits.CheckMemoryBytes}
	if err := gob.NewEncoder(bounded).Encode(kept{m.version, m.used}); err != nil {
		return err
	}
	return packed.Close()
}

type boundedWriter struct {
	io.Writer
	left int
}

func (w *boundedWriter) Write(text []byte) (int, error) {
	if w.left -= len(text); w.left < 0 {
		return 0, fmt.Errorf("a memory may have %d bytes", limits.CheckMemoryBytes)
	}
	return w.Writer.Write(text)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:16])
}

// find returns the reading of a text against the same tables, if the memory has one.
func (m *Memory) find(ctx context.Context, key string, tables lineage.Tables) (memo, bool) {
	if m != nil {
		for _, one := range m.before[key] {
			if holds(ctx, one.Asked, tables) {
				m.used[key] = append(m.used[key], one)
				return one, true
			}
		}
	}
	return memo{}, false
}

// remember notes the reading of a text.
func (m *Memory) remember(key string, one memo) {
	if m == nil {
		return
	}
	small := memo{Asked: one.Asked, Statements: make([]lineage.Statement, len(one.Statements))}
	for i := range one.Statements {
		small.Statements[i] = one.Statements[i]
		small.Statements[i].Text, small.Statements[i].Mentions = "", nil // nothing here reads them
	}
	m.used[key] = append(m.used[key], small)
}

// knows reports whether the memory has read a text, against whatever tables.
func (m *Memory) knows(key string) bool { return m != nil && m.before[key] != nil }
