// Package call is what all handlers of the REST interface use: a request with its
// parameters, URNs and body ([Call], [Reader]), its answers and errors, and the row of
// the route table that it belongs to ([Endpoint]). It has no handlers.
package call

import (
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

// Call is one request in a handler, with what every answer needs.
type Call struct {
	*gin.Context
	Registry *model.Registry
	Catalog  Catalog
	Logger   *slog.Logger
	// UnknownFields is [KeepUnknown], [RefuseUnknown] or [AutoUnknown], also when empty.
	UnknownFields string
	// Versions are the headers that may contain the protocol version.
	Versions []Header
	// searched tells how fresh the searches of the request were.
	searched *search.Freshness
	// endpoint answers the request, once it is selected.
	endpoint *Endpoint
	// Parts are the parts of the path below that of the endpoint, by name.
	Parts map[string]string
	// reads: the request changes nothing.
	reads bool
}

// JSON answers with a JSON text.
func (c *Call) JSON(status int, answer any) error {
	text, err := stored.Encode(answer)
	if err != nil {
		return err
	}
	if err := intake.HoldAnswer(c.Request.Context(), len(text)); err != nil && c.reads {
		return err // another request may have written something, which the caller must learn
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

// behindHeader tells how many changes, of those before the request, the search
// index may have lacked when it was answered; it is not sent when it had all.
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

// Answer answers in the form of actions.
func (c *Call) Answer(answer any) error {
	return c.JSON(http.StatusOK, struct {
		Value any `json:"value"`
	}{answer})
}

// Nothing answers an action that returns nothing.
func (c *Call) Nothing() error {
	answeredVersion.Set(c.Writer.Header())
	c.Status(http.StatusOK)
	c.Writer.WriteHeaderNow()
	return nil
}

// Fail answers with an error; texts of internal errors are only logged.
func (c *Call) Fail(err error) {
	status, body := c.failure(err)
	if status >= http.StatusInternalServerError {
		c.Logger.ErrorContext(c.Request.Context(), "request failed", "status", status, "error", err)
	}
	if catalog.CodeOf(err) == catalog.Busy {
		c.Header("Retry-After", "1")
	}
	errorHeader.Set(c.Writer.Header())
	c.reads = false
	_ = c.JSON(status, body) // the body contains only strings
	c.Abort()
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
