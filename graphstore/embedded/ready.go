package embedded

import (
	"errors"
	"fmt"
	"os"

	"github.com/headwater-io/headwater/graphstore"
)

// probeBytes is the disk space that the store needs to be ready.
const probeBytes = 64 << 10

// files recognises the file of the store among other files of the same name.
type files struct {
	dir, path string
	opened    os.FileInfo
}

func newFiles(dir, path string) (*files, error) {
	info, err := os.Stat(path)
	return &files{dir, path, info}, err
}

// check fails if the file is no longer the file that was opened, or if no data can be written
// into its directory. The connections notice neither: they keep using a deleted file, and can
// read from a full disk.
func (f *files) check() error {
	info, err := os.Stat(f.path)
	if err == nil && !os.SameFile(info, f.opened) {
		err = errors.New("it was replaced while the store was open")
	}
	if err != nil {
		return fmt.Errorf("database file: %w: %w", graphstore.ErrUnavailable, err)
	}
	if err := f.write(); err != nil {
		return fmt.Errorf("data directory: %w: %w", graphstore.ErrUnavailable, err)
	}
	return nil
}

func (f *files) write() error {
	probe, err := os.CreateTemp(f.dir, ".ready-*")
	if err != nil {
		return err
	}
	_, err = probe.Write(make([]byte, probeBytes))
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}

// Sizes returns the bytes of the database file, and of the write-ahead log, which has the
// latest writes.
func (s *Store) Sizes() (database, log int64, err error) {
	info, err := os.Stat(s.files.path)
	if err != nil {
		return 0, 0, err
	}
	switch wal, err := os.Stat(s.files.path + "-wal"); {
	case err == nil:
		return info.Size(), wal.Size(), nil
	case errors.Is(err, os.ErrNotExist):
		return info.Size(), 0, nil
	default:
		return 0, 0, err
	}
}
