package people

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// checkPassword checks a new password. names are the names of its user.
func (s *Service) checkPassword(text string, names ...string) error {
	switch {
	case text == "":
		return catalog.Errorf(catalog.Invalid, "Password must not be empty.")
	case len(text) < s.MinPassword:
		return catalog.Errorf(catalog.Invalid, "A password has at least %d bytes, the limit.", s.MinPassword)
	case len(text) > limits.MaxPasswordBytes:
		return catalog.Errorf(catalog.Invalid, "A password has at most %d bytes, the limit.", limits.MaxPasswordBytes)
	case !utf8.ValidString(text):
		return catalog.Errorf(catalog.Invalid, "The password is not valid UTF-8.")
	}
	for _, name := range names {
		local, _, _ := strings.Cut(name, "@")
		if strings.EqualFold(text, name) || strings.EqualFold(text, local) {
			return catalog.Errorf(catalog.Invalid, "The password must not be the name of its user.")
		}
	}
	return nil
}

// SignUp is the input of a person who signs up.
type SignUp struct {
	FullName string `json:"fullName"`
	// Email is the name of the new user. The name of the first administrator need not be an
	// e-mail address.
	Email    string `json:"email"`
	Password string `json:"password"`
	// Title is optional.
	Title       string `json:"title"`
	InviteToken string `json:"inviteToken"`
}

// check checks the whole input except the invite. named says that the name need not be an e-mail address.
func (s *Service) check(n *SignUp, named bool) error {
	switch {
	case strings.TrimSpace(n.FullName) == "":
		return catalog.Errorf(catalog.Invalid, "Full name must not be empty.")
	case n.Email == "":
		return catalog.Errorf(catalog.Invalid, "Email must not be empty.")
	}
	for _, text := range []struct{ name, value string }{{"Full name", n.FullName}, {"Title", n.Title}} {
		if len(text.value) > limits.MaxProfileText {
			return catalog.Errorf(catalog.Invalid, "%s has more than %d bytes, the limit.", text.name, limits.MaxProfileText)
		}
		if !utf8.ValidString(text.value) {
			return catalog.Errorf(catalog.Invalid, "%s is not valid UTF-8.", text.name)
		}
	}
	if !isEmail(n.Email) && (!named || strings.Contains(n.Email, "@")) {
		return catalog.Errorf(catalog.Invalid, "Email is not an e-mail address: %s", n.Email)
	}
	if catalog.IsReservedName(n.Email) {
		return catalog.Errorf(catalog.Invalid, "The name %s belongs to the server.", n.Email)
	}
	return s.checkPassword(n.Password, n.Email, n.FullName)
}

func isEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text && address.Name == ""
}

// profile returns the aspects of a new user.
func (n *SignUp) profile(by catalog.AuditStamp) (info, status catalog.Tree) {
	info = catalog.Tree{"active": true, "displayName": n.FullName, "fullName": n.FullName}
	if isEmail(n.Email) {
		info["email"] = n.Email
	}
	if n.Title != "" {
		info["title"] = n.Title
	}
	return info, activeStatus(by)
}

func activeStatus(by catalog.AuditStamp) catalog.Tree {
	return catalog.Tree{"status": "ACTIVE", "lastModified": by.Tree()}
}

// newToken returns a secret that nobody can guess.
func newToken() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// hashOf returns the form of a token in which it is stored. A token is long and random, so that a
// fast hash is enough.
func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// isToken reports whether a token has a stored hash. No token has the hash "".
func isToken(token, hash string) bool {
	return subtle.ConstantTimeCompare([]byte(hashOf(token)), []byte(hash)) == 1
}
