package rest

import (
	"net/http"
	"slices"
)

func (h eventHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/events", tag: "Events",
		summary: "The change log after a cursor, in order per entity: as JSON, or with Accept: text/event-stream as a stream that continues.",
		parameters: slices.Concat([]parameter{
			{"from", "string", "a cursor from an earlier answer; empty is the beginning, \"now\" the end", false},
			{"limit", "integer", "100 when left out, at most 1000", false},
			{"wait", "integer", "how many seconds to wait for a change, at most 30", false},
		}, selectParameters),
		example: example{query: "limit=5"},
		handle:  h.events,
	}}
}
