package keys

import (
	"log/slog"
	"os"

	"github.com/headwater-io/headwater/internal/reread"
)

// Ring holds the secrets of a file, and reads the file again when it has changed. It is safe for
// concurrent use.
type Ring struct{ set *reread.Value[*Set] }

// Open reads a file. Its error describes the fault of the file.
func Open(path string, logger *slog.Logger) (*Ring, error) {
	set, err := reread.Open(func() (*Set, error) { return Read(path) }, func(set *Set, err error) {
		if err != nil {
			logger.Error("the keys of the server cannot be used and the former ones stay in force", "error", err)
			return
		}
		logger.Info("the keys of the server were read again", "file", path, "signing", len(set.Signing))
	}, path)
	if err != nil {
		return nil, err
	}
	about, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if about.Mode().Perm()&0o077 != 0 {
		logger.Warn("other users of this machine may read the keys of the server", "file", path, "mode", about.Mode().Perm().String())
	}
	return &Ring{set}, nil
}

// Current returns the secrets. A file that cannot be used leaves the former secrets in force.
func (r *Ring) Current() *Set { return r.set.Current() }
