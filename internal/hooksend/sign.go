package hooksend

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

// secretPrefix is the beginning of a secret's text. The key in base64 follows.
const secretPrefix = "whsec_"

// Limits of the key of a secret in bytes, from the specification.
const (
	minKey   = 24
	maxKey   = 64
	drawnKey = 32
)

var errSecret = errors.New("a secret is whsec_ and a key of 24 to 64 bytes in base64")

// NewSecret returns a new random secret.
func NewSecret() string {
	key := make([]byte, drawnKey)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// CheckSecret returns an error if a text is not a secret. The error does not contain the
// text.
func CheckSecret(secret string) error {
	_, err := keyOf(secret)
	return err
}

func keyOf(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	if !ok {
		return nil, errSecret
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) < minKey || len(key) > maxKey {
		return nil, errSecret
	}
	return key, nil
}

// Sign returns the value of the header webhook-signature for a message.
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	key, err := keyOf(secret)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}
