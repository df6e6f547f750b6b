// Package embedded is the search index that needs no server.
//
// Documents are in immutable segments. A segment has the values and words of each field in
// order, and for each of them a bitmap of the documents that have it. Written documents are
// first a small segment in memory. A goroutine merges segments into files, which are mapped
// into memory. A snapshot names the files and the position in the change log up to which
// they are complete. After a crash, changes that were only in memory are read from the
// change log again. A file that has changed since it was written is deleted.
// The reasons are in docs/decisions/0043-embedded-index-bitmaps.md.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/gofrs/flock"

	"github.com/headwater-io/headwater/indexer"
)

// Options configure an index. Dir is required.
type Options struct {
	// Dir is the data directory; it is created if it is missing. Only one process
	// at a time may use it.
	Dir string
	// Fingerprint identifies the model and the projection that documents are made with. Open
	// drops an index with another fingerprint.
	Fingerprint string
	// Memory is how many bytes of documents are kept in memory before they are written to a
	// file; 0 means 32 MiB. For short moments the index keeps up to twice as many.
	Memory int64
	// Logger receives reports of damage.
	Logger *slog.Logger
}

// The names in the data directory.
const (
	directory = "search"
	lockName  = "search.lock"
)

const defaultMemory = 32 << 20

// formerFiles are the indexes of earlier releases.
var formerFiles = []string{"search*.db", "search*.db-wal", "search*.db-shm"}

// layout is the number of the files' layout. Open drops files with another number.
const layout = "2"

// Index is an embedded search index.
type Index struct {
	options Options
	core    atomic.Pointer[core]
	// mu is held for reading by writes, and for writing by Swap and Close.
	mu     sync.RWMutex
	closed bool
	lock   *flock.Flock
	number atomic.Int64
	// damage says which damage Open found in the files, or is "".
	damage string
}

var _ indexer.Index = (*Index)(nil)

// Open opens the index in o.Dir. Files that cannot be used are dropped, see [Index.Damage].
// It returns an error if another process has the index open.
func Open(ctx context.Context, o Options) (_ *Index, err error) {
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	dir := filepath.Join(o.Dir, directory)
	if err := os.MkdirAll(dir, 0o700); err != nil {
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
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := removeFormer(o.Dir); err != nil {
		return nil, err
	}
	x := &Index{options: o, lock: lock}
	state, err := x.load(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	x.core.Store(newCore(&x.options, &x.number, state, true))
	return x, nil
}

// removeFormer deletes the index of an earlier release. The follower builds a new one.
func removeFormer(dir string) error {
	for _, pattern := range formerFiles {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// load opens the saved state. Files of another layout and damaged files are dropped,
// because they must not prevent the server from starting.
func (x *Index) load(ctx context.Context, dir string) (saved, error) {
	state, err := loadSnapshot(dir, layout+" "+x.options.Fingerprint)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrPermission):
		return saved{}, err
	default:
		if !errors.Is(err, errOther) {
			x.damage = err.Error()
			x.options.Logger.WarnContext(ctx, "the search index is damaged; it is thrown away and rebuilt", "error", err, "directory", dir)
		}
		if err := os.Remove(filepath.Join(dir, snapshotName)); err != nil {
			return saved{}, err
		}
	}
	number, err := removeUnnamed(dir, state)
	x.number.Store(number)
	return state, err
}

// Damage describes the files that Open dropped because they were damaged, or returns "".
func (x *Index) Damage() string { return x.damage }

// Ping returns nil if the index can answer searches and save changes. The error wraps
// [indexer.ErrClosed], or [indexer.ErrUnwritable] if the index answers but cannot save.
func (x *Index) Ping(context.Context) error {
	v := x.acquire()
	if v == nil {
		return indexer.ErrClosed
	}
	v.release()
	if err := x.core.Load().saving.get(); err != nil {
		return fmt.Errorf("%w: %w", indexer.ErrUnwritable, err)
	}
	return nil
}

// acquire returns the current view and holds it for the caller. It returns nil if the index
// is closed.
func (x *Index) acquire() *view {
	for {
		c := x.core.Load()
		if v := c.acquire(); v != nil || c == x.core.Load() {
			return v
		}
	}
}

// Close saves the segments in memory and releases the files.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	return errors.Join(x.core.Load().close(true), x.lock.Unlock())
}

// Write applies a batch; see [indexer.Writer].
func (x *Index) Write(ctx context.Context, batch indexer.Batch) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return indexer.ErrClosed
	}
	c := x.core.Load()
	return c.guarded(func() error { return c.write(ctx, batch) })
}

// Cursor returns the position of the last write that had one, or "".
func (x *Index) Cursor(context.Context) (string, error) {
	v := x.acquire()
	if v == nil {
		return "", indexer.ErrClosed
	}
	defer v.release()
	return v.cursor, nil
}
