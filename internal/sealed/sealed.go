// Package sealed encrypts texts, each for one name, with AES-256-GCM. A sealed text opens only for the
// name that it was sealed for, with the key that sealed it. The form is described in
// docs/decisions/0090-secrets.md.
package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// KeyBytes is the length of a key.
const KeyBytes = 32

// MaxKeys is how many keys a Keys may have.
const MaxKeys = 20

// form begins every sealed text. It names the version of the form.
const form = "hw1:"

// idDigits is the length of the id of a key, in hexadecimal digits.
const idDigits = 12

// least is the length of the shortest sealed bytes: a nonce and the tag of an empty text.
const least = 12 + 16

// These are the errors of [Keys.Open].
var (
	// ErrForm: the text is not sealed.
	ErrForm = errors.New("it is not encrypted in the form of this server")
	// ErrKey: no key has the id of the key that sealed the text.
	ErrKey = errors.New("it is encrypted with a key that this server does not have")
	// ErrChanged: the sealed text was changed, was sealed for another name, or was sealed with another
	// key of the same id.
	ErrChanged = errors.New("it was changed, or encrypted for another secret")
)

// Key encrypts and decrypts.
type Key struct {
	// ID tells keys apart. It is derived from the key and does not reveal it.
	ID   string
	aead cipher.AEAD
}

// NewKey makes a Key from KeyBytes bytes.
func NewKey(bytes []byte) (Key, error) {
	if len(bytes) != KeyBytes {
		return Key{}, fmt.Errorf("the key has %d bytes, %d are needed", len(bytes), KeyBytes)
	}
	block, err := aes.NewCipher(bytes)
	if err != nil {
		return Key{}, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return Key{}, err
	}
	sum := sha256.Sum256(append([]byte("headwater key id\x00"), bytes...))
	return Key{ID: hex.EncodeToString(sum[:])[:idDigits], aead: aead}, nil
}

// MakeKey returns a new random key as text, in the form that [Parse] reads.
func MakeKey() string {
	bytes := make([]byte, KeyBytes)
	_, _ = rand.Read(bytes) // never fails
	return base64.StdEncoding.EncodeToString(bytes)
}

// Keys are several keys. The first one seals, and all of them open.
type Keys []Key

// Parse reads keys: one in each line or between commas, each as KeyBytes bytes in base64. Blank lines, and lines
// that begin with #, are ignored. Errors never show a key.
func Parse(text string) (Keys, error) {
	var keys Keys
	known := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for one := range strings.SplitSeq(line, ",") {
			if one = strings.TrimSpace(one); one == "" {
				continue
			}
			bytes, err := base64.StdEncoding.DecodeString(one)
			if err != nil {
				return nil, fmt.Errorf("line %d: a key is not %d bytes in base64", i+1, KeyBytes)
			}
			key, err := NewKey(bytes)
			switch {
			case err != nil:
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			case known[key.ID]:
				return nil, fmt.Errorf("line %d: the key %s is there twice", i+1, key.ID)
			case len(keys) == MaxKeys:
				return nil, fmt.Errorf("there are more than %d keys", MaxKeys)
			}
			known[key.ID] = true
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key")
	}
	return keys, nil
}

// Seal encrypts a text for a name with the first key. The result differs each time.
func (k Keys) Seal(name, text string) (string, error) {
	if len(k) == 0 {
		return "", ErrKey
	}
	first := k[0]
	nonce := make([]byte, first.aead.NonceSize(), least+len(text))
	_, _ = rand.Read(nonce) // never fails
	bytes := first.aead.Seal(nonce, nonce, []byte(text), bound(first.ID, name))
	return form + first.ID + ":" + base64.RawURLEncoding.EncodeToString(bytes), nil
}

// Open decrypts a text that was sealed for a name. Its errors are ErrForm, ErrKey and ErrChanged.
func (k Keys) Open(name, sealed string) (string, error) {
	id, bytes, ok := parts(sealed)
	if !ok {
		return "", ErrForm
	}
	for _, key := range k {
		if key.ID != id {
			continue
		}
		size := key.aead.NonceSize()
		text, err := key.aead.Open(nil, bytes[:size], bytes[size:], bound(id, name))
		if err != nil {
			return "", ErrChanged
		}
		return string(text), nil
	}
	return "", ErrKey
}

// Sealed reports whether a text was sealed with the first key, judged by the id of the key.
func (k Keys) Sealed(text string) bool {
	id, _, ok := parts(text)
	return ok && len(k) > 0 && k[0].ID == id
}

// Is reports whether a text has the form of a sealed one.
func Is(text string) bool {
	_, _, ok := parts(text)
	return ok
}

// bound is the data to which a sealed text is bound.
func bound(id, name string) []byte { return []byte(form + id + "\x00" + name) }

// parts takes a sealed text apart. Each sealed text has one spelling only.
func parts(sealed string) (id string, bytes []byte, ok bool) {
	rest, found := strings.CutPrefix(sealed, form)
	if !found {
		return "", nil, false
	}
	id, text, found := strings.Cut(rest, ":")
	if !found || len(id) != idDigits || strings.Trim(id, "0123456789abcdef") != "" || strings.ContainsAny(text, "\r\n") {
		return "", nil, false // the decoder ignores line ends
	}
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return id, bytes, err == nil && len(bytes) >= least
}
