// Package events has the calls about changes: the change log page by page and as a stream,
// polls by topic, the log for replicas, subscriptions and feeds.
package events

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// Source has the dependencies of the endpoints of events.
type Source struct {
	Catalog *services.Services
	Logger  *slog.Logger
	// Streams bounds the open event streams.
	Streams *sse.Places
	// Closing is done when the server closes.
	Closing context.Context
	// Form, if set, returns an event as text in the form that Kafka's topics carry.
	Form func(event *streams.Event) (string, error)
}

func (s *Source) handlers() eventHandlers {
	return eventHandlers{s.Catalog, s.Logger, s.Streams, s.Closing}
}

// Pages returns the endpoints of the change log, page by page and as a stream.
func (s *Source) Pages() []call.Endpoint { return s.handlers().endpoints() }

// Topics returns the endpoints of replicas and of callers that poll by topic.
func (s *Source) Topics() []call.Endpoint {
	return slices.Concat(replicaHandlers{s.handlers()}.endpoints(), pollHandlers{s.handlers(), s.Form}.endpoints())
}

// Feed returns the endpoints of subscriptions and of the feed of an actor.
func Feed(rules *services.Services) []call.Endpoint {
	return feedHandlers{rules}.endpoints()
}

func (h pollHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodGet, Path: "/openapi/v1/events/poll", Tag: "Events",
		Summary: "The events of a topic after an offset, in order per entity, in the form in which the topics of Kafka carry them. An offset stays valid as long as the log has its place, also after a restart.",
		Parameters: []call.Parameter{
			{Name: "topic", Kind: "string", Help: "MetadataChangeLog_Versioned_v1, MetadataChangeLog_Timeseries_v1 or PlatformEvent_v1", Required: true},
			{Name: "offsetId", Kind: "string", Help: "the offsetId of an earlier answer; the end of the log when left out"},
			{Name: "limit", Kind: "integer", Help: "the events of how many changes, " + limits.LeftOutMost(limits.DefaultEvents, limits.MaxChanges)},
			{Name: "pollTimeoutSeconds", Kind: "integer", Help: fmt.Sprintf("how many seconds to wait for an event, %d when left out and at most", limits.PollSeconds)},
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
			{Name: "limit", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultEvents, limits.MaxChanges)},
			{Name: "wait", Kind: "integer", Help: fmt.Sprintf("how many seconds to wait for a change, at most %d", int(maxEventWait.Seconds()))},
		}, selectParameters),
		Example: call.Example{Query: "limit=5"},
		Handle:  h.events,
	}}
}

func (h feedHandlers) endpoints() []call.Endpoint {
	actor := call.Parameter{Name: "actor", Kind: "string", Help: "a user or a group; the actor of the request when left out"}
	entity := call.Parameter{Name: "entity", Kind: "string", Help: "the entity", Required: true}
	whose := "actor=urn%3Ali%3Acorpuser%3Aada"
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/subscriptions", Tag: "Events",
			Summary: "Subscribe an actor to an entity, or change the subscription: what changes at the entity, and what upstream of it may break it, is in the actor's feed.",
			Content: call.Object{"type": "object", "required": []string{"entity"}, "properties": call.Object{
				"actor":      call.Object{"type": "string", "description": actor.Help},
				"entity":     call.Object{"type": "string"},
				"categories": call.Object{"type": "array", "items": call.Object{"type": "string"}, "description": strings.Join(changeevents.Categories(), ", ") + "; all when left out"},
				"direct":     call.Object{"type": "boolean", "description": "only changes of the entity itself"},
			}},
			Example: call.Example{Body: `{"actor":"urn:li:corpuser:ada","entity":"` + call.ExampleTable + `"}`},
			Handle:  h.subscribe,
		},
		{
			Method: http.MethodGet, Path: "/subscriptions", Tag: "Events",
			Summary: "The subscriptions of an actor.", Parameters: []call.Parameter{actor},
			Example: call.Example{Query: whose},
			Handle:  h.subscriptions,
		},
		{
			Method: http.MethodDelete, Path: "/subscriptions", Tag: "Events",
			Summary: "End a subscription.", Parameters: []call.Parameter{actor, entity},
			Example: call.Example{Query: whose + "&entity=" + call.ExampleTableEncoded},
			Handle:  h.unsubscribe,
		},
		{
			Method: http.MethodGet, Path: "/feed", Tag: "Events",
			Summary: "What changed at what an actor owns or follows, and what upstream of it may break it, the newest first. The feed of a user has those of the user's groups.",
			Parameters: []call.Parameter{
				actor,
				{Name: "from", Kind: "string", Help: "a moment: only changes since"},
				{Name: "to", Kind: "string", Help: "a moment: only changes until then"},
				{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultFeedPage, limits.MaxFeedPage)},
			},
			Example: call.Example{Query: whose + "&count=5"},
			Handle:  h.feed,
		},
	}
}

func (h replicaHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/replica", Tag: "Replicas",
			Summary: "Whether this server is a replica, of which server, and how far behind it is.",
			Example: call.Example{},
			Handle:  h.status,
		},
		{
			Method: http.MethodGet, Path: "/replica/changes", Tag: "Replicas", Needs: []string{call.ReadLog, call.ManageSystem},
			Summary: "The change log after a cursor for a replica: the changes, and what is stored now of what they are about, also what /events does not tell.",
			Parameters: []call.Parameter{
				{Name: "from", Kind: "string", Help: "a cursor from an earlier answer; empty is the beginning"},
				{Name: "limit", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultReplicaChanges, limits.MaxChanges) + "; a page ends early where what is stored is large"},
				{Name: "wait", Kind: "integer", Help: fmt.Sprintf("how many seconds to wait for a change, at most %d", int(maxEventWait.Seconds()))},
			},
			Example: call.Example{Query: "limit=5"},
			Handle:  h.changes,
		},
		{
			Method: http.MethodGet, Path: "/replica/series", Tag: "Replicas", Needs: []string{call.ReadLog, call.ManageSystem},
			Summary: "The values of a time series in the order of their times and keys, a part at a time, as a replica compares them.",
			Parameters: []call.Parameter{
				{Name: "urn", Kind: "string", Help: "the entity", Required: true},
				{Name: "aspect", Kind: "string", Help: "the time series", Required: true},
				{Name: "afterTime", Kind: "integer", Help: "go on after the value with this time, epoch milliseconds"},
				{Name: "afterKey", Kind: "string", Help: "and this key"},
			},
			Example: call.Example{Query: "urn=urn:li:tag:Example&aspect=datasetProfile"},
			Handle:  h.series,
		},
	}
}
