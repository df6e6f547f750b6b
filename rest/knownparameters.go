package rest

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

// queryNames are the names that the query of an endpoint may have.
func (e *endpoint) queryNames() []string {
	declared := e.parameters
	var names []string
	if e.action != "" {
		declared, names = e.query, append(names, "action")
	}
	for i := range declared {
		names = append(names, declared[i].name)
	}
	if e.method != http.MethodGet && e.method != http.MethodHead && !e.reads {
		names = append(names, waitParameter)
	}
	return names
}

// checkQuery refuses a query with a parameter that the endpoint does not have: it would
// have no effect, and the answer would be to another question than the caller asked.
func (c *call) checkQuery() error {
	if c.endpoint.anyQuery || c.Request.URL.RawQuery == "" {
		return nil
	}
	known := c.endpoint.known
	for pair := range strings.SplitSeq(c.Request.URL.RawQuery, "&") {
		key, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		switch {
		case err != nil:
			return catalog.Errorf(catalog.Invalid, "the name of a parameter, %q, has invalid percent-encoding", key)
		case name == "" || slices.Contains(known, name):
		case c.endpoint.action != "" && slices.ContainsFunc(c.endpoint.parameters, func(p parameter) bool { return p.name == name }):
			return catalog.Errorf(catalog.Invalid, "parameter %s belongs in the body of the request, not in its query", name)
		case len(known) == 0:
			return catalog.Errorf(catalog.Invalid, "unknown parameter %q; this request has no parameters", name)
		default:
			return catalog.Errorf(catalog.Invalid, "unknown parameter %q%s", name, nearest.Among(name, known, "parameters"))
		}
	}
	return nil
}

// rawValues returns the undecoded values of a query parameter. A handler that reads a
// parameter which the route table lacks is at fault: no request could have it.
func (c *call) rawValues(name string) ([]string, error) {
	if e := c.endpoint; e != nil && !e.anyQuery && !slices.Contains(e.known, name) {
		return nil, fmt.Errorf("the route table lacks the parameter %s of %s %s", name, e.method, e.described())
	}
	return rawValues(c.Request.URL.RawQuery, name), nil
}
