package catalog

import (
	"errors"
	"fmt"
	"time"

	"github.com/headwater-io/headwater/model"
)

// Code classifies an error for callers; each transport maps it once.
type Code string

// The codes, with the HTTP status each stands for.
const (
	Invalid         Code = "invalid"         // 400: the request cannot be understood or refers to something the model does not know
	Validation      Code = "validation"      // 422: an aspect's value does not fit its record
	NotFound        Code = "not_found"       // 404
	Conflict        Code = "conflict"        // 409: CREATE of an entity or aspect that exists
	Gone            Code = "gone"            // 410: the requested thing no longer exists; start over
	Precondition    Code = "precondition"    // 422, over OpenAPI 412: a condition that a write states does not hold; nothing was changed
	Mismatch        Code = "mismatch"        // 412: two lists of a request that belong together differ in length
	TooLarge        Code = "too_large"       // 413
	Unauthenticated Code = "unauthenticated" // 401
	Forbidden       Code = "forbidden"       // 403
	Throttled       Code = "throttled"       // 429 with Retry-After: the caller has too many requests; nothing was changed
	Unavailable     Code = "unavailable"     // 503: a backend is down; nothing was changed
	Busy            Code = "busy"            // 503 with Retry-After: the server is busy; nothing was changed
	Timeout         Code = "timeout"         // 504: the deadline passed
	Internal        Code = "internal"        // 500: a defect of the server; the text is for logs only
)

// Transient reports whether the same request may succeed later.
func (c Code) Transient() bool {
	return c == Unavailable || c == Busy || c == Throttled || c == Timeout
}

// Error is an error whose Message may be shown to the caller.
type Error struct {
	Code Code
	// Message is for the caller: the mistake and its place, without internals.
	Message string
	// Err is the cause, for logs.
	Err error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Message, e.Err)
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error with a formatted message; an %w argument becomes its
// cause. Arguments longer than the longest URN are cut.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, clipped(args)...)
	return &Error{Code: code, Message: wrapped.Error(), Err: errors.Unwrap(wrapped)}
}

// CodeOf returns the code of err, Internal for anything that has none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// MessageOf returns the text that may be shown to the caller, cut as [Shown]
// does.
func MessageOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return Shown(e.Message)
	}
	return "internal error"
}

// UnknownError is the cause of a NotFound about an entity of which nothing is stored.
type UnknownError struct{ URN model.URN }

func (e *UnknownError) Error() string { return e.URN.String() + " is unknown" }

// NotStored returns a NotFound error about an entity of which nothing is stored. In format, %s
// stands for the entity's URN.
func NotStored(u model.URN, format string) *Error {
	return &Error{Code: NotFound, Message: Errorf(NotFound, format, u).Message, Err: &UnknownError{u}}
}

// WaitError is the cause of a refusal, Busy or Throttled, that says how long to wait before the next try.
type WaitError struct{ Wait time.Duration }

func (e *WaitError) Error() string { return fmt.Sprintf("wait for %s", e.Wait) }

// UnmetError is a condition of a write that does not hold. Its text does not name the aspect and
// the entity.
type UnmetError struct{ Reason string }

func (e *UnmetError) Error() string { return e.Reason }

// ErrNoIndex is the error of a server without a search index.
var ErrNoIndex = &Error{Code: Unavailable, Message: "this server has no search index"}
