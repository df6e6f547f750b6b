package call

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/model"
)

// ItemError is the error of one item of a request, or of the rest of an answer.
type ItemError struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// ErrorBody is an error of the interface on the wire. Clients decide by its class. It never
// contains a stack trace.
type ErrorBody struct {
	ExceptionClass string `json:"exceptionClass"`
	StackTrace     string `json:"stackTrace"`
	Message        string `json:"message"`
	Status         int    `json:"status"`
	// Refused has the first refused members of a batch, RefusedCount the number of all.
	Refused      []refusedMember `json:"refused,omitempty"`
	RefusedCount int             `json:"refusedCount,omitempty"`
	// Candidates are the things that an ambiguous name may mean or, with status 404, the things
	// with the most similar names. CandidateCount is the number of things with the name.
	Candidates     []Named `json:"candidates,omitempty"`
	CandidateCount int     `json:"candidateCount,omitempty"`
}

// refusedMember is a member of a batch that was refused.
type refusedMember struct {
	Index   int    `json:"index"`
	URN     string `json:"urn"`
	Aspect  string `json:"aspect,omitempty"`
	Status  int    `json:"status"`
	Message string `json:"message"`
}

const exceptionClass = "com.linkedin.restli.server.RestLiServiceException"

// statusOf maps error codes of the catalog to HTTP statuses. Under openAPIPaths,
// openAPIKinds takes precedence.
var statusOf = map[catalog.Code]int{
	catalog.Invalid:         http.StatusBadRequest,
	catalog.Validation:      http.StatusUnprocessableEntity,
	catalog.NotFound:        http.StatusNotFound,
	catalog.Conflict:        http.StatusConflict,
	catalog.Gone:            http.StatusGone,
	catalog.Precondition:    http.StatusUnprocessableEntity,
	catalog.Mismatch:        http.StatusPreconditionFailed,
	catalog.TooLarge:        http.StatusRequestEntityTooLarge,
	catalog.Unauthenticated: http.StatusUnauthorized,
	catalog.Forbidden:       http.StatusForbidden,
	catalog.Throttled:       http.StatusTooManyRequests,
	catalog.Unavailable:     http.StatusServiceUnavailable,
	catalog.Busy:            http.StatusServiceUnavailable,
	catalog.Timeout:         http.StatusGatewayTimeout,
	catalog.Internal:        http.StatusInternalServerError,
}

// StatusAndBody returns the HTTP status and the body for an error.
func StatusAndBody(err error) (int, ErrorBody) {
	status, message := statusOf[catalog.CodeOf(err)], catalog.MessageOf(err)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		status, message = http.StatusRequestEntityTooLarge, fmt.Sprintf("the request body is larger than %d bytes, the limit (--max-body)", tooLarge.Limit)
	}
	var slow *intake.SlowError
	if errors.As(err, &slow) {
		status, message = http.StatusRequestTimeout, slow.Error()
	}
	body := ErrorBody{ExceptionClass: exceptionClass, Message: message, Status: status}
	var refused *catalog.RefusedError
	if errors.As(err, &refused) {
		body.RefusedCount = refused.Total
		for _, m := range refused.Members {
			body.Refused = append(body.Refused, refusedMember{m.Index, m.URN, m.Aspect, statusOf[catalog.CodeOf(m.Err)], catalog.MessageOf(m.Err)})
		}
	}
	var named *search.NameError
	if errors.As(err, &named) {
		body.CandidateCount = named.Total
		for i := range named.Candidates {
			thing := NamedOf(&named.Candidates[i])
			thing.Removed = named.Removed
			body.Candidates = append(body.Candidates, thing)
		}
	}
	return status, body
}

// Named is an entity or a column that a name means or may mean.
type Named struct {
	// URN is the URN of the column, if the name means a column, or else of the entity.
	URN      string `json:"urn"`
	Entity   string `json:"entity"`
	Type     string `json:"type"`
	Platform string `json:"platform,omitempty"`
	Name     string `json:"name"`
	Column   string `json:"column,omitempty"`
	// Handle, only of candidates, is a name that means this candidate alone.
	Handle string `json:"handle,omitempty"`
	// Removed: the entity is soft-deleted.
	Removed bool `json:"removed,omitempty"`
}

// NamedOf converts an entity or a column that a name means to its form on the wire.
func NamedOf(n *search.Named) Named {
	thing := Named{
		URN: n.URN.String(), Entity: n.URN.String(), Type: n.URN.EntityType(), Platform: n.Platform, Name: n.Name,
		Column: model.PlainPath(n.Column), Handle: n.Handle,
	}
	if subject, err := n.Subject(); err == nil {
		thing.URN = subject.String()
	}
	return thing
}
