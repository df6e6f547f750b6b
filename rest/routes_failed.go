package rest

import "net/http"

func (h failedHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/proposals/failed", tag: "Events",
		summary: "The newest proposals of Kafka, and of callers who did not wait, that could not be written, the newest first, with the reason.",
		parameters: []parameter{
			{"limit", "integer", "100 when left out, at most 1000", false},
			{"after", "string", "the member next of the answer before", false},
		},
		example: example{query: "limit=5"},
		handle:  h.list,
	}}
}
