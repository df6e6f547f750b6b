// Package privatefile writes files that only their owner may read, such as files of secrets: whole or
// not at all, also if the machine stops.
package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace replaces a file, or makes it.
func Replace(path, text string) error {
	next, err := beside(path, text)
	if err != nil {
		return err
	}
	return errors.Join(os.Rename(next, path), syncFolder(path))
}

// Create makes a file if there is none. Create leaves a file alone that another process makes at the
// same time.
func Create(path, text string) error {
	next, err := beside(path, text)
	if err != nil {
		return err
	}
	err = os.Link(next, path) // unlike a rename, a link never replaces a file
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(next), syncFolder(path))
}

// beside writes a text to a temporary file beside a path, and returns the name of that file.
func beside(path, text string) (string, error) {
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
