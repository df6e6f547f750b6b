// Package reread keeps a value that was read from files, and reads it again when the files have changed.
package reread

import (
	"io/fs"
	"os"
	"sync"
)

// Kept is a value that was read from files. It is safe for concurrent use.
type Kept[T any] struct {
	files []string
	read  func() (T, error)
	told  func(T, error)

	mu    sync.Mutex
	value T
	// about describes the files as they were at the last look. It is replaced even if the files could not be
	// used, so that each bad file is reported once.
	about []fs.FileInfo
}

// Open reads a value from files with a function. Its error is that of the function, or names a missing file.
// After each later reading, told is called with the results of the function.
func Open[T any](read func() (T, error), told func(T, error), files ...string) (*Kept[T], error) {
	k := &Kept[T]{files: files, read: read, told: told}
	// The files are looked at before they are read: a change in between is then found later.
	var err error
	if k.about, err = k.look(); err != nil {
		return nil, err
	}
	k.value, err = read()
	return k, err
}

// Current returns the value. It looks at the files each time, which takes about a microsecond for
// each. While a file is missing or cannot be used, the former value stays.
func (k *Kept[T]) Current() T {
	k.mu.Lock()
	defer k.mu.Unlock()
	about, err := k.look()
	if err != nil || k.same(about) {
		return k.value
	}
	k.about = about
	value, err := k.read()
	if err == nil {
		k.value = value
	}
	k.told(value, err)
	return k.value
}

func (k *Kept[T]) look() ([]fs.FileInfo, error) {
	about := make([]fs.FileInfo, len(k.files))
	for i, name := range k.files {
		var err error
		if about[i], err = os.Stat(name); err != nil {
			return nil, err
		}
	}
	return about, nil
}

// same reports whether files are the files of the last look.
func (k *Kept[T]) same(about []fs.FileInfo) bool {
	for i, is := range about {
		if was := k.about[i]; !os.SameFile(is, was) || !is.ModTime().Equal(was.ModTime()) || is.Size() != was.Size() {
			return false
		}
	}
	return true
}
