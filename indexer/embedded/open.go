// Package embedded is the search index that needs no server: SQLite with FTS5,
// in one file beside the embedded graph store's.
//
// A table of fields and values answers filters and facets, FTS5 answers text
// queries, and the counts of the unfiltered view are kept up to date rather than
// computed. The file is written without waiting for the disk: what a power failure
// takes from it is read again from the change log, whose cursor is in the file too.
package embedded

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// Options configure an index. Dir is required.
type Options struct {
	// Dir is the data directory; it is created if it is missing. Only one process
	// at a time may use it.
	Dir string
	// Fingerprint identifies what the documents are made from. An index with another
	// fingerprint is dropped at opening.
	Fingerprint string
	// Readers bounds the connections for reads; 0 means 4.
	Readers int
	// Logger receives reports of damage.
	Logger *slog.Logger
}

// The files in the data directory.
const (
	fileName  = "search.db"
	lockName  = "search.lock"
	buildName = "search-build.db"
)

// layout is the number of the layout of the tables; a file with another one is
// dropped.
const layout = "1"

var (
	writerPragmas = []string{
		"page_size(8192)", "journal_mode(WAL)", "synchronous(NORMAL)", "busy_timeout(10000)", "cache_size(-32768)",
		"wal_autocheckpoint(4000)", "journal_size_limit(67108864)", "temp_store(MEMORY)",
	}
	readerPragmas = []string{"query_only(1)", "busy_timeout(10000)", "cache_size(-8192)", "temp_store(MEMORY)"}
)

//go:embed schema.sql
var schema string

// Index is an embedded search index.
type Index struct {
	options Options
	// mu is held for reading by every operation and for writing by Swap and
	// Close, which exchange what is below.
	mu     sync.RWMutex
	file   *file
	closed bool
	lock   *flock.Flock
	// damage is what was wrong with the file found at opening.
	damage string
}

var _ indexer.Index = (*Index)(nil)

// file is one open database.
type file struct {
	readers *sql.DB
	writing *sql.DB
	writer  *writer
	fields  *fields
	pool    *pool
}

// Open opens the index in a directory.
func Open(ctx context.Context, o Options) (_ *Index, err error) {
	if o.Readers == 0 {
		o.Readers = 4
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	lock := flock.New(filepath.Join(o.Dir, lockName), flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("search index lock: %w", err)
	}
	if !held {
		return nil, fmt.Errorf("the search index in %s is in use by another process: %w", o.Dir, indexer.ErrUnavailable)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Unlock())
		}
	}()
	if err := remove(filepath.Join(o.Dir, buildName)); err != nil {
		return nil, err
	}
	f, damage, err := openOrReplace(ctx, &o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(o.Dir, fileName), failure(err))
	}
	return &Index{options: o, file: f, lock: lock, damage: damage}, nil
}

// errOther: the file has another layout and cannot be used.
var errOther = errors.New("the index was made with another layout")

func openFile(ctx context.Context, path string, o *Options) (_ *file, err error) {
	if err := sqlite.PrivateFile(path); err != nil {
		return nil, err
	}
	f := &file{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if f.writing, err = sqlite.Open(path, writerPragmas...); err != nil {
		return nil, err
	}
	f.writing.SetMaxOpenConns(1)
	if err := prepareFile(ctx, f.writing, layout+" "+o.Fingerprint); err != nil {
		return nil, err
	}
	if f.readers, err = sqlite.Open(path, readerPragmas...); err != nil {
		return nil, err
	}
	if f.fields, err = loadFields(ctx, f.readers); err != nil {
		return nil, err
	}
	if f.pool, err = newPool(ctx, f.readers, o.Readers); err != nil {
		return nil, err
	}
	f.writer, err = newWriter(ctx, f.writing, f.fields)
	return f, err
}

// prepareFile creates the tables of an empty file and refuses a file with another
// layout.
func prepareFile(ctx context.Context, db *sql.DB, make string) error {
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if tables == 0 {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO meta VALUES ('make', ?), ('cursor', '')", make); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	}
	var found string
	err := db.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'make'").Scan(&found)
	if errors.Is(err, sql.ErrNoRows) || err == nil && found != make {
		return errOther
	}
	return err
}

func (f *file) close() error {
	var errs []error
	if f.writer != nil {
		errs = append(errs, f.writer.close())
	}
	if f.pool != nil {
		errs = append(errs, f.pool.close())
	}
	for _, db := range []*sql.DB{f.readers, f.writing} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// remove deletes a database with its logs.
func remove(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Ping reports whether the index can serve.
func (x *Index) Ping(ctx context.Context) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return indexer.ErrClosed
	}
	var one int // on a connection beside the pool's, which searches may hold for long
	return failure(x.file.readers.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Close waits for running operations and releases the file.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	return errors.Join(x.file.close(), x.lock.Unlock())
}

// Write applies a batch in one transaction.
func (x *Index) Write(ctx context.Context, batch indexer.Batch) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return indexer.ErrClosed
	}
	return failure(x.file.writer.write(ctx, batch))
}

// Cursor is the position last written.
func (x *Index) Cursor(ctx context.Context) (string, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return "", indexer.ErrClosed
	}
	return x.file.cursor(ctx)
}

func (f *file) cursor(ctx context.Context) (string, error) {
	var cursor string
	err := f.readers.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'cursor'").Scan(&cursor)
	if errors.Is(err, sql.ErrNoRows) {
		err = errGarbled
	}
	return cursor, failure(err)
}

// read runs fn on one state of the index.
func (x *Index) read(ctx context.Context, fn func(*snapshot) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return indexer.ErrClosed
	}
	return failure(x.file.pool.use(ctx, func(r *reader) error {
		return fn(&snapshot{ctx: ctx, reader: r, fields: x.file.fields})
	}))
}

// build is an index under construction, in its own file.
type build struct {
	index *Index
	file  *file
	path  string
}

// Rebuild starts an empty index in a second file.
func (x *Index) Rebuild(ctx context.Context) (indexer.Build, error) {
	path := filepath.Join(x.options.Dir, buildName)
	if err := remove(path); err != nil {
		return nil, err
	}
	f, err := openFile(ctx, path, &x.options)
	if err != nil {
		return nil, failure(err)
	}
	return &build{index: x, file: f, path: path}, nil
}

func (b *build) Write(ctx context.Context, batch indexer.Batch) error {
	return failure(b.file.writer.write(ctx, batch))
}

func (b *build) Cursor(ctx context.Context) (string, error) { return b.file.cursor(ctx) }

// Swap replaces the old file with the new one. Searches wait for it.
func (b *build) Swap(ctx context.Context) error {
	if err := b.file.close(); err != nil {
		return err
	}
	b.file = nil
	x := b.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return indexer.ErrClosed
	}
	// The old file may be damaged, and so may its closing fail; its logs must
	// not be taken for those of the new one.
	if err := x.file.close(); err != nil {
		x.options.Logger.WarnContext(ctx, "closing the former search index", "error", err)
	}
	path := filepath.Join(x.options.Dir, fileName)
	err := remove(path)
	if err == nil {
		err = os.Rename(b.path, path)
	}
	f, openErr := openFile(ctx, path, &x.options)
	if openErr != nil {
		x.closed = true
		return errors.Join(err, failure(openErr))
	}
	x.file = f
	return err
}

// Abandon drops the new file.
func (b *build) Abandon() error {
	if b.file == nil {
		return nil
	}
	err := b.file.close()
	b.file = nil
	return errors.Join(err, remove(b.path))
}
