package rest

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog/history"
)

func (h timelineHandlers) endpoints() []endpoint {
	parameters := []parameter{
		{"categories", "list", strings.Join(history.TimelineCategories(), ", ") + "; all when left out", false},
		{"startTime", "string", "a moment; 7 days before the end when left out", false},
		{"endTime", "string", "a moment; now when left out", false},
		{"raw", "boolean", "return the differences as JSON patches", false},
	}
	return []endpoint{
		{
			method: http.MethodGet, path: "/entity-at", tail: true, tag: "Read",
			summary:    "An entity with the aspects that it had at a past moment.",
			parameters: []parameter{{"asOf", "string", "the moment: epoch milliseconds, 2026-10-21 or 2026-10-21T08:00:00Z", true}, aspectsParameter},
			example:    example{tail: exampleTableEncoded, query: "asOf=2100-01-01&aspects=List(ownership)"},
			handle:     h.entityAt,
		},
		{
			method: http.MethodGet, path: "/openapi/timeline/v1", tail: true, tag: "Lineage",
			summary:    "The changes of an entity, the oldest first, as far back as versions are kept.",
			parameters: parameters,
			example:    example{tail: exampleTableEncoded, query: "categories=OWNER,LINEAGE"},
			handle:     h.timeline("/openapi/timeline/v1"),
		},
		{
			method: http.MethodGet, path: "/openapi/v2/timeline/v1", tail: true, tag: "Lineage",
			summary:    "The changes of an entity under the path that newer clients use.",
			parameters: append(parameters, parameter{"includeVersionSet", "boolean", "accepted; only the entity's own changes are returned", false}),
			example:    example{tail: exampleTableEncoded, query: "categories=OWNERSHIP"},
			handle:     h.timeline("/openapi/v2/timeline/v1"),
		},
	}
}
