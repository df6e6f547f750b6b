// Package reads finds how SQL reads the columns of a table: by the lineage of the parsed SQL, and by its
// words where it cannot be parsed.
package reads

import (
	"crypto/sha256"
	"sync"

	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/sql"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// wordsBytes is about how much memory the words of SQL take, in each of the cache's two
// generations; parsedBytes, how much the readings of parsed SQL take.
const (
	wordsBytes  = 16 << 20
	parsedBytes = 8 << 20
)

// Texts caches how statements read columns, so that each text in use is read once. Texts is safe for
// concurrent use.
type Texts struct {
	// reader parses Statements. It is nil without a parser.
	reader *lineage.Reader
	mu     sync.Mutex
	words  *recent.Map[[sha256.Size]byte, *sql.Text]
	parsed *recent.Map[[sha256.Size]byte, *tableReading]
}

// NewTexts returns an empty cache. Without a parser, texts are read by their words.
func NewTexts(p *parser.Parser) *Texts {
	t := &Texts{
		words:  recent.NewWeighed[[sha256.Size]byte](wordsBytes, (*sql.Text).Size),
		parsed: recent.NewWeighed[[sha256.Size]byte](parsedBytes, (*tableReading).size),
	}
	if p != nil {
		t.reader = &lineage.Reader{Parser: p}
	}
	return t
}

// Statement is SQL as an aspect states it. Language is the stated language, such as SQL; "" if none is
// stated. Platform is the last part of the URN of the data platform.
type Statement struct{ Text, Language, Platform string }

func (s Statement) key() string { return s.Platform + "\x00" + s.Language + "\x00" + s.Text }

// wordsOf returns the words of a statement.
func (t *Texts) wordsOf(s Statement) *sql.Text {
	key := sha256.Sum256([]byte(s.key()))
	t.mu.Lock()
	text, known := t.words.Get(key)
	t.mu.Unlock()
	if !known {
		text = sql.Read(s.Text, s.Language, sql.DialectOf(s.Platform))
		t.mu.Lock()
		t.words.Put(key, text)
		t.mu.Unlock()
	}
	return text
}
