package privatefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/headwater-io/headwater/internal/privatefile"
)

// TestFiles: Create makes a file once, Replace always; only the owner may read the file, and nothing else
// is left in the folder.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secret")
	for _, step := range []struct {
		write      func(path, text string) error
		text, want string
	}{
		{privatefile.Create, "one", "one"}, {privatefile.Create, "two", "one"}, {privatefile.Replace, "three", "three"},
	} {
		if err := step.write(path, step.text); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); string(got) != step.want || err != nil {
			t.Errorf("after %s: %q, %v", step.text, got, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Error(left, err)
	}
	if err := privatefile.Replace(filepath.Join(dir, "none", "secret"), "x"); err == nil {
		t.Error("a file in no folder was written")
	}
}
