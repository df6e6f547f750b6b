package call

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/nearest"
)

// waitParameter is a parameter of every endpoint that may write.
const waitParameter = "wait"

// QueryNames returns the query parameters that an endpoint accepts.
func (e *Endpoint) QueryNames() []string {
	declared := e.Parameters
	var names []string
	if e.Action != "" {
		declared, names = e.Query, append(names, "action")
	}
	for i := range declared {
		names = append(names, declared[i].Name)
	}
	if e.Method != http.MethodGet && e.Method != http.MethodHead && !e.Reads {
		names = append(names, waitParameter)
	}
	return names
}

// checkQuery refuses a query with a parameter that the endpoint does not have. The
// parameter would have no effect, so the caller would get the answer to another question.
func (c *Call) checkQuery() error {
	if c.endpoint.AnyQuery || c.Request.URL.RawQuery == "" {
		return nil
	}
	known := c.endpoint.Known
	for pair := range strings.SplitSeq(c.Request.URL.RawQuery, "&") {
		key, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		switch {
		case err != nil:
			return catalog.Errorf(catalog.Invalid, "the name of a parameter, %q, has invalid percent-encoding", key)
		case name == "" || slices.Contains(known, name):
		case c.endpoint.Action != "" && slices.ContainsFunc(c.endpoint.Parameters, func(p Parameter) bool { return p.Name == name }):
			return catalog.Errorf(catalog.Invalid, "parameter %s belongs in the body of the request, not in its query", name)
		case len(known) == 0:
			return catalog.Errorf(catalog.Invalid, "unknown parameter %q; this request has no parameters", name)
		default:
			return catalog.Errorf(catalog.Invalid, "unknown parameter %q%s", name, nearest.Among(name, known, "parameters"))
		}
	}
	return nil
}

// RawValues returns the undecoded values of a query parameter. It returns an internal error
// if the route table lacks the parameter: checkQuery would refuse every request with it.
func (c *Call) RawValues(name string) ([]string, error) {
	if e := c.endpoint; e != nil && !e.AnyQuery && !slices.Contains(e.Known, name) {
		return nil, fmt.Errorf("the route table lacks the parameter %s of %s %s", name, e.Method, e.Described())
	}
	return rawValues(c.Request.URL.RawQuery, name), nil
}
