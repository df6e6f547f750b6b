package rest

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog/history"
)

func (h timelineHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/openapi/timeline/v1", tail: true, tag: "Lineage",
			summary: "The changes of an entity, the oldest first, as far back as versions are kept.",
			parameters: []parameter{
				{"categories", "list", strings.Join(history.TimelineCategories(), ", ") + "; all when left out", false},
				{"startTime", "string", "a moment; 7 days before the end when left out", false},
				{"endTime", "string", "a moment; now when left out", false},
				{"raw", "boolean", "return the differences as JSON patches", false},
			},
			example: example{tail: exampleTableEncoded, query: "categories=OWNER,LINEAGE"},
			handle:  h.timeline,
		},
	}
}
