package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

const webhooksPath = "/webhooks"

var (
	namesSchema   = object{"type": "array", "items": object{"type": "string"}, "maxItems": limits.MaxFilterNames}
	webhookSchema = object{
		"type": "object",
		"properties": object{
			"id":          object{"type": "string", "maxLength": limits.MaxWebhookID, "description": "drawn when left out; cannot be changed"},
			"url":         object{"type": "string", "maxLength": limits.MaxWebhookURL, "description": "http or https; required when a webhook is made"},
			"secret":      object{"type": "string", "description": "whsec_ and a key of 24 to 64 bytes in base64; drawn when left out"},
			"description": object{"type": "string", "maxLength": limits.MaxWebhookText},
			"enabled":     object{"type": "boolean", "description": "true when left out"},
			"filter": object{
				"type": "object", "description": "what is sent; everything when left out",
				"properties": object{
					"format": object{"type": "string", "enum": []string{"change", "entityChangeEvent", "feed"}},
					"actors": object{"type": "array", "items": object{"type": "string"}, "maxItems": limits.MaxFilterNames, "description": "users and groups; required for the format feed"},
					"kinds":  namesSchema, "entityTypes": namesSchema, "aspects": namesSchema, "urns": namesSchema,
				},
			},
		},
	}
)

func (h webhookHandlers) endpoints() []endpoint {
	const (
		tag      = "Webhooks"
		example1 = "example-hook"
	)
	return []endpoint{
		{
			method: http.MethodPost, path: webhooksPath, tag: tag, status: http.StatusCreated,
			summary: "Make a webhook: from now on, what its filter selects is sent to its URL, signed. Only this answer shows the secret.",
			content: webhookSchema,
			example: example{body: `{"id":"` + example1 + `","url":"https://receiver.invalid/hook","filter":{"entityTypes":["dataset"]}}`},
			handle:  h.create,
		},
		{
			method: http.MethodGet, path: webhooksPath, tag: tag,
			summary: "The webhooks, ordered by id, with how their delivery stands.",
			handle:  h.list,
		},
		{
			method: http.MethodGet, path: webhooksPath, below: "/{id}", tag: tag,
			summary: "A webhook, with how its delivery stands.",
			example: example{tail: example1}, handle: h.get,
		},
		{
			method: http.MethodPatch, path: webhooksPath, below: "/{id}", tag: tag,
			summary: "Change a webhook. What is left out stays; a filter is replaced as a whole. A batch that failed is sent again at once.",
			content: webhookSchema,
			example: example{tail: example1, body: `{"description":"Tells the example","enabled":false}`},
			handle:  h.update,
		},
		{
			method: http.MethodPost, path: webhooksPath, below: "/{id}/test", tag: tag,
			summary: "Send a body of type ping once, also if the webhook is disabled. The answer is what the receiver said.",
			example: example{tail: example1 + "/test"}, handle: h.test,
		},
		{
			method: http.MethodGet, path: webhooksPath, below: "/{id}/dead", tag: tag,
			summary: "The dead letters of a webhook, the oldest first: batches that its receiver did not take.",
			parameters: []parameter{
				{"after", "string", "next of the page before", false},
				{"limit", "integer", limits.LeftOutMost(limits.DefaultLetters, limits.MaxDeadLetters), false},
			},
			example: example{tail: example1 + "/dead"}, handle: h.letters,
		},
		{
			method: http.MethodPost, path: webhooksPath, below: "/{id}/dead/{letter}/replay", tag: tag,
			summary: `Send a dead letter again or, with "all", up to 100 of them, until one is not taken. Those that are taken are deleted.`,
			example: example{tail: example1 + "/dead/all/replay"}, handle: h.replay,
		},
		{
			method: http.MethodDelete, path: webhooksPath, below: "/{id}/dead/{letter}", tag: tag,
			summary: `Delete a dead letter or, with "all", up to 100 of them.`,
			example: example{tail: example1 + "/dead/all"}, handle: h.discard,
		},
		{
			method: http.MethodDelete, path: webhooksPath, below: "/{id}", tag: tag,
			summary: "Delete a webhook with its dead letters.",
			example: example{tail: example1}, handle: h.remove,
		},
	}
}
