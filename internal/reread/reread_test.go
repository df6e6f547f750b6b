package reread_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/headwater-io/headwater/internal/reread"
)

// TestKept: each change of one of the two files is read once. A file that cannot be used or is missing leaves
// the former value, and is reported once.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name+".next", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".next", name); err != nil {
			t.Fatal(err)
		}
	}
	read := func() (string, error) {
		var texts [2]string
		for i, name := range []string{first, second} {
			text, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			if texts[i] = string(text); texts[i] == "bad" {
				return "", errors.New("bad")
			}
		}
		return texts[0] + texts[1], nil
	}
	good, bad := 0, 0
	told := func(_ string, err error) {
		if err != nil {
			bad++
		} else {
			good++
		}
	}
	if _, err := reread.Open(read, told, first, second); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("files that are missing: %v", err)
	}
	write(first, "bad")
	write(second, "2")
	if _, err := reread.Open(read, told, first, second); err == nil {
		t.Error("a bad file at the start is accepted")
	}
	write(first, "1")
	value, err := reread.Open(read, told, first, second)
	if err != nil {
		t.Fatal(err)
	}
	shows := func(what, want string, goods, bads int) {
		t.Helper()
		for range 3 {
			if got := value.Current(); got != want || good != goods || bad != bads {
				t.Errorf("%s: %q, want %q; told %d good and %d bad, want %d and %d", what, got, want, good, bad, goods, bads)
			}
		}
	}
	shows("at first", "12", 0, 0)
	write(second, "3")
	shows("the second file changed", "13", 1, 0)
	write(first, "bad")
	shows("a bad file", "13", 1, 1)
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	shows("a missing file", "13", 1, 1)
	write(first, "4")
	shows("a good file again", "43", 2, 1)
}
