package rest

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/rest/call"
)

// routeKey is the key of a route of gin.
type routeKey struct{ method, path string }

// route registers the table with gin.
func (s *Server) route(engine *gin.Engine) {
	groups := map[routeKey][]*call.Endpoint{}
	for i := range s.endpoints {
		e := &s.endpoints[i]
		e.Known = e.QueryNames()
		groups[routeKey{e.Method, e.Path}] = append(groups[routeKey{e.Method, e.Path}], e)
	}
	addHeads(groups)
	for _, key := range slices.SortedFunc(maps.Keys(groups), func(a, b routeKey) int {
		return strings.Compare(a.method+a.path, b.method+b.path)
	}) {
		group := groups[key]
		handler := func(c *gin.Context) { s.call(c).Dispatch(group) }
		engine.Handle(key.method, key.path, handler)
		switch {
		case slices.ContainsFunc(group, func(e *call.Endpoint) bool { return e.Tail || e.Subtree || e.Below != "" }):
			engine.Handle(key.method, key.path+"/*tail", handler)
		case key.path != "/":
			engine.Handle(key.method, key.path+"/", handler)
		}
	}
}

// addHeads adds HEAD for every GET for which the table has no HEAD. The HTTP server sends
// no body then. Streams are left out, because a stream without a body is useless and costs
// as much.
func addHeads(groups map[routeKey][]*call.Endpoint) {
	for key, group := range groups {
		if key.method != http.MethodGet {
			continue
		}
		head := routeKey{http.MethodHead, key.path}
		own := slices.Clone(groups[head])
		for _, e := range group {
			if !e.Streams && !slices.ContainsFunc(own, e.SameShape) {
				groups[head] = append(groups[head], e)
			}
		}
	}
}
