package rest

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/intake"
)

// errorBody is the error shape of the interface. The class is the field that
// clients branch on; there is never a trace.
type errorBody struct {
	ExceptionClass string `json:"exceptionClass"`
	StackTrace     string `json:"stackTrace"`
	Message        string `json:"message"`
	Status         int    `json:"status"`
}

const exceptionClass = "com.linkedin.restli.server.RestLiServiceException"

// statusOf maps the codes of the catalog, once for the whole package.
var statusOf = map[catalog.Code]int{
	catalog.Invalid:         http.StatusBadRequest,
	catalog.Validation:      http.StatusUnprocessableEntity,
	catalog.NotFound:        http.StatusNotFound,
	catalog.Conflict:        http.StatusConflict,
	catalog.Gone:            http.StatusGone,
	catalog.Precondition:    http.StatusPreconditionFailed,
	catalog.TooLarge:        http.StatusRequestEntityTooLarge,
	catalog.Unauthenticated: http.StatusUnauthorized,
	catalog.Forbidden:       http.StatusForbidden,
	catalog.Unavailable:     http.StatusServiceUnavailable,
	catalog.Busy:            http.StatusServiceUnavailable,
	catalog.Timeout:         http.StatusGatewayTimeout,
	catalog.Internal:        http.StatusInternalServerError,
}

// statusAndBody describes an error to the caller.
func statusAndBody(err error) (int, errorBody) {
	status, message := statusOf[catalog.CodeOf(err)], catalog.MessageOf(err)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		status, message = http.StatusRequestEntityTooLarge, fmt.Sprintf("the request body is larger than %d bytes, the limit (--max-body)", tooLarge.Limit)
	}
	var slow *intake.SlowError
	if errors.As(err, &slow) {
		status, message = http.StatusRequestTimeout, slow.Error()
	}
	return status, errorBody{ExceptionClass: exceptionClass, Message: message, Status: status}
}
