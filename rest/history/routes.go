// Package history has the calls about the past: how an entity was, which changes it had,
// and the outcome of a write.
package history

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// Traces returns the endpoints about the outcome of writes.
func Traces(rules *services.Services) []call.Endpoint {
	return traceHandlers{rules}.endpoints()
}

// Timelines returns the endpoints about an entity in the past and about its changes.
func Timelines(rules *services.Services) []call.Endpoint {
	return append(timelineHandlers{rules}.endpoints(), momentHandlers{rules}.endpoints()...)
}

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
			Parameters: []call.Parameter{{Name: "asOf", Kind: "string", Help: "the moment: epoch milliseconds, 2026-10-21 or 2026-10-21T08:00:00Z", Required: true}, call.AspectsParameter, {Name: "names", Kind: "boolean", Help: "also return the names that the entities in the aspects had at that moment"}},
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

func (h traceHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodPost, Path: "/openapi/v1/trace/write", Below: "/{traceId}", Tag: "Entities", Reads: true,
		Summary: "What became of the aspects of a write that was answered with 202: whether the store and the search index have it.",
		Parameters: []call.Parameter{
			{Name: "onlyIncludeErrors", Kind: "boolean", Help: "only aspects that were not written"},
			{Name: "detailed", Kind: "boolean", Help: "accepted; answers are always detailed"},
			{Name: "skipCache", Kind: "boolean", Help: "accepted; nothing is cached"},
		},
		Content: call.Object{"type": "object", "description": "lists of aspects by URN", "additionalProperties": call.Object{"type": "array", "items": call.Object{"type": "string"}}},
		Example: call.Example{Tail: "000649a2b3c4d5e60000000000000000", Query: "detailed=true", Body: `{"` + call.ExampleTable + `":["ownership"]}`},
		Handle:  h.writes,
	}}
}
