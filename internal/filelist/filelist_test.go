package filelist

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBelow(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b.sql", "a/c.SQL", "a/d.txt", ".git/e.sql", "a/f.sql.gz"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root, "b.sql"), filepath.Join(root, "link.sql")); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(root, "a", "c.SQL"), filepath.Join(root, "b.sql")}
	if found, err := Below(root, 2, ".sql"); err != nil || !slices.Equal(found, want) {
		t.Errorf("%q %v", found, err)
	}
	if _, err := Below(root, 1, ".sql"); err == nil || !strings.Contains(err.Error(), "more than 1 files") {
		t.Errorf("more files than allowed: %v", err)
	}
	if _, err := Below(root, 1, ".csv"); !errors.Is(err, ErrNone) || !strings.HasSuffix(err.Error(), " has no files that end with .csv") {
		t.Errorf("no files: %v", err)
	}
	if _, err := Below(filepath.Join(root, "none"), 1, ".sql"); !os.IsNotExist(err) {
		t.Errorf("no directory: %v", err)
	}
}
