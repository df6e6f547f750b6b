package rest

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

func (h timelineHandlers) endpoints() []call.Endpoint {
	parameters := []call.Parameter{
		{Name: "categories", Kind: "list", Help: strings.Join(history.TimelineCategories(), ", ") + "; all when left out"},
		{Name: "startTime", Kind: "string", Help: "a moment; 7 days before the end when left out"},
		{Name: "endTime", Kind: "string", Help: "a moment; now when left out"},
		{Name: "raw", Kind: "boolean", Help: "return the differences as JSON patches"},
	}
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/entity-at", Tail: true, Tag: "Read",
			Summary:    "An entity with the aspects that it had at a past moment.",
			Parameters: []call.Parameter{{Name: "asOf", Kind: "string", Help: "the moment: epoch milliseconds, 2026-10-21 or 2026-10-21T08:00:00Z", Required: true}, call.AspectsParameter},
			Example:    call.Example{Tail: call.ExampleTableEncoded, Query: "asOf=2100-01-01&aspects=List(ownership)"},
			Handle:     h.entityAt,
		},
		{
			Method: http.MethodGet, Path: "/openapi/timeline/v1", Tail: true, Tag: "Lineage",
			Summary:    "The changes of an entity, the oldest first, as far back as versions are kept.",
			Parameters: parameters,
			Example:    call.Example{Tail: call.ExampleTableEncoded, Query: "categories=OWNER,LINEAGE"},
			Handle:     h.timeline("/openapi/timeline/v1"),
		},
		{
			Method: http.MethodGet, Path: "/openapi/v2/timeline/v1", Tail: true, Tag: "Lineage",
			Summary:    "The changes of an entity under the path that newer clients use.",
			Parameters: append(parameters, call.Parameter{Name: "includeVersionSet", Kind: "boolean", Help: "accepted; only the entity's own changes are returned"}),
			Example:    call.Example{Tail: call.ExampleTableEncoded, Query: "categories=OWNERSHIP"},
			Handle:     h.timeline("/openapi/v2/timeline/v1"),
		},
	}
}

// historyTraces are the endpoints that tell what became of a write.
func historyTraces(rules *services.Services) []call.Endpoint {
	return traceHandlers{rules}.endpoints()
}

// historyTimelines are the endpoints that tell how an entity was and what changed.
func historyTimelines(rules *services.Services) []call.Endpoint {
	return timelineHandlers{rules}.endpoints()
}
