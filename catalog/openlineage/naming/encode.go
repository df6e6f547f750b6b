package naming

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

const (
	// urnNamespace is the dialect of the URNs.
	urnNamespace = "li"
	// maxPlatformBytes is how long a platform or orchestrator may be in a URN, percent-encoded.
	maxPlatformBytes = 64
	// maxFlowBytes is how long the URN of a flow may be, percent-encoded, so that the URNs of its jobs have
	// room for their own part.
	maxFlowBytes = 320
	// maxClusterBytes is how long the environment of a dataset or the cluster of a flow may be in a URN,
	// percent-encoded.
	maxClusterBytes = 100
	// hashDigits is the number of hexadecimal digits that replace the end of a text that is too long.
	hashDigits = 16
)

// encode percent-encodes the characters that a part of a URN may not have: commas, parentheses, NUL, the unit separator
// and bytes that are no UTF-8. It encodes a percent sign only where the text would otherwise look encoded,
// so that other names stay as the connectors of their stores write them.
func encode(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if isReserved(r) || r == utf8.RuneError && size == 1 || r == '%' && looksEncoded(text[i:]) {
			for _, c := range []byte(text[i : i+size]) {
				b.WriteByte('%')
				b.WriteString(strings.ToUpper(hex.EncodeToString([]byte{c})))
			}
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

func isReserved(r rune) bool { return r == ',' || r == '(' || r == ')' || r == 0 || r == '␟' }

// looksEncoded reports whether a text begins with something that encode writes.
func looksEncoded(text string) bool {
	if len(text) < 3 || strings.ToUpper(text[1:3]) != text[1:3] {
		return false
	}
	c, err := hex.DecodeString(text[1:3])
	return err == nil && (c[0] == '%' || c[0] >= utf8.RuneSelf || isReserved(rune(c[0])))
}

// encodedBytes is the length of a text in a URN, as the limit of URNs counts it.
func encodedBytes(text string) int { return len(model.EncodeURN(text)) }

// fit encodes a text for a URN in at most so many bytes. The end of a longer text is replaced by a hash of
// the whole text, so that different texts stay different.
func fit(text string, most int) string {
	encoded := encode(text)
	if encodedBytes(encoded) <= most {
		return encoded
	}
	sum := sha256.Sum256([]byte(text))
	tail := "~" + hex.EncodeToString(sum[:])[:hashDigits]
	var head strings.Builder
	room := most - len(tail)
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRuneInString(text[i:])
		// A percent sign is encoded by the text behind it, so the rest of the text is looked at.
		piece := encode(text[i : i+size])
		if text[i] == '%' && looksEncoded(text[i:]) {
			piece = "%25"
		}
		if room -= encodedBytes(piece); room < 0 {
			break
		}
		head.WriteString(piece)
		i += size
	}
	return head.String() + tail
}

// build makes a URN whose part at index last gets the room that the other parts leave. The other parts are
// encoded already.
func build(entityType string, most, last int, parts ...string) (model.URN, error) {
	punctuation := 0
	if len(parts) > 1 {
		punctuation = encodedBytes("(" + strings.Repeat(",", len(parts)-1) + ")")
	}
	room := most - punctuation - encodedBytes("urn:"+urnNamespace+":"+entityType+":")
	for i, part := range parts {
		if i != last {
			room -= encodedBytes(part)
		}
	}
	parts[last] = fit(parts[last], room)
	return model.BuildURN(urnNamespace, entityType, parts...)
}

// maxURNBytes is how long a URN may be.
const maxURNBytes = limits.MaxURNBytes
