// Package reread keeps a value that was read from files, and reads it again when the files have changed.
package reread

import (
	"io/fs"
	"os"
	"sync"
)

// Value is a value that was read from files. It is safe for concurrent use.
type Value[T any] struct {
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
func Open[T any](read func() (T, error), told func(T, error), files ...string) (*Value[T], error) {
	v := &Value[T]{files: files, read: read, told: told}
	// The files are looked at before they are read: a change in between is then found later.
	var err error
	if v.about, err = v.look(); err != nil {
		return nil, err
	}
	v.value, err = read()
	return v, err
}

// Current returns the value. It looks at the files each time, which takes about a microsecond for
// each. While a file is missing or cannot be used, the former value stays.
func (v *Value[T]) Current() T {
	v.mu.Lock()
	defer v.mu.Unlock()
	about, err := v.look()
	if err != nil || v.same(about) {
		return v.value
	}
	v.about = about
	value, err := v.read()
	if err == nil {
		v.value = value
	}
	v.told(value, err)
	return v.value
}

func (v *Value[T]) look() ([]fs.FileInfo, error) {
	about := make([]fs.FileInfo, len(v.files))
	for i, name := range v.files {
		var err error
		if about[i], err = os.Stat(name); err != nil {
			return nil, err
		}
	}
	return about, nil
}

// same reports whether files are the files of the last look.
func (v *Value[T]) same(about []fs.FileInfo) bool {
	for i, is := range about {
		if was := v.about[i]; !os.SameFile(is, was) || !is.ModTime().Equal(was.ModTime()) || is.Size() != was.Size() {
			return false
		}
	}
	return true
}
