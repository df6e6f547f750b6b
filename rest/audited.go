package rest

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/internal/requestinfo"
	restaccess "github.com/headwater-io/headwater/rest/access"
	"github.com/headwater-io/headwater/rest/call"
	restingestion "github.com/headwater-io/headwater/rest/ingestion"
)

// audited notes in the audit trail the changes and exports of a request, or that it was refused with 401 or
// 403. The handlers of GraphQL and of agents note their own operations, because their answers to failed
// operations have the status 200. audited comes before all steps that may refuse a request.
func (s *Server) audited(c *gin.Context) {
	if s.Audit == nil {
		return
	}
	r := c.Request
	ctx := requestinfo.WithOrigin(r.Context(), requestinfo.Origin{RequestID: RequestID(r.Context()), Agent: r.UserAgent(), Remote: requestinfo.Host(r.RemoteAddr)})
	ctx, deed := requestinfo.WithDeed(ctx)
	c.Request = r.WithContext(ctx)
	defer func() { s.noteRequest(c, deed) }() // also when the connection ends within an export
	c.Next()
}

// noteRequest notes a request after its handler. The context of the request is then that of its
// handler, with the caller.
func (s *Server) noteRequest(c *gin.Context, deed *requestinfo.Deed) {
	status := c.Writer.Status()
	known, _ := c.Get(call.EndpointKey)
	endpoint, _ := known.(*call.Endpoint)
	entry := audit.Entry{Door: doorOf(c, endpoint), Status: status}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		entry.Kind, entry.Reason = audit.Refused, c.GetString(call.RefusalKey)
	case endpoint == nil || c.Request.Method == http.MethodHead || deed.Trial() || !endpoint.Changes() && endpoint.Path != exportPath:
		return
	case strings.HasPrefix(endpoint.Path, restingestion.Path) && kinds[endpoint.Path] == "" && status < http.StatusBadRequest:
		return // executors call every few seconds, and the execution request and its result tell how a run ends
	case endpoint.Tag == restaccess.Tag:
		return // these handlers note their operations themselves
	default:
		entry.Kind, entry.Allowed = kindOfCall(endpoint), true
		if _, changed, _ := deed.Done(); status >= http.StatusBadRequest && changed == 0 {
			return // a wrong request, which changed nothing
		}
	}
	s.Audit.Note(c.Request.Context(), entry)
}

// doorOf returns the row of the route table that a request belongs to, or its route.
func doorOf(c *gin.Context, e *call.Endpoint) string {
	if e != nil {
		return e.Row()
	}
	return methodOf(c) + " " + routeOf(c)
}

// exportPath is the path of the endpoint that exports the catalog.
const exportPath = "/export"

// kinds are the kinds of deeds of endpoints that are no ordinary writes, by path.
var kinds = map[string]audit.Kind{
	exportPath: audit.Export, "/import": audit.Import, "/index": audit.Settings, "/followers": audit.Settings,
	"/webhooks": audit.Settings, "/subscriptions": audit.Settings, "/secrets/rotate": audit.SecretChanged,
	restingestion.Path + "/secrets": audit.SecretRead,
}

// kindOfCall returns the kind of the deed of an endpoint.
func kindOfCall(e *call.Endpoint) audit.Kind {
	kind, listed := kinds[e.Path]
	action := strings.ToLower(e.Action)
	switch {
	case listed:
		return kind
	case action == "rollback":
		return audit.Rollback
	case action == "restoreindices":
		return audit.Settings
	case e.Method == http.MethodDelete, strings.Contains(action, "delete"), strings.HasPrefix(action, "truncate"):
		return audit.Delete
	}
	return audit.Write
}
