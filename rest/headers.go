package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/model"
)

// header is a header that many requests or answers have. Its name is brought into the
// form of http.Header once: that costs as much as the rest of setting it.
type header struct {
	// name is how messages and documents spell it.
	name, canonical string
	values          []string
}

func newHeader(name string, values ...string) header {
	return header{name: name, canonical: http.CanonicalHeaderKey(name), values: values}
}

// set sets the header. All answers share the values, which nobody changes in place.
func (h *header) set(in http.Header) { in[h.canonical] = h.values }

// of returns the first value of the header, "" if there is none.
func (h *header) of(in http.Header) string {
	if values := in[h.canonical]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Headers of answers.
var (
	answeredVersion = newHeader("X-RestLi-Protocol-Version", protocolVersion)
	answeredJSON    = newHeader("Content-Type", "application/json")
	errorHeader     = newHeader("X-RestLi-Error-Response", "true")
)

// versionHeaders are the headers of the dialects that contain the protocol version.
func versionHeaders(r *model.Registry) []header {
	var headers []header
	for _, d := range r.Dialects() {
		headers = append(headers, newHeader(d.VersionHeader))
	}
	return headers
}
