package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

func (h failedHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/proposals/failed", tag: "Events",
		summary: "The newest proposals of Kafka, and of callers who did not wait, that could not be written, the newest first, with the reason.",
		parameters: []parameter{
			{"limit", "integer", limits.LeftOutMost(limits.DefaultFailedPage, limits.MaxFailedPage), false},
			{"after", "string", "the member next of the answer before", false},
		},
		example: example{query: "limit=5"},
		handle:  h.list,
	}}
}
