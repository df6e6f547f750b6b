package rest

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
)

// actionKey is the key under which the action of a request is stored for the log.
const actionKey = "action"

// endpoint is one row of the route table, the only source of routing,
// documentation and the OpenAPI document.
type endpoint struct {
	method string
	// path is the resource; tail: a URN follows it.
	path string
	tail bool
	// subtree: the endpoint answers every path below its own.
	subtree bool
	// below is the pattern of what follows the path, such as "/{entityType}/{urn}".
	below string
	// action selects the endpoint among those of its method and path.
	action string
	// ids: the endpoint answers the path when ids= is given.
	ids bool
	tag string
	// summary is a sentence; parameters are those of the body of an action, or
	// else of the query, and query those of the query of an action.
	summary           string
	parameters, query []parameter
	// content is the schema of the body of an endpoint without an action, if it
	// has one, and status what success is answered with, 200 when 0.
	content object
	status  int
	// reads: the endpoint changes nothing, whatever its method is.
	reads bool
	// refuses: every request is refused, with what to use instead.
	refuses bool
	// anyQuery: what the query has besides is not looked at, as of a page.
	anyQuery bool
	// known are the names that the query may have; they follow from the rest of the row.
	known []string
	// versioned endpoints require the protocol version header.
	versioned bool
	// long endpoints have no time limit while the caller waits; those that stream
	// accept a body of any size.
	long, streams bool
	example       example
	handle        func(*call) error
}

// parameter describes a query parameter or body member.
type parameter struct {
	name, kind, help string
	required         bool
}

// example is a request that works, also on an empty store if the examples are
// sent in the order of the table.
type example struct {
	// tail is the encoded rest of the path, query the raw query.
	tail, query, body string
}

// target is the example's path and query.
func (e *endpoint) target() string {
	target := e.path
	if e.tail || e.below != "" {
		target += "/" + e.example.tail
	}
	var query []string
	if e.action != "" {
		query = append(query, "action="+e.action)
	}
	if e.example.query != "" {
		query = append(query, e.example.query)
	}
	if len(query) > 0 {
		target += "?" + strings.Join(query, "&")
	}
	return target
}

// routeKey identifies what gin routes.
type routeKey struct{ method, path string }

// route registers the table with gin.
func (s *Server) route(engine *gin.Engine) {
	groups := map[routeKey][]*endpoint{}
	for i := range s.endpoints {
		e := &s.endpoints[i]
		e.known = e.queryNames()
		groups[routeKey{e.method, e.path}] = append(groups[routeKey{e.method, e.path}], e)
	}
	addHeads(groups)
	for _, key := range slices.SortedFunc(maps.Keys(groups), func(a, b routeKey) int {
		return strings.Compare(a.method+a.path, b.method+b.path)
	}) {
		group := groups[key]
		handler := func(c *gin.Context) { s.dispatch(s.call(c), group) }
		engine.Handle(key.method, key.path, handler)
		switch {
		case slices.ContainsFunc(group, func(e *endpoint) bool { return e.tail || e.subtree || e.below != "" }):
			engine.Handle(key.method, key.path+"/*tail", handler)
		case key.path != "/":
			engine.Handle(key.method, key.path+"/", handler)
		}
	}
}

// addHeads lets HEAD answer wherever GET does, unless the table has a HEAD of its own.
// The server sends no body then. Streams are left out: a stream without a body is of
// no use and costs as much.
func addHeads(groups map[routeKey][]*endpoint) {
	for key, group := range groups {
		if key.method != http.MethodGet {
			continue
		}
		head := routeKey{http.MethodHead, key.path}
		own := slices.Clone(groups[head])
		for _, e := range group {
			if !e.streams && !slices.ContainsFunc(own, e.sameShape) {
				groups[head] = append(groups[head], e)
			}
		}
	}
}

// has reports whether the endpoint has a parameter.
func (e *endpoint) has(name string) bool {
	return slices.ContainsFunc(e.parameters, func(p parameter) bool { return p.name == name })
}

// sameShape reports whether two endpoints of one path answer the same requests.
func (e *endpoint) sameShape(o *endpoint) bool {
	return e.tail == o.tail && e.subtree == o.subtree && e.below == o.below && e.action == o.action && e.ids == o.ids
}

// dispatch selects the endpoint for a request.
func (s *Server) dispatch(c *call, group []*endpoint) {
	e, err := s.pick(c, group)
	if err == nil {
		c.endpoint, c.reads = e, e.reads || e.method == http.MethodGet || e.method == http.MethodHead
		err = c.checkQuery()
	}
	if err == nil && !c.reads && !e.has("dryRun") { // a dry run is told apart by the room
		err = s.catalog.RequireWritable(c.Request.Context())
	}
	if err == nil && e.versioned {
		err = c.checkVersion()
	}
	if err == nil {
		ctx, searched := search.WithFreshness(c.Request.Context())
		c.Request, c.searched = c.Request.WithContext(ctx), searched
		err = e.handle(c)
	}
	if err != nil {
		c.fail(err)
	}
}

func (s *Server) pick(c *call, group []*endpoint) (*endpoint, error) {
	if slices.ContainsFunc(group, func(e *endpoint) bool { return e.below != "" }) {
		return c.pickBelow(group)
	}
	tail := strings.Trim(c.Param("tail"), "/")
	action, err := c.param("action")
	if err != nil {
		return nil, err
	}
	hasIDs := len(rawValues(c.Request.URL.RawQuery, "ids")) > 0
	var actions []string
	for _, e := range group {
		if e.action != "" {
			actions = append(actions, e.action)
		}
		if e.subtree || e.action == action && e.tail == (tail != "") && (e.ids == hasIDs || e.action != "" || e.tail) {
			if e.action != "" {
				c.Set(actionKey, e.action)
			}
			return e, nil
		}
	}
	path := group[0].path
	switch {
	case tail != "" && action == "":
		return nil, catalog.Errorf(catalog.NotFound, "No root resource defined for path '%s'", c.Request.URL.Path)
	case c.Request.Method == http.MethodPost && len(actions) > 0:
		return nil, catalog.Errorf(catalog.Invalid, "POST operation named %s not supported on resource '%s'; there are %s",
			action, path, strings.Join(actions, ", "))
	}
	return nil, catalog.Errorf(catalog.Invalid, "%s on resource '%s' needs an entity in its path or ids=List(…)", c.Request.Method, path)
}
