// Package embedded is the graph store that needs no server: one SQLite file in
// one directory, pure Go.
//
// One goroutine writes. Updates that arrive while it is busy run together and
// share one durable commit. Reads use their own connections and see only
// committed state.
package embedded

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// Options configure a store. The zero value of everything but Dir works.
type Options struct {
	// Dir is the data directory; it is made when it is missing.
	Dir string
	// Readers bounds the connections that read, 4 when zero.
	Readers int
	// Logger gets warnings about the store's upkeep.
	Logger *slog.Logger
}

// fileName is the database inside the data directory.
const fileName = "headwater.db"

// Pragmas of both kinds of connection. A page holds a typical aspect; the
// write-ahead log is fsynced at every commit.
var (
	writerPragmas = []string{
		"page_size(8192)", "journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(10000)", "cache_size(-16384)",
		"wal_autocheckpoint(2000)", "journal_size_limit(67108864)", "temp_store(MEMORY)",
	}
	readerPragmas = []string{"query_only(1)", "busy_timeout(10000)", "cache_size(-2048)", "temp_store(MEMORY)"}
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Store is an embedded graph store.
type Store struct {
	lock    *flock.Flock
	readers *pool
	writing *sql.DB
	names   *names
	writer  *writer
	memory  *memory
	logger  *slog.Logger
	// origin is the log's own identity.
	origin int64

	closing sync.Once
	closed  chan struct{}
}

var _ graphstore.Store = (*Store)(nil)

// Open opens the store in a directory, which one process at a time may hold.
func Open(ctx context.Context, options Options) (_ *Store, err error) {
	if options.Readers == 0 {
		options.Readers = 4
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(options.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	s := &Store{logger: options.Logger, memory: newMemory(), closed: make(chan struct{})}
	s.lock = flock.New(filepath.Join(options.Dir, "LOCK"), flock.SetPermissions(0o600))
	held, err := s.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("data directory lock: %w", err)
	}
	if !held {
		return nil, fmt.Errorf("the data directory %s is in use by another process: %w", options.Dir, graphstore.ErrUnavailable)
	}
	defer func() {
		if err != nil {
			_ = s.release()
		}
	}()
	path := filepath.Join(options.Dir, fileName)
	if err := sqlite.PrivateFile(path); err != nil {
		return nil, err
	}
	if s.writing, err = sqlite.Open(path, writerPragmas...); err != nil {
		return nil, err
	}
	s.writing.SetMaxOpenConns(1)
	if err := migrate(ctx, s.writing); err != nil {
		return nil, err
	}
	if err := s.writing.QueryRowContext(ctx, "SELECT token FROM log_origin").Scan(&s.origin); err != nil {
		return nil, fmt.Errorf("database file: %w", err)
	}
	readers, err := sqlite.Open(path, readerPragmas...)
	if err != nil {
		return nil, err
	}
	s.readers = newPool(readers)
	s.readers.SetMaxOpenConns(options.Readers)
	s.readers.SetMaxIdleConns(options.Readers)
	if s.names, err = loadNames(ctx, readers); err != nil {
		return nil, err
	}
	s.writer, err = startWriter(ctx, s.writing, s.names, s.memory, path, options.Logger)
	return s, err
}

// migrate applies the numbered migrations that the file has not had yet, each
// in its own transaction. The file's user_version is the number applied.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return err
	}
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("database file: %w", err)
	}
	if version > len(files) {
		return fmt.Errorf("the data is of schema %d, this binary knows up to %d: %w", version, len(files), graphstore.ErrNewerSchema)
	}
	for i := version; i < len(files); i++ {
		text, err := fs.ReadFile(migrationFiles, files[i])
		if err != nil {
			return err
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		statement := string(text) + fmt.Sprintf("\nPRAGMA user_version = %d;", i+1)
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", files[i], err), tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Ping reports whether the store can serve.
func (s *Store) Ping(ctx context.Context) error {
	if s.isClosed() {
		return graphstore.ErrClosed
	}
	var one int
	return s.failure(s.readers.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Close answers the Updates that are queued, then releases the file.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		close(s.closed)
		err = errors.Join(s.writer.stop(), s.release())
	})
	return err
}

func (s *Store) release() error {
	var errs []error
	if s.readers != nil {
		errs = append(errs, s.readers.Close())
	}
	if s.writing != nil {
		errs = append(errs, s.writing.Close())
	}
	return errors.Join(append(errs, s.lock.Unlock())...)
}

func (s *Store) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// failure turns an error of the library into one of the store's.
func (s *Store) failure(err error) error {
	if err == nil {
		return nil
	}
	if s.isClosed() && !errors.Is(err, graphstore.ErrClosed) {
		return graphstore.ErrClosed
	}
	return storeError(err)
}

// storeError marks the errors that say the file cannot be read or written now.
func storeError(err error) error {
	switch sqlite.MeaningOf(err) {
	case sqlite.Unavailable, sqlite.Damaged:
		return fmt.Errorf("%w: %w", graphstore.ErrUnavailable, err)
	case sqlite.Interrupted:
		return context.Canceled
	case sqlite.Closed:
		return graphstore.ErrClosed
	}
	return err
}
