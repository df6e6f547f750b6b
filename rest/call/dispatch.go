package call

import (
	"net/http"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/search"
)

// ActionKey is the key under which the action of a request is stored for the log.
const ActionKey = "action"

// EndpointKey is the key of the endpoint that answers a request, an *[Endpoint], and RefusalKey the
// key of the text with which the request was refused with 401 or 403. Both are for the audit trail.
const (
	EndpointKey = "endpoint"
	RefusalKey  = "refusal"
)

// Dispatch answers a request with one of the endpoints of its method and path.
func (c *Call) Dispatch(group []*Endpoint) {
	e, err := c.pick(group)
	if err == nil {
		c.Set(EndpointKey, e)
		c.endpoint, c.reads = e, e.Reads || e.Method == http.MethodGet || e.Method == http.MethodHead
		err = c.checkQuery()
	}
	if err == nil && len(e.Needs) > 0 {
		err = permission.Require(c.Request.Context(), "use "+e.Row(), e.Needs...)
	}
	if err == nil && !c.reads && !e.has("dryRun") { // the room decides, because it knows whether this is a dry run
		err = c.Catalog.RequireWritable(c.Request.Context())
	}
	if err == nil && e.Versioned {
		err = c.checkVersion()
	}
	if err == nil {
		ctx, searched := search.WithFreshness(c.Request.Context())
		c.Request, c.searched = c.Request.WithContext(ctx), searched
		err = e.Handle(c)
	}
	if err != nil {
		c.Fail(err)
	}
}

func (c *Call) pick(group []*Endpoint) (*Endpoint, error) {
	if slices.ContainsFunc(group, func(e *Endpoint) bool { return e.Below != "" }) {
		return c.pickBelow(group)
	}
	tail := strings.Trim(c.Param("tail"), "/")
	action, err := c.Text("action")
	if err != nil {
		return nil, err
	}
	hasIDs := len(rawValues(c.Request.URL.RawQuery, "ids")) > 0
	var actions []string
	for _, e := range group {
		if e.Action != "" {
			actions = append(actions, e.Action)
		}
		if e.Subtree || e.Action == action && e.Tail == (tail != "") && (e.IDs == hasIDs || e.Action != "" || e.Tail) {
			if e.Action != "" {
				c.Set(ActionKey, e.Action)
			}
			return e, nil
		}
	}
	path := group[0].Path
	switch {
	case tail != "" && action == "":
		return nil, catalog.Errorf(catalog.NotFound, "No root resource defined for path '%s'", c.Request.URL.Path)
	case c.Request.Method == http.MethodPost && len(actions) > 0:
		return nil, catalog.Errorf(catalog.Invalid, "POST operation named %s not supported on resource '%s'; there are %s",
			action, path, strings.Join(actions, ", "))
	}
	return nil, catalog.Errorf(catalog.Invalid, "%s on resource '%s' needs an entity in its path or ids=List(…)", c.Request.Method, path)
}
