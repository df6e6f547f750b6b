package call

import (
	"net/http"

	"github.com/headwater-io/headwater/model"
)

// Header is a header that many requests or answers have. Its name is converted to the
// canonical form of http.Header only once, because that costs as much as all other work of
// setting a header.
type Header struct {
	// Name is the header's name as messages and documents spell it.
	Name, canonical string
	values          []string
}

// NewHeader makes a header. Set will set it to the given values.
func NewHeader(name string, values ...string) Header {
	return Header{Name: name, canonical: http.CanonicalHeaderKey(name), values: values}
}

// Set sets the header in an answer. All answers share one slice of values, which must not be changed.
func (h *Header) Set(in http.Header) { in[h.canonical] = h.values }

// Of returns the first value of the header in a request, or "".
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
