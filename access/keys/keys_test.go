package keys_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/access/keys"
)

const good = `{"signing":[{"id":"a","algorithm":"HS256","key":"0123456789abcdef0123456789abcdef"}],"salt":"s","systemClient":{"id":"c","secret":"0123456789abcdef"},"linkSecret":"0123456789abcdef0123456789abcdef"}`

// TestFiles reads files that may not be used. No error has text of a secret.
func TestFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"good":              {good, ""},
		"not JSON":          {`{"signing":[{"key":"TOPSECRET`, "is not a file of keys"},
		"other type":        {`{"signing":"TOPSECRET"}`, "member signing has the wrong type"},
		"unknown member":    {strings.Replace(good, `"salt"`, `"sallt"`, 1), `unknown field "sallt"`},
		"other algorithm":   {strings.Replace(good, "HS256", "none", 1), `signing[0].algorithm is "none", only HS256 is allowed`},
		"short key":         {strings.Replace(good, "0123456789abcdef0123456789abcdef", "TOPSECRET", 1), "signing[0].key has 9 bytes, at least 32 are needed"},
		"no key":            {`{"signing":[],"salt":"s"}`, "signing has 0 keys"},
		"two with one id":   {strings.Replace(good, `"signing":[`, `"signing":[{"id":"a","algorithm":"HS256","key":"0123456789abcdef0123456789abcdeg"},`, 1), `two keys have the id "a"`},
		"no salt":           {strings.Replace(good, `"salt":"s",`, "", 1), "salt is missing"},
		"no system secret":  {strings.Replace(good, `,"secret":"0123456789abcdef"`, "", 1), "systemClient needs an id"},
		"short link secret": {strings.Replace(good, `"linkSecret":"0123456789abcdef0123456789abcdef"`, `"linkSecret":"TOPSECRET"`, 1), "linkSecret needs at least 32 bytes"},
		"too large":         {good + strings.Repeat(" ", 64<<10), "is larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), keys.File)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := keys.Read(path)
			switch {
			case c.says == "":
				if err != nil {
					t.Error(err)
				}
			case err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "TOPSECRET"):
				t.Errorf("the error is %v, wanted %q", err, c.says)
			}
		})
	}
}

// TestCreateTogether lets several servers make the file at the same time. All of them use the same
// secrets, and only the owner may read these.
func TestCreateTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), keys.File)
	sets := make([]*keys.Set, 8)
	var all sync.WaitGroup
	for i := range sets {
		all.Go(func() {
			if err := keys.Create(path); err != nil {
				t.Error(err)
				return
			}
			set, err := keys.Read(path)
			if err != nil {
				t.Error(err)
			}
			sets[i] = set
		})
	}
	all.Wait()
	for _, set := range sets {
		if diff := cmp.Diff(sets[0], set); diff != "" {
			t.Errorf("two servers have different secrets: %s", diff)
		}
	}
	about, err := os.Stat(path)
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v (%v)", about.Mode(), err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// TestRing changes the file while it is used.
func TestRing(t *testing.T) {
	path := filepath.Join(t.TempDir(), keys.File)
	if err := keys.Create(path); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	ring, err := keys.Open(path, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	first := ring.Current()
	next := *first
	next.Rotate(false)
	if err := keys.Write(path, &next); err != nil {
		t.Fatal(err)
	}
	got := ring.Current()
	if len(got.Signing) != 2 || got.Signing[1] != first.Signing[0] || got.Signing[0] == first.Signing[0] {
		t.Errorf("after a rotation there are %d keys", len(got.Signing))
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if ring.Current() != got {
			t.Error("a file that cannot be used has replaced the secrets")
		}
	}
	if n := strings.Count(log.String(), "cannot be used"); n != 1 {
		t.Errorf("the bad file is told %d times", n)
	}
	next.Rotate(true)
	if err := keys.Write(path, &next); err != nil {
		t.Fatal(err)
	}
	if got := ring.Current(); len(got.Signing) != 1 {
		t.Errorf("%d keys are left of which only one was wanted", len(got.Signing))
	}
	for _, secret := range []string{first.Signing[0].Secret, first.System.Secret, first.Salt} {
		if strings.Contains(log.String(), secret) {
			t.Error("the log has a secret")
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Open(path, slog.New(slog.NewTextHandler(&log, nil))); err != nil || !strings.Contains(log.String(), "may read the keys") {
		t.Errorf("nobody is warned of a readable file (%v)", err)
	}
}

// TestRotateBound rotates more often than there may be keys.
func TestRotateBound(t *testing.T) {
	s := keys.Make()
	for range 30 {
		s.Rotate(false)
	}
	if len(s.Signing) != 10 {
		t.Errorf("there are %d keys", len(s.Signing))
	}
}

func TestClient(t *testing.T) {
	c := keys.Client{ID: "id", Secret: "secret"}
	for _, shown := range []keys.Client{{"id", "Secret"}, {"Id", "secret"}, {"id", ""}, {"", ""}, {"id", "secret "}} {
		if c.Holds(shown.ID, shown.Secret) {
			t.Errorf("%v is accepted", shown)
		}
	}
	if !c.Holds("id", "secret") || (keys.Client{}).Holds("", "") {
		t.Error("the right secret is refused, or none is accepted")
	}
}
