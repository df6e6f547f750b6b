package v3

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/rest/call"
)

// A scroll id is a checksum of the question and the place, followed by the place.
// An id that was changed, or that another question was answered with, is refused
// instead of being continued somewhere.

// scrollSum is how many bytes the checksum has.
const scrollSum = 9

func sumOfScroll(question any, place string) []byte {
	text, _ := json.Marshal(question) // questions are plain values
	sum := sha256.Sum256(append(append(text, 0), place...))
	return sum[:scrollSum]
}

// sealScroll makes the id with which a question continues at a place.
func sealScroll(question any, place string) string {
	if place == "" {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(sumOfScroll(question, place), place...))
}

// openScroll returns the place of an id; an empty id is the beginning.
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

// readSlice reads which slice of a parallel scroll is asked for. The first slice has
// everything, so that the slices are disjoint and complete.
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
