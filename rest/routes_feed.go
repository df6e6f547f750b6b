package rest

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

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
				{Name: "count", Kind: "integer", Help: "50 when left out, at most 200"},
			},
			Example: call.Example{Query: whose + "&count=5"},
			Handle:  h.feed,
		},
	}
}

// eventsFeed are the endpoints of subscriptions and of the feed of an actor.
func eventsFeed(rules *services.Services) []call.Endpoint {
	return feedHandlers{rules}.endpoints()
}
