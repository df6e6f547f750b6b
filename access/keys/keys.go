// Package keys has the secrets of the server: the keys that sign tokens, the salt of their ids, the
// secret of the system client, and the secret of links. They are in one file, which may change while
// the server runs.
package keys

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/headwater-io/headwater/internal/privatefile"
)

// File is the name of the file in the data directory.
const File = "keys.json"

// SystemClientID is the usual name of the system client, which is the reference's.
const SystemClientID = "__datahub_system"

// Algorithm is the only algorithm that a key may have: HMAC with SHA-256, as in the reference.
const Algorithm = "HS256"

// These bound the contents of the file.
const (
	shortestKey = 32 // bytes; the least that the algorithm accepts
	mostKeys    = 10
	mostBytes   = 64 << 10
)

// Set is the contents of the file.
type Set struct {
	// Signing are the keys that tokens may be signed with. New tokens are signed with the first.
	Signing []Key `json:"signing"`
	// Salt is added to a token before its hash becomes the token's id.
	Salt string `json:"salt"`
	// System is the system client.
	System Client `json:"systemClient"`
	// Links is the secret from which invitations are derived.
	Links string `json:"linkSecret"`
}

// Key signs tokens with one algorithm.
type Key struct {
	// ID is the key id that tokens name. The key with the id "" checks tokens that name no key:
	// tokens of a server of the reference, whose signing key was moved here.
	ID        string `json:"id"`
	Algorithm string `json:"algorithm"`
	// Secret is the text whose bytes are the key.
	Secret string `json:"key"`
}

// Client is a program that shows an id and a secret.
type Client struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

// Holds reports whether an id and a secret are those of the client. Holds takes the same time for right
// and wrong secrets.
func (c Client) Holds(id, secret string) bool {
	same := subtle.ConstantTimeCompare([]byte(c.ID), []byte(id)) & subtle.ConstantTimeCompare([]byte(c.Secret), []byte(secret))
	return same == 1 && c.Secret != ""
}

// Find returns the key with an id; false if there is none.
func (s *Set) Find(id string) (Key, bool) {
	for _, k := range s.Signing {
		if k.ID == id {
			return k, true
		}
	}
	return Key{}, false
}

// Make returns a Set of new random secrets.
func Make() *Set {
	return &Set{Signing: []Key{newKey()}, Salt: rand.Text(), System: Client{ID: SystemClientID, Secret: rand.Text() + rand.Text()}, Links: rand.Text() + rand.Text()}
}

func newKey() Key {
	return Key{ID: rand.Text()[:12], Algorithm: Algorithm, Secret: rand.Text() + rand.Text()}
}

// Rotate puts a new key in front, which signs from now on. The other keys still check tokens, at
// most mostKeys in all, and none if only is true.
func (s *Set) Rotate(only bool) {
	former := s.Signing
	if only {
		former = nil
	}
	s.Signing = append([]Key{newKey()}, former[:min(len(former), mostKeys-1)]...)
}

// check refuses a set that is not safe or not complete.
func (s *Set) check() error {
	if len(s.Signing) == 0 || len(s.Signing) > mostKeys {
		return fmt.Errorf("signing has %d keys, 1 to %d are allowed", len(s.Signing), mostKeys)
	}
	ids := map[string]bool{}
	for i, k := range s.Signing {
		switch {
		case k.Algorithm != Algorithm:
			return fmt.Errorf("signing[%d].algorithm is %q, only %s is allowed", i, k.Algorithm, Algorithm)
		case len(k.Secret) < shortestKey:
			return fmt.Errorf("signing[%d].key has %d bytes, at least %d are needed", i, len(k.Secret), shortestKey)
		case ids[k.ID]:
			return fmt.Errorf("two keys have the id %q", k.ID)
		}
		ids[k.ID] = true
	}
	switch {
	case s.Salt == "":
		return errors.New("salt is missing")
	case s.System.ID == "" || len(s.System.Secret) < shortestKey/2:
		return fmt.Errorf("systemClient needs an id, and a secret of at least %d bytes", shortestKey/2)
	case len(s.Links) < shortestKey:
		return fmt.Errorf("linkSecret needs at least %d bytes", shortestKey)
	}
	return nil
}

// Read reads a file. Its errors name the member that is wrong, and never a secret.
func Read(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if about, err := f.Stat(); err != nil || about.Size() > mostBytes {
		return nil, errors.Join(err, fmt.Errorf("%s is larger than %d bytes or cannot be measured", path, mostBytes))
	}
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	var s Set
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s is not a file of keys: %w", path, withoutValue(err))
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &s, nil
}

// withoutValue returns an error of the decoder without text of the file.
func withoutValue(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("no valid JSON at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("member %s has the wrong type", kind.Field)
	}
	return err
}

// Write replaces a file, or makes it. Only its owner may read the file.
func Write(path string, s *Set) error {
	if err := s.check(); err != nil {
		return err
	}
	text, err := s.text()
	if err != nil {
		return err
	}
	return privatefile.Replace(path, text)
}

// Create makes a file with new secrets if there is none.
func Create(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := Make().text()
	if err != nil {
		return err
	}
	return privatefile.Create(path, text)
}

// text returns the text of the file of a set.
func (s *Set) text() (string, error) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	err := e.Encode(s)
	return text.String(), err
}
