// Package embedded is the graph store that needs no server: one SQLite file in one directory,
// in pure Go.
//
// One goroutine writes at a time. Updates that arrive meanwhile run together and share one
// durable commit. Reads use their own connections and see only committed data.
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
	"time"

	"github.com/gofrs/flock"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// Options configure a Store. All fields except Dir may be zero.
type Options struct {
	// Dir is the data directory. Dir is created if it is missing.
	Dir string
	// Aspects are the names of aspects that always have room. The store keeps
	// limits.MaxUnknownAspects other names. If Aspects is empty, no name has room of its own, and
	// the number of names is not bounded.
	Aspects []string
	// Readers bounds the connections for short reads; 0 means one for each processor, at least 4.
	// There are as many again for reads of single rows, and half as many each for walks and for
	// listings.
	Readers int
	// Queue bounds the updates that wait for the writer, Patience the wait of each. Beyond either
	// bound, Update fails with [graphstore.ErrBusy]. Zero means limits.MaxQueuedWrites and
	// limits.MaxQueuedWriteTime.
	Queue    int
	Patience time.Duration
	// Now is the machine's clock; nil means time.Now.
	Now func() time.Time
	// Logger receives warnings about maintenance of the store.
	Logger *slog.Logger
}

// fileName is the name of the database in the data directory, lockName that of the file that
// reserves the directory for one process.
const (
	fileName = "headwater.db"
	lockName = "LOCK"
)

// These are the pragmas of both kinds of connections. A page holds a typical aspect. The
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
	lock *flock.Flock
	lanes
	writing *sql.DB
	names   *names
	writer  *writer
	memory  *memory
	files   *files
	logger  *slog.Logger
	// patience bounds the wait of an update for its turn.
	patience time.Duration
	// origin identifies the log.
	origin int64

	closing sync.Once
	closed  chan struct{}
}

var _ graphstore.Store = (*Store)(nil)

// Open opens the store in a directory. Only one process at a time may use the directory.
func Open(ctx context.Context, options Options) (_ *Store, err error) {
	if options.Readers == 0 {
		options.Readers = defaultReaders()
	}
	if options.Queue == 0 {
		options.Queue = limits.MaxQueuedWrites
	}
	if options.Patience == 0 {
		options.Patience = limits.MaxQueuedWriteTime
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(options.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	s := &Store{logger: options.Logger, memory: newMemory(), patience: options.Patience, closed: make(chan struct{})}
	s.lock = flock.New(filepath.Join(options.Dir, lockName), flock.SetPermissions(0o600))
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
	if s.lanes, err = openLanes(path, options.Readers); err != nil {
		return nil, err
	}
	if s.files, err = newFiles(options.Dir, path); err != nil {
		return nil, err
	}
	if s.names, err = loadNames(ctx, s.readers.DB, s.interned, options.Aspects); err != nil {
		return nil, err
	}
	s.writer, err = startWriter(ctx, s.writing, s.names, s.memory, path, options.Queue, options.Logger, options.Now)
	return s, err
}

// migrations returns the names of the files with migrations, in order.
func migrations() ([]string, error) { return fs.Glob(migrationFiles, "migrations/*.sql") }

// schemaVersion returns the newest schema that this binary supports.
func schemaVersion() (int, error) {
	files, err := migrations()
	return len(files), err
}

// migrate applies the numbered migrations that the file lacks, each in its own transaction. The
// user_version of the file is the number of the last one.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := migrations()
	if err != nil {
		return err
	}
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("database file: %w", err)
	}
	if version > len(files) {
		return fmt.Errorf("the data has schema %d, this binary supports up to %d: %w", version, len(files), graphstore.ErrNewerSchema)
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

// Ping returns an error if the store cannot read or write.
func (s *Store) Ping(ctx context.Context) error {
	if s.isClosed() {
		return graphstore.ErrClosed
	}
	if err := s.files.check(); err != nil {
		return err
	}
	var one int
	return s.failure(s.health.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Close answers the queued Updates, then closes the file.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		close(s.closed)
		err = errors.Join(s.writer.stop(), s.release())
	})
	return err
}

func (s *Store) release() error {
	errs := []error{s.close()}
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

// failure converts an error of the library to an error of the store.
func (s *Store) failure(err error) error {
	if err == nil {
		return nil
	}
	if s.isClosed() && !errors.Is(err, graphstore.ErrClosed) {
		return graphstore.ErrClosed
	}
	return storeError(err)
}

// storeError marks errors that mean that the file cannot be read or written now.
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
