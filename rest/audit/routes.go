// Package audit has the calls that read the audit trail, in Headwater's own form and in the shape of
// the reference's search for audit events.
package audit

import (
	"context"
	"net/http"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// Endpoints returns the endpoints of the audit trail. trail is nil if the server keeps none; every
// request is then answered with 404. closing is done when the server closes.
func Endpoints(trail *audit.Service, streams *sse.Places, closing context.Context) []call.Endpoint {
	return handlers{trail, streams, closing}.endpoints()
}

var namesSchema = call.Object{"type": "array", "items": call.Object{"type": "string"}, "maxItems": limits.MaxListItems}

func (h handlers) endpoints() []call.Endpoint {
	const tag = "Audit"
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/audit", Tag: tag,
			Summary: "The audit trail, the newest entry first: who did something, from where, and whether it was allowed. With Accept: text/event-stream the entries that come, or those since a moment and those that come, as a stream. For administrators; others name themselves as actor.",
			Parameters: []call.Parameter{
				{Name: "actor", Kind: "string", Help: "the URN of who did it"},
				{Name: "entity", Kind: "string", Help: "the URN of an entity that the entry lists"},
				{Name: "kind", Kind: "list", Help: "kinds of entries, such as signIn, refused, tokenMade, write; all when left out"},
				{Name: "allowed", Kind: "boolean", Help: "true for what was allowed, false for what was refused; both when left out"},
				{Name: "since", Kind: "string", Help: "a moment"},
				{Name: "until", Kind: "string", Help: "a moment"},
				{Name: "limit", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultAuditPage, limits.MaxAuditPage)},
				{Name: "cursor", Kind: "string", Help: "the member cursor of the answer before"},
			},
			Example: call.Example{Query: "kind=write&limit=5"},
			Handle:  h.list,
		},
		{
			Method: http.MethodPost, Path: "/openapi/v1/events/audit/search", Tag: tag, Reads: true,
			Summary: "The audit trail in the shape of the reference's audit events, the newest first. Each list of the body narrows the answer. For administrators; others name themselves as the only actor.",
			Parameters: []call.Parameter{
				{Name: "startTime", Kind: "integer", Help: "epoch milliseconds; a day ago when left out or -1"},
				{Name: "endTime", Kind: "integer", Help: "epoch milliseconds; now when left out or -1"},
				{Name: "size", Kind: "integer", Help: limits.LeftOutMost(defaultSize, limits.MaxAuditPage)},
				{Name: "scrollId", Kind: "string", Help: "the member nextScrollId of the answer before"},
				{Name: "includeRaw", Kind: "boolean", Help: "whether each event has its whole entry as rawUsageEvent; true when left out"},
			},
			Content: call.Object{"type": "object", "properties": call.Object{
				"eventTypes": namesSchema, "entityTypes": namesSchema, "aspectTypes": namesSchema, "actorUrns": namesSchema,
			}},
			Example: call.Example{Query: "size=5", Body: `{"eventTypes":[],"entityTypes":[],"aspectTypes":[],"actorUrns":[]}`},
			Handle:  h.search,
		},
	}
}
