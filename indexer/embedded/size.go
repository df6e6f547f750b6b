package embedded

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Size returns the size in bytes of the index's files, including those of a rebuild.
func (x *Index) Size() (bytes int64, err error) { return SizeIn(x.options.Dir) }

// SizeIn returns the size in bytes of the index's files in a data directory, 0 if there are
// none. The index may be in use.
func SizeIn(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(filepath.Join(dir, directory), func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a merge may have deleted the file
		}
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
