package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestSQLFiles: the files below a directory are read, except for files in hidden directories.
func TestSQLFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.sql": "select 2", "in/a.SQL": "select 1", "in/c.txt": "no", ".git/d.sql": "no"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := sqlFiles(dir)
	if err != nil || len(found) != 2 || found[0].Name != "b.sql" || found[1].Name != "in/a.SQL" || found[1].Text != "select 1" {
		t.Errorf("%+v %v", found, err)
	}
	if found, err = sqlFiles(filepath.Join(dir, "in", "c.txt")); err != nil || len(found) != 1 || found[0].Name != "c.txt" {
		t.Errorf("%+v %v", found, err)
	}
	if _, err = sqlFiles(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has neither a manifest.json nor files of SQL") {
		t.Error(err)
	}
}

// TestFilesLimit: a directory with as many files as the limit is read, a directory with one more is refused.
func TestFilesLimit(t *testing.T) {
	dir := t.TempDir()
	write := func(i int) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%06d.sql", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range limits.CheckFiles {
		write(i)
	}
	if found, err := sqlFiles(dir); err != nil || len(found) != limits.CheckFiles {
		t.Fatal(len(found), err)
	}
	write(limits.CheckFiles)
	if _, err := sqlFiles(dir); err == nil || !strings.Contains(err.Error(), "more than 10000 files that end with .sql") {
		t.Error(err)
	}
}
