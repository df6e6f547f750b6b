package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	restaccess "github.com/headwater-io/headwater/rest/access"
	"github.com/headwater-io/headwater/rest/call"
)

// openRoutes has the routes outside the route table that a caller may use without a token or
// session. In the table, such rows are [call.Endpoint.Open].
var openRoutes = []string{"/schema-registry/api/*path"}

const metricsPath = "/metrics"

// absent are the beginnings of paths that clients and monitors of the reference ask for without
// credentials, and that this server does not have. Everybody gets 404 there: "datahub init --oauth" and
// agents, which look for the documents of OAuth first, would take 401 for a server that is broken.
var absent = []string{"/.well-known/", "/actuator/prometheus", "/config/", "/health/", "/public-iceberg/", "/schema-registry/"}

// authenticate finds out who makes a request, and refuses everybody who is not known, unless the
// route is open. It runs before anything of the body is read.
func (s *Server) authenticate(c *gin.Context) {
	if s.Callers == nil {
		return
	}
	shown, err := s.shownBy(c)
	if err == nil {
		var caller access.Known
		if caller, err = s.Callers.Caller(c.Request.Context(), shown); err == nil {
			c.Request = c.Request.WithContext(caller.In(c.Request.Context()))
			s.watch(c, shown)
			return
		}
	}
	if s.isOpenRoute(c) {
		return
	}
	if catalog.CodeOf(err) == catalog.Unauthenticated {
		c.Header("WWW-Authenticate", `Bearer realm="headwater"`)
	}
	s.call(c).Fail(err)
}

// shownBy returns the credentials and addresses that a request shows of its caller.
func (s *Server) shownBy(c *gin.Context) (access.Shown, error) {
	shown := access.Shown{Authorization: c.GetHeader("Authorization"), Remote: c.Request.RemoteAddr}
	if cookie, err := c.Request.Cookie(restaccess.SessionCookie); err == nil {
		shown.Session = cookie.Value
	}
	actor, err := s.call(c).StatedActor()
	shown.Actor = actor
	return shown, err
}

// isOpenRoute reports whether everybody may use the route of a request.
func (s *Server) isOpenRoute(c *gin.Context) bool {
	path := strings.TrimSuffix(c.FullPath(), "/*tail")
	switch {
	case path == "":
		return slices.ContainsFunc(absent, func(beginning string) bool { return strings.HasPrefix(c.Request.URL.Path, beginning) })
	case slices.Contains(openRoutes, path):
		return true
	case path == metricsPath:
		return s.OpenMetrics
	}
	method := c.Request.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return s.open[routeKey{method, trimSlash(path)}]
}

// openEndpoints returns the routes all of whose endpoints are open.
func openEndpoints(endpoints []call.Endpoint) map[routeKey]bool {
	open := map[routeKey]bool{}
	for i := range endpoints {
		key := routeKey{endpoints[i].Method, trimSlash(endpoints[i].Path)}
		known, has := open[key]
		open[key] = endpoints[i].Open && (known || !has)
	}
	return open
}

func trimSlash(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

// watchEvery is how often the caller of a request without a time limit is looked at again.
const watchEvery = time.Second

// watch ends a request without a time limit when its caller is not known any more, for example because the
// token was revoked while a stream was read, or when the rights of the caller have changed. The client of a
// stream then continues after its last event, with the new rights.
func (s *Server) watch(c *gin.Context, shown access.Shown) {
	if s.unbounded(c) == nil {
		return
	}
	ctx, cancel := context.WithCancel(c.Request.Context())
	c.Request = c.Request.WithContext(ctx)
	before := permission.Of(ctx)
	s.watching.Go("a caller is looked at again", func() {
		defer cancel()
		ticks := time.NewTicker(watchEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
			caller, err := s.Callers.Caller(write.OwnWork(ctx), shown) // as at the beginning, before anything was hidden
			if catalog.CodeOf(err) == catalog.Unauthenticated || err == nil && !before.Same(caller.Permissions) {
				return
			}
		}
	})
}
