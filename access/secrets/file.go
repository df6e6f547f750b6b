package secrets

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/headwater-io/headwater/internal/sealed"
)

// makeFile makes a file with one new key, which only its owner may read. It never replaces a file.
func makeFile(path string) error {
	next, err := write(path, sealed.MakeKey()+"\n")
	if err != nil {
		return err
	}
	err = os.Link(next, path) // unlike a rename, a link never replaces the file of a server that starts at the same time
	return errors.Join(err, os.Remove(next), syncFolder(path))
}

// AddKey puts a new key in front of those in a file, or makes the file. It returns the keys of the file.
func AddKey(path string) (sealed.Keys, error) {
	former, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := makeFile(path); err != nil {
			return nil, err
		}
		return Read(path)
	case err != nil:
		return nil, err
	}
	if _, err := Read(path); err != nil {
		return nil, err
	}
	text := sealed.MakeKey() + "\n" + string(former)
	keys, err := sealed.Parse(text)
	if err != nil {
		return nil, err
	}
	next, err := write(path, text)
	if err != nil {
		return nil, err
	}
	return keys, errors.Join(os.Rename(next, path), syncFolder(path))
}

// write writes a text to a temporary file beside a path, and returns the name of that file.
func write(path, text string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // only its owner may read it
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// syncFolder makes the name of a new file durable.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
