package call

import (
	"errors"
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
)

// openAPIPaths begin the paths whose errors have the shape of openAPIError.
var openAPIPaths = []string{"/openapi/v1/", "/openapi/v2/", "/openapi/v3/", "/openapi/operations/"}

// openAPIError is the error shape of these paths. Clients show the message.
type openAPIError struct {
	// Error is what kind of error it is, or the message where clients know no kind.
	Error        string          `json:"error"`
	Message      string          `json:"message"`
	Refused      []refusedMember `json:"refused,omitempty"`
	RefusedCount int             `json:"refusedCount,omitempty"`
}

// openAPIKinds are the statuses of these paths that differ, and the kinds that
// clients know.
var openAPIKinds = map[catalog.Code]struct {
	status int
	kind   string
}{
	catalog.Validation:   {http.StatusBadRequest, "Validation Error"},
	catalog.Precondition: {http.StatusPreconditionFailed, "Precondition Error"},
	catalog.Forbidden:    {http.StatusForbidden, "Authorization Error"},
}

// failure describes an error in the shape of the request's path.
func (c *Call) failure(err error) (int, any) {
	status, body := StatusAndBody(err)
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

// InOpenAPI reports whether the errors of a path have the shape of the OpenAPI calls.
func InOpenAPI(path string) bool {
	for _, beginning := range openAPIPaths {
		if strings.HasPrefix(path, beginning) {
			return true
		}
	}
	return false
}
