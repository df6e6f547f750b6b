package model

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headwater-io/headwater/internal/limits"
)

// MaxURNBytes is the length limit of an entity's URN, counted after
// percent-encoding.
const MaxURNBytes = limits.MaxURNBytes

// unitSeparator is the character that no URN may contain, because it separates
// steps of browse paths.
const unitSeparator = "␟"

// URN identifies an entity: urn:<namespace>:<entityType>:<key>, where the key
// is one part or a tuple of parts in parentheses. A part may be a whole URN.
// URNs are values: they are equal when their texts are, and may be keys of maps.
type URN struct {
	text string
	// namespaceEnd and typeEnd are the positions in text at which the namespace and the
	// entity type end.
	namespaceEnd, typeEnd int
}

// namespaceStart is the position of the namespace in the text of every URN.
const namespaceStart = len("urn:")

// URNError is the fault of a URN. Path is its place if it was found inside an aspect.
type URNError struct {
	URN, Path, Reason string
}

func (e *URNError) Error() string {
	if e.Path != "" {
		return fmt.Sprintf("%s: invalid urn %.512q: %s", e.Path, e.URN, e.Reason)
	}
	return fmt.Sprintf("invalid urn %.512q: %s", e.URN, e.Reason)
}

// ParseURN parses a URN. It checks only the syntax; [Registry.CheckURN] checks that the
// model knows it. A key in parentheses with a single part becomes the bare part. Every
// error is a *URNError.
func ParseURN(text string) (URN, error) {
	fail := func(reason string) (URN, error) { return URN{}, &URNError{URN: text, Reason: reason} }
	rest, ok := strings.CutPrefix(text, "urn:")
	if !ok {
		return fail("it does not start with urn:")
	}
	namespace, rest, ok := strings.Cut(rest, ":")
	if !ok || !isNamespace(namespace) {
		return fail("it has no namespace")
	}
	entityType, key, ok := strings.Cut(rest, ":")
	if !ok || !isEntityType(entityType) {
		return fail("it has no entity type")
	}
	if !utf8.ValidString(text) {
		return fail("it is not valid UTF-8")
	}
	bare := unwrapped(key)
	if reason := checkSyntax(bare); reason != "" {
		return fail(reason)
	}
	if bare == key {
		return placed(text, namespace, entityType), nil
	}
	return written(namespace, entityType, bare), nil
}

// StoredURN returns the URN value of a text that comes from the store or from another URN
// value. Such a text was normalised when it was written, so StoredURN does not change it.
// For a text that is not a URN it returns the zero URN.
func StoredURN(text string) URN {
	rest, ok := strings.CutPrefix(text, "urn:")
	if !ok {
		return URN{}
	}
	namespace, rest, inType := strings.Cut(rest, ":")
	entityType, _, inKey := strings.Cut(rest, ":")
	if !inType || !inKey {
		return URN{}
	}
	return placed(text, namespace, entityType)
}

// placed returns the URN of a text with this namespace and entity type.
func placed(text, namespace, entityType string) URN {
	end := namespaceStart + len(namespace)
	return URN{text: text, namespaceEnd: end, typeEnd: end + 1 + len(entityType)}
}

// written returns the URN with this namespace, entity type and key.
func written(namespace, entityType, key string) URN {
	return placed("urn:"+namespace+":"+entityType+":"+key, namespace, entityType)
}

// BuildURN makes a URN from its parts.
func BuildURN(namespace, entityType string, parts ...string) (URN, error) {
	u, err := ParseURN("urn:" + namespace + ":" + entityType + ":" + tuple(parts))
	var room keyParts
	if err == nil && len(u.appendParts(room[:0])) != len(parts) {
		err = &URNError{URN: u.text, Reason: "a part contains a bare comma or parenthesis"}
	}
	return u, err
}

// tuple joins the parts of a key.
func tuple(parts []string) string {
	key := strings.Join(parts, ",")
	if len(parts) != 1 {
		key = "(" + key + ")"
	}
	return key
}

// String returns the normalised text.
func (u URN) String() string { return u.text }

// Namespace returns the second part of the text, which decides the dialect.
func (u URN) Namespace() string {
	if u.IsZero() {
		return ""
	}
	return u.text[namespaceStart:u.namespaceEnd]
}

// EntityType returns the third part of the text.
func (u URN) EntityType() string {
	if u.IsZero() {
		return ""
	}
	return u.text[u.namespaceEnd+1 : u.typeEnd]
}

// Key returns the text after the entity type.
func (u URN) Key() string {
	if u.IsZero() {
		return ""
	}
	return u.text[u.typeEnd+1:]
}

// Parts returns the parts of the key. It splits the key at each call, so callers that need
// several parts should keep the result.
func (u URN) Parts() []string { return u.appendParts(nil) }

// Part returns the part of the key at an index, without splitting the key, and whether there is one.
func (u URN) Part(n int) (string, bool) {
	key := u.Key()
	if key == "" || key[0] != '(' {
		return key, n == 0
	}
	depth, start := 0, 1
	for i := range len(key) {
		switch key[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth != 1 {
				continue
			}
			if n == 0 {
				return key[start:i], true
			}
			start, n = i+1, n-1
		}
	}
	return key[start:max(start, len(key)-1)], n == 0
}

// keyParts is an array with room for the parts of most keys.
type keyParts [4]string

// appendParts appends the parts of the key to a slice.
func (u URN) appendParts(parts []string) []string {
	key := u.Key()
	if key == "" || key[0] != '(' {
		return append(parts, key)
	}
	depth, start := 0, 1
	for i := range len(key) {
		switch key[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 1 {
				parts = append(parts, key[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, key[start:max(start, len(key)-1)])
}

// IsZero reports whether u is the zero value, which is no URN.
func (u URN) IsZero() bool { return u.text == "" }

// EncodeURN percent-encodes all characters that are not unreserved, for URNs in path
// segments and List() items.
func EncodeURN(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// DecodeURN undoes [EncodeURN] exactly once, because a URN may itself contain
// percent-encoded characters. A plus sign stays a plus sign.
func DecodeURN(text string) (string, error) {
	decoded, err := url.PathUnescape(text)
	if err != nil {
		return "", &URNError{URN: text, Reason: "invalid percent-encoding"}
	}
	return decoded, nil
}

// encodedLen returns the length of EncodeURN(text) without encoding it.
func encodedLen(text string) int {
	n := 0
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			n++
		} else {
			n += 3
		}
	}
	return n
}

func isNamespace(s string) bool {
	for _, c := range s {
		if c != '-' && c != '_' && c != '.' && !isWord(c) {
			return false
		}
	}
	return s != ""
}

func isEntityType(s string) bool {
	for i, c := range s {
		if i == 0 && (c < 'a' || c > 'z') || !isWord(c) {
			return false
		}
	}
	return s != ""
}

func isWord(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// unwrapped returns a key without the pairs of parentheses around a single part.
func unwrapped(key string) string {
	outer := len(key) - len(strings.TrimLeft(key, "("))
	if outer == 0 {
		return key
	}
	depth, around := 0, outer // around is the number of pairs around a single part
	for i := range len(key) {
		switch key[i] {
		case '(':
			depth++
		case ')':
			if i != len(key)-depth {
				around = min(around, depth-1)
			}
			depth--
			if depth < 0 {
				return key
			}
		case ',':
			around = min(around, depth-1)
		}
	}
	if depth != 0 || around <= 0 {
		return key
	}
	if 2*around == len(key) {
		around-- // one pair stays around an empty part, so that the part is refused
	}
	return key[around : len(key)-around]
}

// checkSyntax returns the fault in a key, "" if the key is well formed.
func checkSyntax(key string) string {
	if key == "" {
		return "its key is empty"
	}
	tuple := key[0] == '('
	depth, start, empty := 0, 1, false
	for i := range len(key) {
		switch key[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth < 0 || tuple && depth == 0 && i != len(key)-1 {
				return "its parentheses do not match"
			}
		case ',':
			if tuple && depth == 1 {
				empty = empty || start == i
				start = i + 1
			}
		}
	}
	if depth != 0 {
		return "its parentheses do not match"
	}
	if tuple && (empty || start == len(key)-1) {
		return "a part of its key is empty"
	}
	return ""
}

const blankReason = "Error: cannot provide an URN with leading or trailing whitespace"

// checkEntityText applies the rules that hold for the URN of an entity, but not for every
// URN in an aspect.
func checkEntityText(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	switch {
	case encodedLen(text) > MaxURNBytes:
		return "Error: cannot provide an URN longer than 512 bytes (when URL encoded)"
	case unicode.IsSpace(first) || unicode.IsSpace(last):
		return blankReason
	case strings.Contains(text, unitSeparator):
		return "Error: URN cannot contain ␟ character"
	case strings.ContainsRune(text, 0):
		return "Error: URN cannot contain a NUL character"
	}
	return ""
}
