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
type URN struct {
	text                  string
	namespace, entityType string
	parts                 []string
}

// URNError is what is wrong with a URN, and its place if it was found inside an
// aspect.
type URNError struct {
	URN, Path, Reason string
}

func (e *URNError) Error() string {
	if e.Path != "" {
		return fmt.Sprintf("%s: invalid urn %.512q: %s", e.Path, e.URN, e.Reason)
	}
	return fmt.Sprintf("invalid urn %.512q: %s", e.URN, e.Reason)
}

// ParseURN parses a URN. It checks only the syntax; [Registry.CheckURN] checks
// that the model knows it. A tuple of one part is normalised to the bare part.
// Every error is a *URNError.
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
	parts, reason := splitKey(key)
	if reason != "" {
		return fail(reason)
	}
	if len(parts) == 1 && strings.HasPrefix(key, "(") {
		text = "urn:" + namespace + ":" + entityType + ":" + parts[0]
	}
	return URN{text: text, namespace: namespace, entityType: entityType, parts: parts}, nil
}

// BuildURN writes a URN from its parts.
func BuildURN(namespace, entityType string, parts ...string) (URN, error) {
	u, err := ParseURN("urn:" + namespace + ":" + entityType + ":" + tuple(parts))
	if err == nil && len(u.parts) != len(parts) {
		err = &URNError{URN: u.text, Reason: "a part contains a bare comma or parenthesis"}
	}
	return u, err
}

// tuple writes the parts of a key.
func tuple(parts []string) string {
	key := strings.Join(parts, ",")
	if len(parts) != 1 {
		key = "(" + key + ")"
	}
	return key
}

// String returns the normalised text.
func (u URN) String() string { return u.text }

// Namespace is the second part of the text, which decides the dialect.
func (u URN) Namespace() string { return u.namespace }

// EntityType is the third part of the text.
func (u URN) EntityType() string { return u.entityType }

// Key is everything after the entity type.
func (u URN) Key() string {
	return u.text[len("urn::")+len(u.namespace)+len(u.entityType)+1:]
}

// Parts are the parts of the key. The slice is shared and must not be changed.
func (u URN) Parts() []string { return u.parts }

// IsZero reports whether u is the zero value, which is not a URN.
func (u URN) IsZero() bool { return u.text == "" }

// EncodeURN percent-encodes everything that is not unreserved, for URNs in path
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

// DecodeURN undoes [EncodeURN] exactly once: a URN may itself contain
// percent-encoded characters. A plus sign stands for itself.
func DecodeURN(text string) (string, error) {
	decoded, err := url.PathUnescape(text)
	if err != nil {
		return "", &URNError{URN: text, Reason: "invalid percent-encoding"}
	}
	return decoded, nil
}

// encodedLen is len(EncodeURN(text)) without building it.
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

// splitKey splits a key into its parts, at the commas of depth one. The reason is
// empty when the key is well formed.
func splitKey(key string) (parts []string, reason string) {
	if key == "" {
		return nil, "its key is empty"
	}
	tuple := key[0] == '('
	depth, start := 0, 1
	for i := range len(key) {
		switch key[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth < 0 || tuple && depth == 0 && i != len(key)-1 {
				return nil, "its parentheses do not match"
			}
		case ',':
			if tuple && depth == 1 {
				parts = append(parts, key[start:i])
				start = i + 1
			}
		}
	}
	if depth != 0 {
		return nil, "its parentheses do not match"
	}
	if !tuple {
		return []string{key}, ""
	}
	parts = append(parts, key[start:len(key)-1])
	for _, part := range parts {
		if part == "" {
			return nil, "a part of its key is empty"
		}
	}
	return parts, ""
}

const blankReason = "Error: cannot provide an URN with leading or trailing whitespace"

// checkEntityText applies the rules that hold for the URN of an entity, but
// not for every URN named inside an aspect.
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
