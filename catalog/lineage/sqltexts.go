package lineage

import (
	"crypto/sha256"
	"sync"

	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/sql"
)

// sqlTextsBytes is about how much memory the parsed SQL takes, in each of the cache's two
// generations.
const sqlTextsBytes = 16 << 20

// sqlTexts caches parsed statements, so that each text in use is parsed once.
type sqlTexts struct {
	mu   sync.Mutex
	read *recent.Map[[sha256.Size]byte, *sql.Text]
}

func newSQLTexts() *sqlTexts {
	return &sqlTexts{read: recent.NewWeighed[[sha256.Size]byte](sqlTextsBytes, (*sql.Text).Size)}
}

// statement is SQL as an aspect states it.
type statement struct{ text, language, platform string }

func (t *sqlTexts) of(s statement) *sql.Text {
	key := sha256.Sum256([]byte(s.platform + "\x00" + s.language + "\x00" + s.text))
	t.mu.Lock()
	text, known := t.read.Get(key)
	t.mu.Unlock()
	if !known {
		text = sql.Read(s.text, s.language, sql.DialectOf(s.platform))
		t.mu.Lock()
		t.read.Put(key, text)
		t.mu.Unlock()
	}
	return text
}
