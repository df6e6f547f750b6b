package rest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
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
}

func (s *Server) call(c *gin.Context) *call {
	return &call{Context: c, registry: s.catalog.Registry(), urns: s.catalog, logger: s.logger}
}

// json answers with a JSON text.
func (c *call) json(status int, answer any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return &catalog.Error{Code: catalog.Internal, Message: "internal error", Err: err}
	}
	if err := intake.HoldAnswer(c.Request.Context(), b.Len()); err != nil && c.Request.Method == http.MethodGet {
		return err // other methods may have written something, which the caller must learn
	}
	c.Header("X-RestLi-Protocol-Version", protocolVersion)
	c.Data(status, "application/json", bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return nil
}

// value answers in the form of actions.
func (c *call) value(answer any) error {
	return c.json(http.StatusOK, struct {
		Value any `json:"value"`
	}{answer})
}

// nothing answers an action that returns nothing.
func (c *call) nothing() error {
	c.Header("X-RestLi-Protocol-Version", protocolVersion)
	c.Status(http.StatusOK)
	c.Writer.WriteHeaderNow()
	return nil
}

// fail answers with an error; texts of internal errors are only logged.
func (c *call) fail(err error) {
	status, body := statusAndBody(err)
	if status >= http.StatusInternalServerError {
		c.logger.ErrorContext(c.Request.Context(), "request failed", "status", status, "error", err)
	}
	if catalog.CodeOf(err) == catalog.Busy {
		c.Header("Retry-After", "1")
	}
	c.Header("X-RestLi-Error-Response", "true")
	_ = c.json(status, body) // the body contains only strings
	c.Abort()
}

// checkVersion requires the protocol version in the header of any dialect.
func (c *call) checkVersion() error {
	var headers []string
	for _, d := range c.registry.Dialects() {
		switch c.GetHeader(d.VersionHeader) {
		case protocolVersion:
			return nil
		case "":
			headers = append(headers, d.VersionHeader)
		default:
			return catalog.Errorf(catalog.Invalid, "header %s must be %s", d.VersionHeader, protocolVersion)
		}
	}
	return catalog.Errorf(catalog.Invalid, "header %s: %s is required", strings.Join(headers, " or "), protocolVersion)
}
