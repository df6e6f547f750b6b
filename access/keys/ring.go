package keys

import (
	"io/fs"
	"log/slog"
	"os"
	"sync"
)

// Ring holds the secrets of a file, and reads the file again when it has changed. It is safe for
// concurrent use.
type Ring struct {
	path   string
	logger *slog.Logger

	mu  sync.Mutex
	set *Set
	// about describes the file as it was when it was last looked at. It is replaced also if the file
	// could not be used, so that each bad file is told once.
	about fs.FileInfo
}

// Open reads a file. Its error says what is wrong with the file.
func Open(path string, logger *slog.Logger) (*Ring, error) {
	about, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	set, err := Read(path)
	if err != nil {
		return nil, err
	}
	if about.Mode().Perm()&0o077 != 0 {
		logger.Warn("other users of this machine may read the keys of the server", "file", path, "mode", about.Mode().Perm().String())
	}
	return &Ring{path: path, logger: logger, set: set, about: about}, nil
}

// Current returns the secrets. It looks at the file each time, which takes about a microsecond; a
// file that cannot be used leaves the former secrets in force.
func (r *Ring) Current() *Set {
	r.mu.Lock()
	defer r.mu.Unlock()
	about, err := os.Stat(r.path)
	if err != nil || os.SameFile(about, r.about) && about.ModTime().Equal(r.about.ModTime()) && about.Size() == r.about.Size() {
		return r.set
	}
	r.about = about
	set, err := Read(r.path)
	if err != nil {
		r.logger.Error("the keys of the server cannot be used and the former ones stay in force", "error", err)
		return r.set
	}
	r.set = set
	r.logger.Info("the keys of the server were read again", "file", r.path, "signing", len(set.Signing))
	return set
}
