package secrets_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/access/secrets"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/sealed"
)

const urn = "urn:li:dataHubSecret:a"

var quiet = slog.New(slog.DiscardHandler)

func seal(t *testing.T, r *secrets.Ring, text string) string {
	t.Helper()
	closed, err := r.Seal(urn, text)
	if err != nil {
		t.Fatal(err)
	}
	return closed
}

func opens(t *testing.T, r *secrets.Ring, closed, want string) {
	t.Helper()
	if text, err := r.Open(urn, closed); err != nil || text != want {
		t.Errorf("%s opens as %q: %v", closed, text, err)
	}
}

// TestMadeWithTheFirstSecret: the file of a data directory is made when the first text is encrypted. Only its
// owner may read it, and another Ring can use it.
func TestMadeWithTheFirstSecret(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, secrets.File)
	r, err := secrets.FromFolder(folder, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open(urn, "clear"); catalog.CodeOf(err) != catalog.Conflict || r.Newest("clear") {
		t.Errorf("a text that is not encrypted is opened without a key: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("reading has made the file")
	}
	rings := []*secrets.Ring{r}
	for range 7 {
		other, err := secrets.FromFolder(folder, quiet)
		if err != nil {
			t.Fatal(err)
		}
		rings = append(rings, other)
	}
	closed := make([]string, len(rings))
	var all sync.WaitGroup
	for i, ring := range rings {
		all.Go(func() { closed[i], _ = ring.Seal(urn, "value") })
	}
	all.Wait()
	for _, text := range closed {
		opens(t, r, text, "value")
	}
	about, err := os.Stat(path)
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("the file of keys: %v, %v", about, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v: %v", left, err)
	}
	second, err := secrets.FromFolder(folder, quiet)
	if err != nil {
		t.Fatal(err)
	}
	opens(t, second, closed[0], "value")
}

// TestAnotherKey puts a new key in front of a file that a Ring follows. New texts are encrypted with it,
// and former ones still open until their key is removed. A file that cannot be used changes nothing.
func TestAnotherKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	if _, err := secrets.FromFile(path, quiet); err == nil {
		t.Error("a file that does not exist was accepted")
	}
	if keys, err := secrets.AddKey(path); err != nil || len(keys) != 1 {
		t.Fatalf("%d keys: %v", len(keys), err)
	}
	r, err := secrets.FromFile(path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	first := seal(t, r, "one")
	if keys, err := secrets.AddKey(path); err != nil || len(keys) != 2 {
		t.Fatalf("%d keys: %v", len(keys), err)
	}
	second := seal(t, r, "two")
	opens(t, r, first, "one")
	opens(t, r, second, "two")
	if r.Newest(first) || !r.Newest(second) {
		t.Errorf("encrypted with the newest key: %t, %t", r.Newest(first), r.Newest(second))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	replace(t, path, "TOPSECRET")
	opens(t, r, first, "one")
	if _, err := secrets.AddKey(path); err == nil || strings.Contains(err.Error(), "TOPSECRET") {
		t.Errorf("a key was put before what is no key: %v", err)
	}
	newest, _, _ := strings.Cut(string(text), "\n")
	replace(t, path, newest+"\n")
	opens(t, r, second, "two")
	if _, err := r.Open(urn, first); catalog.CodeOf(err) != catalog.Conflict || !strings.Contains(err.Error(), "a key that this server does not have") {
		t.Errorf("a text opens without its key: %v", err)
	}
}

// replace replaces a file, as an editor does.
func replace(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".next", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".next", path); err != nil {
		t.Fatal(err)
	}
}

// TestFromText reads keys of the environment. No error has a part of a key.
func TestFromText(t *testing.T) {
	if _, err := secrets.FromText("TOPSECRET"); err == nil || strings.Contains(err.Error(), "TOPSECRET") {
		t.Errorf("a text that is no key: %v", err)
	}
	former := sealed.MakeKey()
	r, err := secrets.FromText(former)
	if err != nil {
		t.Fatal(err)
	}
	closed := seal(t, r, "value")
	next, err := secrets.FromText(sealed.MakeKey() + "," + former)
	if err != nil {
		t.Fatal(err)
	}
	opens(t, next, closed, "value")
	if next.Newest(closed) {
		t.Error("the former key counts as the newest one")
	}
}
