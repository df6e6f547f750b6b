package embedded

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// longValue is the size in bytes from which a value is not added to the gram table, but
// always compared.
const longValue = 512

// writer applies batches, one at a time.
type writer struct {
	mu     sync.Mutex
	conn   *sql.Conn
	fields *fields
	stmts  statements
	values *recent.Map[valueKey, int64]
	// nextValue and nextDoc are unused numbers.
	nextValue, nextDoc int64

	// What the running batch has done.
	tallies map[tallyKey]int64
	dropped map[int64]bool // values that lost a document
	named   []string       // fields that are new
	// newlyCounted are fields that tallies are kept for from now on.
	newlyCounted []int64
}

// recentValues bounds how many numbers of values are cached.
const recentValues = 50_000

type tallyKey struct {
	field, value, docType int64
	removed               bool
}

// statements are prepared once.
type statements struct {
	closers []io.Closer

	findDoc, docValues, findValue, used, deleteValue *sql.Stmt

	insertField, insertValue, insertGram, deleteGram                                       *sqlite.Command
	insertDoc, updateDoc, deleteDoc, insertDocValue, deleteDocValue                        *sqlite.Command
	insertNumber, deleteNumbers, insertText, deleteText, insertCompletion                  *sqlite.Command
	deleteCompletion, setCompletions, addTally, deleteTally, setCursor, deleteAllDocValues *sqlite.Command
	countField, countStored, insertWords, deleteWords, putBody, deleteBody                 *sqlite.Command
}

func newWriter(ctx context.Context, db *sql.DB, f *fields) (_ *writer, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn, fields: f, values: recent.New[valueKey, int64](recentValues)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	for query, into := range map[string]*int64{
		"SELECT coalesce(max(id), 0) + 1 FROM value": &w.nextValue,
		"SELECT coalesce(max(id), 0) + 1 FROM doc":   &w.nextDoc,
	} {
		if err := conn.QueryRowContext(ctx, query).Scan(into); err != nil {
			return nil, err
		}
	}
	return w, w.prepare(ctx)
}

func (w *writer) prepare(ctx context.Context) error {
	s := &w.stmts
	for into, query := range map[**sql.Stmt]string{
		&s.findDoc:     "SELECT id, type, removed, weight, content, coalesce(completions, '') FROM doc WHERE urn = ?",
		&s.docValues:   "SELECT field, value FROM doc_value WHERE doc = ?",
		&s.findValue:   "SELECT id FROM value WHERE field = ? AND text = ?",
		&s.deleteValue: "DELETE FROM value WHERE id = ? RETURNING field, text",
		&s.used:        "SELECT EXISTS (SELECT 1 FROM doc_value WHERE value = ?)",
	} {
		stmt, err := w.conn.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		*into = stmt
		s.closers = append(s.closers, stmt)
	}
	for into, query := range map[**sqlite.Command]string{
		&s.insertField: "INSERT INTO field (id, name) VALUES (?, ?)",
		&s.countField:  "UPDATE field SET counted = 1 WHERE id = ?",
		&s.countStored: `INSERT INTO tally (field, value, type, removed, docs)
			SELECT v.field, v.id, d.type, d.removed, count(*) FROM value v JOIN doc_value p ON p.value = v.id JOIN doc d ON d.id = p.doc
			WHERE v.field = ? GROUP BY v.id, d.type, d.removed`,
		&s.insertValue:        "INSERT OR IGNORE INTO value (id, field, text, long) VALUES (?, ?, ?, ?)",
		&s.insertGram:         "INSERT INTO gram (rowid, text) VALUES (?, ?)",
		&s.deleteGram:         "DELETE FROM gram WHERE rowid = ?",
		&s.insertDoc:          "INSERT INTO doc (id, urn, type, removed, weight, content) VALUES (?, ?, ?, ?, ?, ?)",
		&s.updateDoc:          "UPDATE doc SET type = ?2, removed = ?3, weight = ?4, content = ?5 WHERE id = ?1",
		&s.setCompletions:     "UPDATE doc SET completions = ?2 WHERE id = ?1",
		&s.deleteDoc:          "DELETE FROM doc WHERE id = ?",
		&s.insertDocValue:     "INSERT INTO doc_value (doc, field, value) VALUES (?, ?, ?)",
		&s.deleteDocValue:     "DELETE FROM doc_value WHERE doc = ? AND field = ? AND value = ?",
		&s.deleteAllDocValues: "DELETE FROM doc_value WHERE doc = ?",
		&s.insertNumber:       "INSERT OR IGNORE INTO number (doc, field, n) VALUES (?, ?, ?)",
		&s.deleteNumbers:      "DELETE FROM number WHERE doc = ?",
		&s.insertText:         "INSERT INTO text (rowid, name, major, body, minor) VALUES (?, ?, ?, ?, ?)",
		&s.insertWords:        "INSERT INTO completion_word (rowid, words) VALUES (?, ?)",
		&s.deleteWords:        "DELETE FROM completion_word WHERE rowid = ?",
		&s.putBody:            "INSERT OR REPLACE INTO body (doc, json) VALUES (?, ?)",
		&s.deleteBody:         "DELETE FROM body WHERE doc = ?",
		&s.deleteText:         "DELETE FROM text WHERE rowid = ?",
		&s.insertCompletion:   "INSERT OR IGNORE INTO completion (field, type, place, text, doc) VALUES (?, ?, ?, ?, ?)",
		&s.deleteCompletion:   "DELETE FROM completion WHERE type = ? AND place = ? AND text = ? AND field = ? AND doc = ?",
		&s.addTally: `INSERT INTO tally (field, value, type, removed, docs) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (value, type, removed) DO UPDATE SET docs = docs + ?5`,
		&s.deleteTally: "DELETE FROM tally WHERE value = ? AND docs = 0",
		&s.setCursor:   "UPDATE meta SET value = ? WHERE key = 'cursor'",
	} {
		command, err := sqlite.Prepare(ctx, w.conn, query)
		if err != nil {
			return err
		}
		*into = command
		s.closers = append(s.closers, command)
	}
	return nil
}

func (w *writer) close() error {
	var errs []error
	for _, c := range w.stmts.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// background is the context of statements: a started batch runs to its end.
var background = context.Background()

// write applies a batch in one transaction. When a document is refused, what
// comes before it and what comes after it are applied in two.
func (w *writer) write(ctx context.Context, batch indexer.Batch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	var refusals []indexer.Refusal
	for {
		at, err := w.attempt(batch)
		if err == nil {
			break
		}
		if at < 0 || !refused(err) {
			return err
		}
		refusals = append(refusals, indexer.Refusal{URN: batch.Put[at].URN, Reason: err.Error()})
		if _, err := w.attempt(indexer.Batch{Put: batch.Put[:at]}); err != nil {
			return err
		}
		batch.Put = batch.Put[at+1:]
	}
	if len(refusals) > 0 {
		return &indexer.RefusedError{Refusals: refusals}
	}
	return nil
}

// attempt applies a batch in one transaction. When that fails it says at which
// of the documents, -1 when at none of them.
func (w *writer) attempt(batch indexer.Batch) (at int, err error) {
	if _, err := w.conn.ExecContext(background, "BEGIN IMMEDIATE"); err != nil {
		return -1, err
	}
	w.tallies, w.dropped, w.named = map[tallyKey]int64{}, map[int64]bool{}, nil
	w.newlyCounted = nil
	at, err = w.apply(batch)
	if err == nil {
		_, err = w.conn.ExecContext(background, "COMMIT")
	}
	if err == nil {
		return -1, nil
	}
	w.fields.forget(w.named)
	w.fields.uncount(w.newlyCounted)
	w.values = recent.New[valueKey, int64](recentValues)
	if _, undo := w.conn.ExecContext(background, "ROLLBACK"); undo != nil && !rolledBack(undo) {
		return -1, errors.Join(err, undo)
	}
	return at, err
}

// rolledBack: the library ended the transaction by itself, as it does on some
// failures.
func rolledBack(err error) bool {
	return strings.Contains(err.Error(), "no transaction is active")
}

func (w *writer) apply(batch indexer.Batch) (at int, err error) {
	for i := range batch.Put {
		if err := w.put(&batch.Put[i]); err != nil {
			return i, err
		}
	}
	for _, urn := range batch.Delete {
		if err := w.delete(urn); err != nil {
			return -1, err
		}
	}
	if err := w.settle(); err != nil {
		return -1, err
	}
	if batch.Cursor == "" {
		return -1, nil
	}
	_, err = w.stmts.setCursor.Run(batch.Cursor)
	return -1, err
}

// stored is what the index has of a document.
type stored struct {
	id, docType int64
	removed     bool
	weight      float64
	content     int64
	values      []fieldValue
	// completions is the JSON list of the rows in completion.
	completions string
}

type fieldValue struct{ field, value int64 }

// find reads a document, or nil if there is none.
func (w *writer) find(urn string) (*stored, error) {
	var s stored
	err := w.stmts.findDoc.QueryRowContext(background, urn).Scan(&s.id, &s.docType, &s.removed, &s.weight, &s.content, &s.completions)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := w.stmts.docValues.QueryContext(background, s.id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v fieldValue
		if err := rows.Scan(&v.field, &v.value); err != nil {
			return nil, err
		}
		s.values = append(s.values, v)
	}
	return &s, rows.Err()
}

// put writes what differs between a document and the one stored.
func (w *writer) put(d *indexer.Document) error {
	old, err := w.find(d.URN)
	if err != nil {
		return err
	}
	if err := w.count(d); err != nil {
		return err
	}
	next := stored{removed: d.Removed, weight: d.Weight, content: contentOf(d)}
	if next.docType, err = w.value(indexer.FieldType, d.Type); err != nil {
		return err
	}
	if next.values, err = w.valuesOf(d); err != nil {
		return err
	}
	if old == nil {
		next.id = w.nextDoc
		w.nextDoc++
		_, err = w.stmts.insertDoc.Run(next.id, d.URN, next.docType, next.removed, next.weight, next.content)
		old = &stored{id: next.id}
	} else {
		next.id = old.id
		if old.docType != next.docType || old.removed != next.removed || old.weight != next.weight || old.content != next.content {
			_, err = w.stmts.updateDoc.Run(next.id, next.docType, next.removed, next.weight, next.content)
		}
	}
	if err != nil {
		return err
	}
	changed, err := w.moveValues(old, &next)
	if err == nil && changed {
		err = w.putBody(d, next.id)
	}
	if err != nil {
		return err
	}
	w.tally(old, -1)
	w.tally(&next, 1)
	if old.content == next.content {
		return nil
	}
	return w.putContent(d, old, &next)
}
