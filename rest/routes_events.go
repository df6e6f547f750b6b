package rest

import (
	"net/http"
	"slices"
)

func (h pollHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/openapi/v1/events/poll", tag: "Events",
		summary: "The events of a topic after an offset, in order per entity, in the form in which the topics of Kafka carry them. An offset stays valid as long as the log has its place, also after a restart.",
		parameters: []parameter{
			{"topic", "string", "MetadataChangeLog_Versioned_v1, MetadataChangeLog_Timeseries_v1 or PlatformEvent_v1", true},
			{"offsetId", "string", "the offsetId of an earlier answer; the end of the log when left out", false},
			{"limit", "integer", "the events of how many changes, 100 when left out, at most 1000", false},
			{"pollTimeoutSeconds", "integer", "how many seconds to wait for an event, 10 when left out and at most", false},
			{"lookbackWindowDays", "integer", "without offsetId: begin with the events of so many days, so far as the log has them", false},
		},
		example: example{query: "topic=MetadataChangeLog_Versioned_v1&lookbackWindowDays=1&limit=5&pollTimeoutSeconds=0"},
		handle:  h.poll,
	}}
}

func (h eventHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/events", tag: "Events",
		summary: "The change log after a cursor, in order per entity: as JSON, or with Accept: text/event-stream as a stream that continues.",
		parameters: slices.Concat([]parameter{
			{"from", "string", "a cursor from an earlier answer; empty is the beginning, \"oldest\" what the log still has, \"now\" the end", false},
			{"limit", "integer", "100 when left out, at most 1000", false},
			{"wait", "integer", "how many seconds to wait for a change, at most 30", false},
		}, selectParameters),
		example: example{query: "limit=5"},
		handle:  h.events,
	}}
}
