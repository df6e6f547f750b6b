package check

import (
	"os"
	"path/filepath"
	"testing"
)

// root is the top folder of the repository.
const root = "../.."

// read returns the content of a file. The path is relative to the top folder.
func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// exists fails the test if a path, relative to the top folder, does not exist.
func exists(t *testing.T, where, path string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, path)); err != nil {
		t.Errorf("%s names %s, which does not exist", where, path)
	}
}

// glob returns the files that match a pattern, relative to the top folder. It fails the
// test if there are none.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	for i, file := range files {
		if files[i], err = filepath.Rel(root, file); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
