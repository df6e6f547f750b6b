package v3

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/rest/call"
)

// A scroll id is a checksum of the question and the place, followed by the place. An id
// that was changed, or that belongs to another question, is refused; otherwise the scroll
// would continue at a wrong place.

// scrollSum is the length of the checksum in bytes.
const scrollSum = 9

func sumOfScroll(question any, place string) []byte {
	text, _ := json.Marshal(question) // a question has only plain values, so encoding cannot fail
	sum := sha256.Sum256(append(append(text, 0), place...))
	return sum[:scrollSum]
}

// sealScroll makes the scroll id with which a question continues at a place.
func sealScroll(question any, place string) string {
	if place == "" {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(sumOfScroll(question, place), place...))
}

// openScroll returns the place in a scroll id. The place of an empty id is "", the
// beginning.
func openScroll(question any, id string) (string, error) {
	if id == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || len(raw) <= scrollSum || !bytes.Equal(raw[:scrollSum], sumOfScroll(question, string(raw[scrollSum:]))) {
		return "", catalog.Errorf(catalog.Invalid, "parameter scrollId: it was not an answer to this question; only count, aspects and systemMetadata may change between pages")
	}
	return string(raw[scrollSum:]), nil
}

// readSlice reads the slice of a parallel scroll, and reports whether it is empty. The
// first slice has all entities and the others none, so that slices are disjoint and
// complete.
func readSlice(c *call.Call) (empty bool, err error) {
	r := &call.Reader{Call: c}
	id, most := r.Number("sliceId", 0), r.Number("sliceMax", 0)
	switch {
	case r.Err != nil:
		return false, r.Err
	case id < 0 || most < 0 || id > 0 && id >= most:
		return false, catalog.Errorf(catalog.Invalid, "parameter sliceId must be from 0 to below sliceMax")
	}
	return id > 0, nil
}
