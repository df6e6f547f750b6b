package sealed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/sealed"
)

const name = "urn:li:dataHubSecret:a"

func keysOf(t testing.TB, texts ...string) sealed.Keys {
	t.Helper()
	keys, err := sealed.Parse(strings.Join(texts, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestSealAndOpen seals texts and opens them again, also with the key among others. Equal texts are not
// sealed alike.
func TestSealAndOpen(t *testing.T) {
	former, next := sealed.MakeKey(), sealed.MakeKey()
	old, both := keysOf(t, former), keysOf(t, next, former)
	for _, text := range []string{"", "p", "two\nlines\t\"'\\ 你好 🎉", strings.Repeat("x", 70_000)} {
		closed, err := old.Seal(name, text)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := old.Seal(name, text); err != nil || second == closed || !sealed.Is(closed) {
			t.Errorf("%.80q is sealed as %.80q, and again as %.80q: %v", text, closed, second, err)
		}
		for _, keys := range []sealed.Keys{old, both} {
			if opened, err := keys.Open(name, closed); err != nil || opened != text {
				t.Errorf("%.80q opens as %.80q: %v", text, opened, err)
			}
		}
		if !old.Sealed(closed) || both.Sealed(closed) || sealed.Keys(nil).Sealed(closed) || old.Sealed(text) {
			t.Errorf("%.60q: the key that sealed it is not recognized", closed)
		}
	}
}

// TestNotOpened: a sealed text does not open with another key, for another name or after a change.
func TestNotOpened(t *testing.T) {
	const text = "a text of thirty-two characters."
	former, next := sealed.MakeKey(), sealed.MakeKey()
	old, both := keysOf(t, former), keysOf(t, next, former)
	closed, err := old.Seal(name, text)
	if err != nil {
		t.Fatal(err)
	}
	for what, one := range map[string]struct {
		keys         sealed.Keys
		name, sealed string
		want         error
	}{
		"another key":        {keysOf(t, next), name, closed, sealed.ErrKey},
		"no key":             {nil, name, closed, sealed.ErrKey},
		"another name":       {old, name + "b", closed, sealed.ErrChanged},
		"the id of another":  {both, name, strings.Replace(closed, old[0].ID, both[0].ID, 1), sealed.ErrChanged},
		"cut":                {old, name, closed[:len(closed)-4], sealed.ErrChanged},
		"cut to nothing":     {old, name, closed[:20], sealed.ErrForm},
		"changed":            {old, name, swapped(closed), sealed.ErrChanged},
		"a line end":         {old, name, closed + "\n", sealed.ErrForm},
		"a line end within":  {old, name, closed[:40] + "\n" + closed[40:], sealed.ErrForm},
		"another form":       {old, name, strings.Replace(closed, "hw1:", "hw2:", 1), sealed.ErrForm},
		"capitals in the id": {old, name, strings.Replace(closed, old[0].ID, "ABCDEF012345", 1), sealed.ErrForm},
		"clear text":         {old, name, text, sealed.ErrForm},
		"nothing":            {old, name, "", sealed.ErrForm},
	} {
		if opened, err := one.keys.Open(one.name, one.sealed); !errors.Is(err, one.want) || opened != "" {
			t.Errorf("%s: it opens as %q, %v; wanted %v", what, opened, err, one.want)
		}
	}
}

// swapped returns a sealed text in which one character of the encrypted text was replaced.
func swapped(closed string) string {
	at := len(closed) - 10
	with := "A"
	if closed[at] == 'A' {
		with = "B"
	}
	return closed[:at] + with + closed[at+1:]
}

// TestKeys reads keys. No error shows a part of a key.
func TestKeys(t *testing.T) {
	first, second := sealed.MakeKey(), sealed.MakeKey()
	many := make([]string, sealed.MaxKeys+1)
	for i := range many {
		many[i] = sealed.MakeKey()
	}
	for text, want := range map[string]struct {
		keys int
		says string
	}{
		first:                                    {1, ""},
		"# made in May\n\n" + first + "\n":       {1, ""},
		first + "," + second:                     {2, ""},
		first + "\r\n  " + second + "\r\n":       {2, ""},
		"":                                       {0, "there is no key"},
		"# " + first:                             {0, "there is no key"},
		first + "\n" + first:                     {0, "is there twice"},
		first + "\n" + second[:20]:               {0, "line 2: the key has"},
		"TOPSECRET":                              {0, "line 1: a key is not 32 bytes in base64"},
		first + first:                            {0, "line 1: a key is not 32 bytes in base64"},
		strings.Join(many, "\n"):                 {0, "more than 20 keys"},
		strings.Join(many[:sealed.MaxKeys], ","): {sealed.MaxKeys, ""},
	} {
		keys, err := sealed.Parse(text)
		switch {
		case want.says == "" && (err != nil || len(keys) != want.keys):
			t.Errorf("%q: %d keys, %v", text, len(keys), err)
		case want.says != "" && (err == nil || !strings.Contains(err.Error(), want.says) || strings.Contains(err.Error(), "TOPSECRET") || strings.Contains(err.Error(), first)):
			t.Errorf("%q: %v, wanted %q", text, err, want.says)
		}
	}
	if _, err := sealed.NewKey(make([]byte, 16)); err == nil {
		t.Error("a key of 16 bytes was accepted")
	}
	if _, err := (sealed.Keys{}).Seal(name, "x"); err == nil {
		t.Error("sealed without a key")
	}
}

// FuzzOpen opens arbitrary texts: only sealed texts can be opened, and no text makes it panic.
func FuzzOpen(f *testing.F) {
	keys := keysOf(f, "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	closed, err := keys.Seal(name, "secret")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{closed, closed[:30], "", "hw1:", "hw1:" + keys[0].ID + ":", "hw1:" + keys[0].ID + ":" + strings.Repeat("A", 38), "secret"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		opened, err := keys.Open(name, text)
		if err == nil && opened != "secret" {
			t.Errorf("%q opens as %q", text, opened)
		}
		if err != nil && sealed.Is(text) == errors.Is(err, sealed.ErrForm) {
			t.Errorf("%q: %v, though its form is recognized: %t", text, err, sealed.Is(text))
		}
	})
}
