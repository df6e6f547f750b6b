package reads

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// Tables are the tables of a question: the table about whose columns it is, and the columns of its Others,
// in the order of Others. The columns of a table are nil if they are not known.
type Tables struct {
	sql.Table
	OfOthers [][]string
}

// key identifies the question.
func (t *Tables) key() string {
	var b strings.Builder
	write := func(list []string) {
		for _, one := range list {
			b.WriteString(one)
			b.WriteByte(0)
		}
		b.WriteByte(1)
	}
	write(t.Name)
	write(t.Columns)
	for i, other := range t.Others {
		write(other)
		if i < len(t.OfOthers) {
			write(t.OfOthers[i])
		}
	}
	return b.String()
}

// Reader reads the SQL of one question. It parses limits.MaxImpactStatements texts at most, and stops
// parsing when its time is up; it finds the names in the other texts by their words.
type Reader struct {
	texts *Texts
	left  int
	until time.Time
	now   func() time.Time
}

// Reader returns a reader for one question, which parses until a moment of the clock now.
func (t *Texts) Reader(until time.Time, now func() time.Time) *Reader {
	r := &Reader{texts: t, until: until, now: now}
	if t.reader != nil {
		r.left = limits.MaxImpactStatements
	}
	return r
}

// Parses reports whether the reader may still parse texts.
func (t *Reader) Parses() bool { return t.left > 0 }

// MayRead reports whether the words of statements leave it possible that they read a column.
func (t *Reader) MayRead(paths []string, table *sql.Table, statements []Statement) bool {
	for _, st := range statements {
		for _, path := range paths {
			if words := t.texts.wordsOf(st).Reads(table, path); words.Names || words.Star || words.Unread != "" {
				return true
			}
		}
	}
	return false
}

// Read looks for columns in statements. Its result combines the readings of all columns in all
// statements.
func (t *Reader) Read(ctx context.Context, paths []string, tables *Tables, statements []Statement) (*Reading, error) {
	found := &Reading{}
	for _, st := range statements {
		text := t.texts.wordsOf(st)
		for _, path := range paths {
			words := text.Reads(&tables.Table, path)
			one := &Reading{Names: words.Names, Star: words.Star, Unread: words.Unread}
			for _, clause := range words.Clauses {
				one.Places = append(one.Places, Place{Clause: clause})
			}
			if words.Names || words.Star || words.Unread != "" {
				parsed, err := t.parsed(ctx, st, tables, path)
				if err != nil {
					return nil, err
				}
				if better := parsed.of(path, words.Names); better != nil {
					better.Star = better.Star && (words.Star || words.Unread != "") // "*" of a query inside, of which other columns are used, reads no column
					one = better
				}
			}
			found.add(one)
		}
	}
	return found, nil
}

// parsed returns how a statement reads a table; nil if the statement cannot be parsed for it.
func (t *Reader) parsed(ctx context.Context, st Statement, tables *Tables, path string) (*tableReading, error) {
	dialect, known := parser.DialectOf(st.Platform)
	if !known || !sql.IsLanguage(st.Language) || tables.Columns == nil && strings.Contains(path, ".") || t.texts.reader == nil {
		return nil, nil
	}
	columns, ok := tables.columnsWith(path)
	if !ok {
		return nil, nil
	}
	asked := *tables
	asked.Columns = columns
	key := sha256.Sum256([]byte(st.key() + "\x00" + asked.key()))
	t.texts.mu.Lock()
	found, known := t.texts.parsed.Get(key)
	t.texts.mu.Unlock()
	if known {
		return found, nil
	}
	if t.left--; t.left < 0 {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, t.until.Sub(t.now()))
	defer cancel()
	found = &tableReading{}
	statements, err := t.texts.reader.Read(limited, st.Text, lineage.Settings{Dialect: dialect, Tables: found.tables(&asked)})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil, errors.Is(err, parser.ErrClosed):
		t.left = 0
		return nil, nil
	case err != nil: // the text is too long, or the parser does not run
		return nil, nil
	}
	found.fill(asked.name(), statements)
	t.texts.mu.Lock()
	t.texts.parsed.Put(key, found)
	t.texts.mu.Unlock()
	return found, nil
}

// name returns the name by which parsed statements call the table.
func (t *Tables) name() string { return strings.Join(t.Name, ".") }

// columnsWith returns the columns of the table and the fields inside them, including the wanted one. It returns nil if
// the columns are not known, and false if some names differ only in letter case.
func (t *Tables) columnsWith(path string) ([]string, bool) {
	if t.Columns == nil {
		return nil, true
	}
	var columns []string
	seen := map[string]string{}
	add := func(name string) bool {
		known, found := seen[strings.ToLower(name)]
		if !found {
			seen[strings.ToLower(name)] = name
			columns = append(columns, name)
		}
		return !found || known == name
	}
	for _, name := range append(slices.Clone(t.Columns), path) {
		column, _, nested := strings.Cut(name, ".")
		if !add(column) || nested && !add(name) {
			return nil, false
		}
	}
	return columns, true
}
