package rest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/model"
)

// protocolVersion is the only version of the protocol.
const protocolVersion = "2.0.0"

// call is one request in a handler, with what every answer needs.
type call struct {
	*gin.Context
	registry *model.Registry
	urns     urnReader
	logger   *slog.Logger
	// unknownFields is as in [Options].
	unknownFields string
	// versions are the headers that may contain the protocol version.
	versions []header
	// searched tells how fresh the searches of the request were.
	searched *search.Freshness
	// endpoint answers the request, once it is selected.
	endpoint *endpoint
	// parts are the parts of the path below that of the endpoint, by name.
	parts map[string]string
	// reads: the request changes nothing.
	reads bool
}

func (s *Server) call(c *gin.Context) *call {
	return &call{Context: c, registry: s.catalog.Registry(), urns: s.catalog, logger: s.logger, versions: s.versions, unknownFields: s.UnknownFields}
}

// json answers with a JSON text.
func (c *call) json(status int, answer any) error {
	text, err := encodeAnswer(answer)
	if err != nil {
		return err
	}
	if err := intake.HoldAnswer(c.Request.Context(), len(text)); err != nil && c.reads {
		return err // another request may have written something, which the caller must learn
	}
	c.noteFreshness()
	h := c.Writer.Header()
	answeredVersion.set(h)
	answeredJSON.set(h)
	h["Content-Length"] = []string{strconv.Itoa(len(text))}
	c.Status(status)
	if _, err := c.Writer.Write(text); err != nil {
		_ = c.Error(err) // the caller is gone
	}
	return nil
}

func encodeAnswer(answer any) ([]byte, error) {
	if a, ok := answer.(jsonAppender); ok {
		return a.appendJSON(nil), nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return nil, &catalog.Error{Code: catalog.Internal, Message: "internal error", Err: err}
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// behindHeader tells how many changes, of those before the request, the search
// index may have lacked when it was answered; it is not sent when it had all.
const behindHeader = "X-Headwater-Index-Behind"

// noteFreshness sets behindHeader.
func (c *call) noteFreshness() {
	if c.searched == nil {
		return
	}
	if changes, late := c.searched.Behind(); late {
		c.Header(behindHeader, search.Lacking(changes))
	}
}

// value answers in the form of actions.
func (c *call) value(answer any) error {
	return c.json(http.StatusOK, struct {
		Value any `json:"value"`
	}{answer})
}

// nothing answers an action that returns nothing.
func (c *call) nothing() error {
	answeredVersion.set(c.Writer.Header())
	c.Status(http.StatusOK)
	c.Writer.WriteHeaderNow()
	return nil
}

// fail answers with an error; texts of internal errors are only logged.
func (c *call) fail(err error) {
	status, body := c.failure(err)
	if status >= http.StatusInternalServerError {
		c.logger.ErrorContext(c.Request.Context(), "request failed", "status", status, "error", err)
	}
	if catalog.CodeOf(err) == catalog.Busy {
		c.Header("Retry-After", "1")
	}
	errorHeader.set(c.Writer.Header())
	c.reads = false
	_ = c.json(status, body) // the body contains only strings
	c.Abort()
}

// checkVersion requires the protocol version in the header of any dialect.
func (c *call) checkVersion() error {
	for _, h := range c.versions {
		switch h.of(c.Request.Header) {
		case protocolVersion:
			return nil
		case "":
		default:
			return catalog.Errorf(catalog.Invalid, "header %s must be %s", h.name, protocolVersion)
		}
	}
	names := make([]string, len(c.versions))
	for i, h := range c.versions {
		names[i] = h.name
	}
	return catalog.Errorf(catalog.Invalid, "header %s: %s is required", strings.Join(names, " or "), protocolVersion)
}
