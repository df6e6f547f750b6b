package secrets

import (
	"errors"
	"io/fs"
	"os"

	"github.com/headwater-io/headwater/internal/privatefile"
	"github.com/headwater-io/headwater/internal/sealed"
)

// makeFile makes a file with one new key. Only the owner of the file may read it. makeFile never replaces a
// file.
func makeFile(path string) error {
	return privatefile.Create(path, sealed.MakeKey()+"\n")
}

// AddKey puts a new key before the keys in a file, or makes the file. It returns the keys of the file.
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
	return keys, privatefile.Replace(path, text)
}
