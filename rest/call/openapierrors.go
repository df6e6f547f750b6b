package call

import (
	"errors"
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
)

// openAPIPaths are the beginnings of the paths with errors in the form of openAPIError.
var openAPIPaths = []string{"/openapi/v1/", "/openapi/v2/", "/openapi/v3/", "/openapi/operations/"}

// openAPIError is an error on the wire below these paths. Clients show the message.
type openAPIError struct {
	// Error is the kind of the error, or its message if clients know no such kind.
	Error        string          `json:"error"`
	Message      string          `json:"message"`
	Refused      []refusedMember `json:"refused,omitempty"`
	RefusedCount int             `json:"refusedCount,omitempty"`
}

// marquezPath is the beginning of the paths whose reads have errors in the form of marquezError.
const marquezPath = "/api/v1/"

// marquezError is an error on the wire as clients of Marquez read it.
type marquezError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// openAPIKinds has the errors with a status of their own below these paths, and with a kind
// that clients know.
var openAPIKinds = map[catalog.Code]struct {
	status int
	kind   string
}{
	catalog.Validation:   {http.StatusBadRequest, "Validation Error"},
	catalog.Precondition: {http.StatusPreconditionFailed, "Precondition Error"},
	catalog.Forbidden:    {http.StatusForbidden, "Authorization Error"},
}

// failure returns the status of an error, and its body in the dialect of the request's path.
func (c *Call) failure(err error) (int, any) {
	status, body := StatusAndBody(err)
	if c.reads && strings.HasPrefix(c.Request.URL.Path, marquezPath) {
		return status, marquezError{Code: status, Message: body.Message}
	}
	if !InOpenAPI(c.Request.URL.Path) {
		return status, body
	}
	answer := openAPIError{Error: body.Message, Message: body.Message, Refused: body.Refused, RefusedCount: body.RefusedCount}
	if known, ok := openAPIKinds[catalog.CodeOf(err)]; ok {
		status, answer.Error = known.status, known.kind
	}
	var refused *catalog.RefusedError
	if errors.As(err, &refused) {
		for i, m := range refused.Members {
			if known, ok := openAPIKinds[catalog.CodeOf(m.Err)]; ok {
				answer.Refused[i].Status = known.status
			}
		}
	}
	return status, answer
}

// InOpenAPI reports whether errors below a path have the form of openAPIError.
func InOpenAPI(path string) bool {
	for _, beginning := range openAPIPaths {
		if strings.HasPrefix(path, beginning) {
			return true
		}
	}
	return false
}
