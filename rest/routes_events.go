package rest

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/rest/call"
)

func (h pollHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodGet, Path: "/openapi/v1/events/poll", Tag: "Events",
		Summary: "The events of a topic after an offset, in order per entity, in the form in which the topics of Kafka carry them. An offset stays valid as long as the log has its place, also after a restart.",
		Parameters: []call.Parameter{
			{Name: "topic", Kind: "string", Help: "MetadataChangeLog_Versioned_v1, MetadataChangeLog_Timeseries_v1 or PlatformEvent_v1", Required: true},
			{Name: "offsetId", Kind: "string", Help: "the offsetId of an earlier answer; the end of the log when left out"},
			{Name: "limit", Kind: "integer", Help: "the events of how many changes, 100 when left out, at most 1000"},
			{Name: "pollTimeoutSeconds", Kind: "integer", Help: "how many seconds to wait for an event, 10 when left out and at most"},
			{Name: "lookbackWindowDays", Kind: "integer", Help: "without offsetId: begin with the events of so many days, so far as the log has them"},
		},
		Example: call.Example{Query: "topic=MetadataChangeLog_Versioned_v1&lookbackWindowDays=1&limit=5&pollTimeoutSeconds=0"},
		Handle:  h.poll,
	}}
}

func (h eventHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodGet, Path: "/events", Tag: "Events",
		Summary: "The change log after a cursor, in order per entity: as JSON, or with Accept: text/event-stream as a stream that continues.",
		Parameters: slices.Concat([]call.Parameter{
			{Name: "from", Kind: "string", Help: "a cursor from an earlier answer; empty is the beginning, \"oldest\" what the log still has, \"now\" the end"},
			{Name: "limit", Kind: "integer", Help: "100 when left out, at most 1000"},
			{Name: "wait", Kind: "integer", Help: "how many seconds to wait for a change, at most 30"},
		}, selectParameters),
		Example: call.Example{Query: "limit=5"},
		Handle:  h.events,
	}}
}

// eventSource is where the events of a server come from.
type eventSource struct {
	Catalog *services.Services
	Logger  *slog.Logger
	// Streams are the places of event streams.
	Streams *streamPlaces
	// Closing ends when the server closes.
	Closing context.Context
	// Form, if set, is the text of an event in the form that the topics of Kafka carry.
	Form func(event *streams.Event) (string, error)
}

func (s *eventSource) handlers() eventHandlers {
	return eventHandlers{s.Catalog, s.Logger, s.Streams, s.Closing}
}

// Pages are the endpoints of the change log, page by page and as a stream.
func (s *eventSource) Pages() []call.Endpoint { return s.handlers().endpoints() }

// Topics are the endpoints of replicas and of callers who poll by topic.
func (s *eventSource) Topics() []call.Endpoint {
	return slices.Concat(replicaHandlers{s.handlers()}.endpoints(), pollHandlers{s.handlers(), s.Form}.endpoints())
}
