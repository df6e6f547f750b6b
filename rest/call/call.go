// Package call has the parts that all handlers of the REST interface share: a request with its parameters,
// URNs and body ([Call], [Reader]), its answers and errors, and the row of the route table that it belongs to
// ([Endpoint]). It has no handlers.
package call

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/stored"
)

// ProtocolVersion is the only version of the protocol.
const ProtocolVersion = "2.0.0"

// Call is one request in a handler, with the data that all handlers need.
type Call struct {
	*gin.Context
	Registry *model.Registry
	Catalog  Catalog
	Logger   *slog.Logger
	// UnknownFields is [KeepUnknown], [RefuseUnknown] or [AutoUnknown]; "" means
	// AutoUnknown.
	UnknownFields string
	// Versions are the headers in which a caller may state the protocol version.
	Versions []Header
	// searched records how fresh the index was when it answered the searches of this request.
	searched *search.Freshness
	// endpoint is the endpoint that answers the request, nil until it is selected.
	endpoint *Endpoint
	// Parts are the variable parts of the path after the endpoint's own path, by name.
	Parts map[string]string
	// reads: the request changes nothing.
	reads bool
}

// JSON answers with a status and the JSON of a value.
func (c *Call) JSON(status int, answer any) error {
	text, err := stored.Encode(answer)
	if err != nil {
		return err
	}
	if err := intake.HoldAnswer(c.Request.Context(), len(text)); err != nil && c.reads {
		return err // a write is answered even without memory, because the caller must learn its result
	}
	c.NoteFreshness()
	h := c.Writer.Header()
	answeredVersion.Set(h)
	answeredJSON.Set(h)
	h["Content-Length"] = []string{strconv.Itoa(len(text))}
	c.Status(status)
	if _, err := c.Writer.Write(text); err != nil {
		_ = c.Error(err) // the caller is gone
	}
	return nil
}

// behindHeader tells how many earlier changes the search index may have lacked when it
// answered. It is absent if the index had all of them.
const behindHeader = "X-Headwater-Index-Behind"

// NoteFreshness sets behindHeader.
func (c *Call) NoteFreshness() {
	if c.searched == nil {
		return
	}
	if changes, late := c.searched.Behind(); late {
		c.Header(behindHeader, search.Lacking(changes))
	}
}

// Answer answers an action with {"value": answer} and status 200.
func (c *Call) Answer(answer any) error {
	return c.JSON(http.StatusOK, struct {
		Value any `json:"value"`
	}{answer})
}

// Nothing answers an action that has no result.
func (c *Call) Nothing() error {
	answeredVersion.Set(c.Writer.Header())
	c.Status(http.StatusOK)
	c.Writer.WriteHeaderNow()
	return nil
}

// Fail answers with an error. The text of an internal error is logged and not sent.
func (c *Call) Fail(err error) {
	status, body := c.failure(err)
	if status >= http.StatusInternalServerError {
		level := slog.LevelError
		if errors.Is(c.Request.Context().Err(), context.Canceled) {
			level = slog.LevelDebug // the caller has ended the request, as an executor that stops does, and reads no answer
		}
		c.Logger.Log(c.Request.Context(), level, "request failed", "method", c.Request.Method, "route", c.FullPath(), "status", status, "error", err)
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		c.Set(RefusalKey, catalog.MessageOf(err))
	}
	if code := catalog.CodeOf(err); code == catalog.Busy || code == catalog.Throttled {
		c.Header("Retry-After", strconv.Itoa(secondsUntil(err)))
	}
	errorHeader.Set(c.Writer.Header())
	c.reads = false
	_ = c.JSON(status, body) // the body contains only strings
	c.Abort()
}

// secondsUntil returns after how many seconds a request that was refused may be repeated.
func secondsUntil(err error) int {
	var waits *catalog.WaitError
	if !errors.As(err, &waits) {
		return 1
	}
	return max(1, int(waits.Wait.Seconds()))
}

// FailMethod answers a method that the path does not have.
func (c *Call) FailMethod() {
	body := ErrorBody{ExceptionClass: exceptionClass, Message: catalog.Shown(c.Request.Method + " is not a method of " + c.Request.URL.Path), Status: http.StatusMethodNotAllowed}
	errorHeader.Set(c.Writer.Header())
	_ = c.JSON(body.Status, body) // the body contains only strings
}

// checkVersion requires the protocol version in the header of any dialect.
func (c *Call) checkVersion() error {
	for _, h := range c.Versions {
		switch h.Of(c.Request.Header) {
		case ProtocolVersion:
			return nil
		case "":
		default:
			return catalog.Errorf(catalog.Invalid, "header %s must be %s", h.Name, ProtocolVersion)
		}
	}
	names := make([]string, len(c.Versions))
	for i, h := range c.Versions {
		names[i] = h.Name
	}
	return catalog.Errorf(catalog.Invalid, "header %s: %s is required", strings.Join(names, " or "), ProtocolVersion)
}
