package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// fingerprintBytes is the number of bytes at the beginning of a file that its fingerprint
// covers.
const fingerprintBytes = 1 << 20

// state is the number of records of a file that the server has acknowledged.
type state struct {
	Fingerprint  string `json:"fingerprint"`
	Acknowledged int    `json:"acknowledged"`

	path string
}

// loadState loads the state that an earlier run of the same file has left. Standard input
// has none.
func loadState(name string, o Options) (*state, error) {
	if name == "-" || o.DryRun {
		return &state{}, nil
	}
	print, err := fingerprint(name)
	if err != nil {
		return nil, err
	}
	path, err := statePath(name, o.StateDir)
	if err != nil {
		return nil, err
	}
	s := &state{Fingerprint: print, path: path}
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) || o.Restart {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	var before state
	if err := json.Unmarshal(text, &before); err != nil {
		return nil, fmt.Errorf("%s is damaged; remove it or use --restart: %w", s.path, err)
	}
	if before.Fingerprint != print {
		return nil, fmt.Errorf("%s was recorded for different content of the file; use --restart", s.path)
	}
	s.Acknowledged = before.Acknowledged
	return s, nil
}

// statePath returns the path of the state file for the ingested file name. The state file is
// in dir, or in the user's cache directory if dir is empty. Its name is made from the full
// path of the ingested file, and statePath creates its directory.
func statePath(name, dir string) (string, error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("there is no directory to record progress in; set one with --state-dir: %w", err)
		}
		dir = filepath.Join(cache, "headwater", "ingest")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(full))
	return filepath.Join(dir, filepath.Base(name)+"-"+hex.EncodeToString(sum[:6])+".json"), nil
}

// fingerprint identifies a file by its size and its beginning.
func fingerprint(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := io.CopyN(h, f, fingerprintBytes); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return fmt.Sprintf("%d-%s", info.Size(), hex.EncodeToString(h.Sum(nil)[:16])), nil
}

// acknowledge saves that the first number records are acknowledged.
func (s *state) acknowledge(number int) error {
	s.Acknowledged = number
	if s.path == "" {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	next := s.path + ".new"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, s.path)
}

// done deletes the state of a finished file.
func (s *state) done() error {
	if s.path == "" {
		return nil
	}
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
