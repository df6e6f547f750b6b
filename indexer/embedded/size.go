package embedded

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Size returns the bytes of the files of the index, those of a rebuild included.
func (x *Index) Size() (bytes int64, err error) { return SizeIn(x.options.Dir) }

// SizeIn returns the bytes of the files of the index in a data directory, which may be in
// use; 0 if it has none.
func SizeIn(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(filepath.Join(dir, directory), func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // merges remove files at any time
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
