package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/model"
)

// protocolVersion is the only version of the protocol there is.
const protocolVersion = "2.0.0"

// actorHeader names on whose behalf a request is made while authentication is
// off.
const actorHeader = "X-DataHub-Actor"

// call is one request on its way through a handler.
type call struct {
	*Server
	*gin.Context
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
		return err // other methods may have written something, which must be said
	}
	c.Header("X-RestLi-Protocol-Version", protocolVersion)
	c.Data(status, "application/json", bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return nil
}

// value answers as actions do.
func (c *call) value(answer any) error {
	return c.json(http.StatusOK, struct {
		Value any `json:"value"`
	}{answer})
}

// nothing answers a void action.
func (c *call) nothing() error {
	c.Header("X-RestLi-Protocol-Version", protocolVersion)
	c.Status(http.StatusOK)
	c.Writer.WriteHeaderNow()
	return nil
}

// fail answers with an error; texts of our own defects go to the log alone.
func (c *call) fail(err error) {
	status, body := statusAndBody(err)
	if status >= http.StatusInternalServerError {
		c.logger.ErrorContext(c.Request.Context(), "request failed", "status", status, "error", err)
	}
	if catalog.CodeOf(err) == catalog.Busy {
		c.Header("Retry-After", "1")
	}
	c.Header("X-RestLi-Error-Response", "true")
	_ = c.json(status, body) // the body is plain strings
	c.Abort()
}

// tail is the path behind a prefix, decoded exactly once.
func (c *call) tail(prefix string) (string, error) {
	raw := strings.TrimPrefix(strings.TrimPrefix(c.Request.URL.EscapedPath(), prefix), "/")
	decoded, err := model.DecodeURN(raw)
	if err != nil {
		return "", &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return decoded, nil
}

// param returns a query parameter, decoded once.
func (c *call) param(name string) (string, error) {
	values := rawValues(c.Request.URL.RawQuery, name)
	if len(values) == 0 {
		return "", nil
	}
	decoded, err := url.QueryUnescape(values[0])
	if err != nil {
		return "", catalog.Errorf(catalog.Invalid, "parameter %s has bad percent-encoding", name)
	}
	return decoded, nil
}

func (c *call) required(name string) (string, error) {
	value, err := c.param(name)
	if err == nil && value == "" {
		err = catalog.Errorf(catalog.Invalid, "parameter %s is required", name)
	}
	return value, err
}

// integer returns an integer parameter or its default.
func (c *call) integer(name string, otherwise int64) (int64, error) {
	text, err := c.param(name)
	if err != nil || text == "" {
		return otherwise, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, catalog.Errorf(catalog.Invalid, "parameter %s: %q is not an integer", name, text)
	}
	return n, nil
}

// page returns the start and count parameters.
func (c *call) page(defaultCount int64) (start, count int, err error) {
	from, err := c.integer("start", 0)
	if err != nil {
		return 0, 0, err
	}
	size, err := c.integer("count", defaultCount)
	if err != nil {
		return 0, 0, err
	}
	const most = 1 << 31
	if from > most || size > most {
		return 0, 0, catalog.Errorf(catalog.Invalid, "start and count must be below %d", most)
	}
	return int(from), int(size), nil
}

func (c *call) list(name string) ([]string, error) {
	return parseList(c.Request.URL.RawQuery, name)
}

// actor returns on whose behalf the request is made, "" for the system actor.
func (c *call) actor() (string, error) {
	text := c.GetHeader(actorHeader)
	if text == "" {
		return "", nil
	}
	u, err := c.catalog.Registry().ReadURN(strings.TrimSpace(text))
	if err != nil {
		return "", &catalog.Error{Code: catalog.Invalid, Message: "header " + actorHeader + ": " + err.Error()}
	}
	return u.String(), nil
}

// writeOptions gathers who writes.
func (c *call) writeOptions(async any) (catalog.WriteOptions, error) {
	actor, err := c.actor()
	if err != nil {
		return catalog.WriteOptions{}, err
	}
	o := catalog.WriteOptions{Actor: actor}
	if o.AwaitIndex, err = c.awaitsIndex(); err != nil {
		return o, err
	}
	switch async := async.(type) {
	case nil:
	case bool:
		o.Async = async
	case string:
		if o.Async, err = strconv.ParseBool(async); err != nil && async != "" {
			return o, catalog.Errorf(catalog.Invalid, "parameter async must be \"true\" or \"false\"")
		}
	default:
		return o, catalog.Errorf(catalog.Invalid, "parameter async must be \"true\" or \"false\"")
	}
	return o, nil
}

// waitHeader asks, as the parameter wait does, that a write be answered only
// when the search index has it.
const waitHeader = "X-Headwater-Wait"

func (c *call) awaitsIndex() (bool, error) {
	wait, err := c.param("wait")
	if err != nil {
		return false, err
	}
	if wait == "" {
		wait = c.GetHeader(waitHeader)
	}
	if wait != "" && wait != "index" {
		return false, catalog.Errorf(catalog.Invalid, "parameter wait: %q cannot be waited for, only index", wait)
	}
	return wait != "", nil
}

// checkVersion requires the protocol version in the header of any dialect.
func (c *call) checkVersion() error {
	var headers []string
	for _, d := range c.catalog.Registry().Dialects() {
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
