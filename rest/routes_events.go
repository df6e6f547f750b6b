package rest

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/internal/limits"
)

func (h pollHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/openapi/v1/events/poll", tag: "Events",
		summary: "The events of a topic after an offset, in order per entity, in the form in which the topics of Kafka carry them. An offset stays valid as long as the log has its place, also after a restart.",
		parameters: []parameter{
			{"topic", "string", "MetadataChangeLog_Versioned_v1, MetadataChangeLog_Timeseries_v1 or PlatformEvent_v1", true},
			{"offsetId", "string", "the offsetId of an earlier answer; the end of the log when left out", false},
			{"limit", "integer", "the events of how many changes, " + limits.LeftOutMost(limits.DefaultEvents, limits.MaxChanges), false},
			{"pollTimeoutSeconds", "integer", fmt.Sprintf("how many seconds to wait for an event, %d when left out and at most", limits.PollSeconds), false},
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
			{"limit", "integer", limits.LeftOutMost(limits.DefaultEvents, limits.MaxChanges), false},
			{"wait", "integer", fmt.Sprintf("how many seconds to wait for a change, at most %d", int(maxEventWait.Seconds())), false},
		}, selectParameters),
		example: example{query: "limit=5"},
		handle:  h.events,
	}}
}
