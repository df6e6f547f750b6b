package rest

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/internal/limits"
)

func (h feedHandlers) endpoints() []endpoint {
	actor := parameter{"actor", "string", "a user or a group; the actor of the request when left out", false}
	entity := parameter{"entity", "string", "the entity", true}
	whose := "actor=urn%3Ali%3Acorpuser%3Aada"
	return []endpoint{
		{
			method: http.MethodPost, path: "/subscriptions", tag: "Events",
			summary: "Subscribe an actor to an entity, or change the subscription: what changes at the entity, and what upstream of it may break it, is in the actor's feed.",
			content: object{"type": "object", "required": []string{"entity"}, "properties": object{
				"actor":      object{"type": "string", "description": actor.help},
				"entity":     object{"type": "string"},
				"categories": object{"type": "array", "items": object{"type": "string"}, "description": strings.Join(changeevents.Categories(), ", ") + "; all when left out"},
				"direct":     object{"type": "boolean", "description": "only changes of the entity itself"},
			}},
			example: example{body: `{"actor":"urn:li:corpuser:ada","entity":"` + exampleTable + `"}`},
			handle:  h.subscribe,
		},
		{
			method: http.MethodGet, path: "/subscriptions", tag: "Events",
			summary: "The subscriptions of an actor.", parameters: []parameter{actor},
			example: example{query: whose},
			handle:  h.subscriptions,
		},
		{
			method: http.MethodDelete, path: "/subscriptions", tag: "Events",
			summary: "End a subscription.", parameters: []parameter{actor, entity},
			example: example{query: whose + "&entity=" + exampleTableEncoded},
			handle:  h.unsubscribe,
		},
		{
			method: http.MethodGet, path: "/feed", tag: "Events",
			summary: "What changed at what an actor owns or follows, and what upstream of it may break it, the newest first. The feed of a user has those of the user's groups.",
			parameters: []parameter{
				actor,
				{"from", "string", "a moment: only changes since", false},
				{"to", "string", "a moment: only changes until then", false},
				{"count", "integer", limits.LeftOutMost(limits.DefaultFeedPage, limits.MaxFeedPage), false},
			},
			example: example{query: whose + "&count=5"},
			handle:  h.feed,
		},
	}
}
