// Package secrets has the keys with which the secrets of the catalog are encrypted: from a file, which may
// change while the server runs, or from a text of the environment.
package secrets

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/reread"
	"github.com/headwater-io/headwater/internal/sealed"
)

// File is the name of the file in the data directory, which is made with the first secret.
const File = "secrets.key"

// mostBytes bounds the contents of a file.
const mostBytes = 64 << 10

// Ring encrypts and decrypts with the keys of its source. It is safe for concurrent use.
type Ring struct {
	path   string
	logger *slog.Logger

	mu   sync.Mutex
	keys sealed.Keys
	file *reread.Value[sealed.Keys]
}

// FromText returns the Ring of keys in a text. The error never shows a key.
func FromText(text string) (*Ring, error) {
	keys, err := sealed.Parse(text)
	if err != nil {
		return nil, err
	}
	return &Ring{keys: keys}, nil
}

// FromFile returns the Ring of a file, which must exist. The file is read again when it has changed; a file
// that cannot be used leaves the former keys in force.
func FromFile(path string, logger *slog.Logger) (*Ring, error) {
	r := &Ring{path: path, logger: logger}
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

// FromFolder returns the Ring of the file in a data directory. If there is none, it is made when the first
// text is encrypted.
func FromFolder(folder string, logger *slog.Logger) (*Ring, error) {
	r, err := FromFile(filepath.Join(folder, File), logger)
	if errors.Is(err, fs.ErrNotExist) {
		return &Ring{path: filepath.Join(folder, File), logger: logger}, nil
	}
	return r, err
}

// Read reads a file of keys. The error never shows a key.
func Read(path string) (sealed.Keys, error) {
	about, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if about.Size() > mostBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, mostBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	keys, err := sealed.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s is not a file of keys for secrets: %w", path, err)
	}
	return keys, nil
}

// open begins to follow the file.
func (r *Ring) open() error {
	file, err := reread.Open(func() (sealed.Keys, error) { return Read(r.path) }, func(keys sealed.Keys, err error) {
		if err != nil {
			r.logger.Error("the keys of secrets cannot be used and the former ones stay in force", "error", err)
			return
		}
		r.logger.Info("the keys of secrets were read again", "file", r.path, "keys", len(keys))
	}, r.path)
	if err != nil {
		return err
	}
	if about, err := os.Stat(r.path); err == nil && about.Mode().Perm()&0o077 != 0 {
		r.logger.Warn("other users of this machine may read the keys of secrets", "file", r.path, "mode", about.Mode().Perm().String())
	}
	r.file = file
	return nil
}

// current returns the keys, none if there is no file. To seal, it makes the file.
func (r *Ring) current(toSeal bool) (sealed.Keys, error) {
	if r.path == "" {
		return r.keys, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		if toSeal {
			if err := makeFile(r.path); err != nil {
				return nil, err
			}
		}
		if err := r.open(); err != nil {
			if !toSeal && errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			return nil, err
		}
	}
	return r.file.Current(), nil
}

// Seal encrypts a text for the entity with a URN.
func (r *Ring) Seal(urn, text string) (string, error) {
	keys, err := r.current(true)
	if err != nil {
		return "", catalog.Errorf(catalog.Internal, "the keys of secrets: %w", err)
	}
	return keys.Seal(urn, text)
}

// Open decrypts a text that Seal has encrypted for an entity. Its error is Conflict if no key of the Ring opens the
// text.
func (r *Ring) Open(urn, text string) (string, error) {
	keys, err := r.current(false)
	if err != nil {
		return "", catalog.Errorf(catalog.Internal, "the keys of secrets: %w", err)
	}
	opened, err := keys.Open(urn, text)
	if err != nil {
		return "", catalog.Errorf(catalog.Conflict, "the value of %s cannot be decrypted: %w", urn, err)
	}
	return opened, nil
}

// Newest reports whether a text was encrypted with the key that encrypts now.
func (r *Ring) Newest(text string) bool {
	keys, err := r.current(false)
	return err == nil && keys.Sealed(text)
}
