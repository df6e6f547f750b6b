package call

import (
	"net/http"

	"github.com/headwater-io/headwater/model"
)

// Header is a header that many requests or answers have. Its name is brought into the
// form of http.Header once: that costs as much as the rest of setting it.
type Header struct {
	// Name is how messages and documents spell it.
	Name, canonical string
	values          []string
}

// NewHeader makes a header with the values with which answers set it.
func NewHeader(name string, values ...string) Header {
	return Header{Name: name, canonical: http.CanonicalHeaderKey(name), values: values}
}

// Set sets the header. All answers share the values, which nobody changes in place.
func (h *Header) Set(in http.Header) { in[h.canonical] = h.values }

// Of returns the first value of the header, "" if there is none.
func (h *Header) Of(in http.Header) string {
	if values := in[h.canonical]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Headers of answers.
var (
	answeredVersion = NewHeader("X-RestLi-Protocol-Version", ProtocolVersion)
	answeredJSON    = NewHeader("Content-Type", "application/json")
	errorHeader     = NewHeader("X-RestLi-Error-Response", "true")
)

// VersionHeaders are the headers of the dialects that contain the protocol version.
func VersionHeaders(r *model.Registry) []Header {
	var headers []Header
	for _, d := range r.Dialects() {
		headers = append(headers, NewHeader(d.VersionHeader))
	}
	return headers
}
