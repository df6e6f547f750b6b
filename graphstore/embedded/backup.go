package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

const (
	// sumSuffix ends the name of the file with the checksum of a backup, in the format of
	// sha256sum.
	sumSuffix = ".sha256"
	// partSuffix ends the name of a file that is not complete yet.
	partSuffix = ".part"
	// markerName is the name of a file in the data directory that each backup rewrites, so that the
	// file's time is the time of the newest backup.
	markerName = "last-backup"
)

// ErrBadBackup tells that a file is not a backup, or is damaged.
var ErrBadBackup = errors.New("this is not an intact backup")

// Backup describes a backup file.
type Backup struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	// SHA256 is the checksum of the file in hexadecimal.
	SHA256 string `json:"sha256"`
	// Schema is the number of the schema of the data.
	Schema int `json:"schema"`
	// Entities counts the existing entities, Changes the changes in the change log.
	Entities int64 `json:"entities"`
	Changes  int64 `json:"changes"`
}

// WriteBackup writes the store of a directory, in its state at one moment, into a new file,
// checks the file, and writes its checksum beside it. A server may use the store meanwhile; its
// later writes are not in the file. If file names a directory (see [backupFile]), the name of
// the file in it is the time.
func WriteBackup(ctx context.Context, dir, file string) (_ Backup, err error) {
	path := filepath.Join(dir, fileName)
	if _, err := os.Stat(path); err != nil {
		return Backup{}, fmt.Errorf("there is no embedded store in %s: %w", dir, err)
	}
	if file, err = backupFile(file); err != nil {
		return Backup{}, err
	}
	for _, name := range []string{file, file + sumSuffix} {
		if _, err := os.Stat(name); err == nil {
			return Backup{}, fmt.Errorf("%s exists and is not overwritten: %w", name, os.ErrExist)
		}
	}
	part, err := os.OpenFile(file+partSuffix, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return Backup{}, fmt.Errorf("a backup is being written to %s, or was interrupted; delete the file then: %w", file+partSuffix, err)
	}
	if err != nil {
		return Backup{}, fmt.Errorf("the backup cannot be written: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, discard(part.Name()))
		}
	}()
	if err := part.Close(); err != nil {
		return Backup{}, err
	}
	if err := sqlite.Copy(ctx, path, part.Name()); err != nil {
		return Backup{}, fmt.Errorf("copying %s: %w", path, err)
	}
	made, err := readBackup(ctx, part.Name())
	if err != nil {
		return Backup{}, fmt.Errorf("the copy of %s: %w", path, err)
	}
	made.File = file
	// The checksum is written first, so that no backup ever lacks it.
	if err := writeSum(made); err != nil {
		return Backup{}, err
	}
	if err := publish(part.Name(), file); err != nil {
		return Backup{}, errors.Join(err, discard(file+sumSuffix))
	}
	// The marker is only for a metric: without it, the newest backup looks older than it is. So an
	// error does not matter.
	_ = os.WriteFile(filepath.Join(dir, markerName), []byte(file+"\n"), 0o600)
	return made, nil
}

// backupFile returns the file into which a backup is written. A path names a directory if the
// directory exists, if the path ends with a slash, or if the path does not exist and its last
// part has no dot: /backups, but not /backups/catalog.db. A missing directory is created. The
// directory of a named file is not created, because its name may be misspelled.
func backupFile(path string) (string, error) {
	if path == "" {
		return "", errors.New("the backup needs the name of a file or a directory")
	}
	slash := os.IsPathSeparator(path[len(path)-1])
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && (slash || !strings.Contains(filepath.Base(path), ".")) {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return "", fmt.Errorf("directory for the backup: %w", err)
		}
	}
	if slash || isDirectory(path) {
		return filepath.Join(path, "headwater-"+time.Now().UTC().Format("20060102T150405Z")+".db"), nil
	}
	if dir := filepath.Dir(path); !isDirectory(dir) {
		return "", fmt.Errorf("there is no directory %s; make it first, or name a directory: %s%c", dir, path, os.PathSeparator)
	}
	return path, nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// writeSum writes the checksum of a backup into a file beside the backup.
func writeSum(b Backup) error {
	name := b.File + sumSuffix
	err := os.WriteFile(name+partSuffix, []byte(b.SHA256+"  "+filepath.Base(b.File)+"\n"), 0o600)
	if err == nil {
		err = publish(name+partSuffix, name)
	}
	if err != nil {
		return errors.Join(err, discard(name+partSuffix))
	}
	return nil
}

// publish renames a file after its content is on the disk. If publish fails, the file still has
// its old name.
func publish(part, file string) error {
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, file); err != nil {
		return err
	}
	if dir, err := os.Open(filepath.Dir(file)); err == nil {
		_ = dir.Sync() // not every file system can sync a directory
		_ = dir.Close()
	}
	return nil
}

// discard deletes a file if it exists.
func discard(file string) error {
	if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// CheckBackup reads a whole backup. CheckBackup fails with [ErrBadBackup] if the file is
// damaged or is not a backup, and with [graphstore.ErrNewerSchema] if this binary is too old
// for it.
func CheckBackup(ctx context.Context, file string) (Backup, error) {
	read, err := readBackup(ctx, file)
	if err != nil {
		return read, err
	}
	sum, err := os.ReadFile(file + sumSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return read, nil // another tool copied the backup without its checksum
	}
	if err != nil {
		return read, err
	}
	if want, _, _ := strings.Cut(string(sum), " "); want != read.SHA256 {
		return read, fmt.Errorf("%w: %s has the checksum %s, but %s says %.64q", ErrBadBackup, file, read.SHA256, file+sumSuffix, want)
	}
	return read, nil
}

func readBackup(ctx context.Context, file string) (_ Backup, err error) {
	b := Backup{File: file}
	if b.Bytes, b.SHA256, err = sumOf(ctx, file); err != nil {
		return b, err
	}
	db, err := sqlite.OpenCopy(ctx, file)
	if err != nil {
		return b, unreadable(ctx, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&b.Schema); err != nil {
		return b, unreadable(ctx, err)
	}
	supported, err := schemaVersion()
	if err != nil {
		return b, err
	}
	if b.Schema > supported {
		return b, fmt.Errorf("the backup has schema %d, this binary supports up to %d: %w", b.Schema, supported, graphstore.ErrNewerSchema)
	}
	err = db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM entity WHERE state = 2), (SELECT count(*) FROM change)").Scan(&b.Entities, &b.Changes)
	if err != nil {
		return b, unreadable(ctx, fmt.Errorf("counting what is in it: %w", err))
	}
	return b, nil
}

// unreadable converts an error of reading a backup: it tells a backup that is not intact from a
// context that has ended and from a file that cannot be read now.
func unreadable(ctx context.Context, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	switch sqlite.MeaningOf(err) {
	case sqlite.Damaged, sqlite.Other: // Other means that tables are missing, or that pages contradict each other
		return fmt.Errorf("%w: %w", ErrBadBackup, err)
	}
	return storeError(err)
}

// stoppable is a reader that fails after its context has ended.
type stoppable struct {
	ctx  context.Context
	from io.Reader
}

func (r stoppable) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

func sumOf(ctx context.Context, file string) (bytes int64, sum string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash := sha256.New()
	bytes, err = io.Copy(hash, stoppable{ctx, f})
	return bytes, hex.EncodeToString(hash.Sum(nil)), err
}

// RestoreBackup checks a backup and makes it the store of a directory without a store.
// RestoreBackup does not use a search index in the directory: the next start builds a new one.
func RestoreBackup(ctx context.Context, file, dir string) (_ Backup, err error) {
	read, err := CheckBackup(ctx, file)
	if err != nil {
		return read, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return read, fmt.Errorf("data directory: %w", err)
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	if held, err := lock.TryLock(); err != nil {
		return read, fmt.Errorf("data directory lock: %w", err)
	} else if !held {
		return read, fmt.Errorf("the data directory %s is in use by another process: %w", dir, graphstore.ErrUnavailable)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	path := filepath.Join(dir, fileName)
	for _, name := range []string{path, path + "-wal"} {
		if _, err := os.Stat(name); err == nil {
			return read, fmt.Errorf("%s exists; restore into another directory, or move it away: %w", name, os.ErrExist)
		}
	}
	sum, err := copyFile(ctx, file, path+partSuffix)
	if err == nil && sum != read.SHA256 {
		err = fmt.Errorf("%w: %s was changed while it was restored", ErrBadBackup, file)
	}
	if err == nil {
		err = publish(path+partSuffix, path)
	}
	if err != nil {
		return read, errors.Join(err, discard(path+partSuffix))
	}
	return read, nil
}

// copyFile copies a file, and returns the checksum of the copied bytes.
func copyFile(ctx context.Context, from, into string) (sum string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(into, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), stoppable{ctx, in})
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, out.Close())
}

// NewestBackup returns when the newest backup of the store in a directory was made, or the zero
// time if that is unknown.
func NewestBackup(dir string) time.Time {
	info, err := os.Stat(filepath.Join(dir, markerName))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
