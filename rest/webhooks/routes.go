// Package webhooks has the calls that manage webhooks.
package webhooks

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// Endpoints returns the endpoints of webhooks.
func Endpoints(rules *services.Services) []call.Endpoint {
	return webhookHandlers{rules}.endpoints()
}

const webhooksPath = "/webhooks"

// needs are the privileges to manage webhooks, which send all changes to receivers.
var needs = []string{call.ManageSystem}

var (
	namesSchema   = call.Object{"type": "array", "items": call.Object{"type": "string"}, "maxItems": limits.MaxFilterNames}
	webhookSchema = call.Object{
		"type": "object",
		"properties": call.Object{
			"id":          call.Object{"type": "string", "maxLength": limits.MaxWebhookID, "description": "drawn when left out; cannot be changed"},
			"url":         call.Object{"type": "string", "maxLength": limits.MaxWebhookURL, "description": "http or https; required when a webhook is made"},
			"secret":      call.Object{"type": "string", "description": "whsec_ and a key of 24 to 64 bytes in base64; drawn when left out"},
			"description": call.Object{"type": "string", "maxLength": limits.MaxWebhookText},
			"enabled":     call.Object{"type": "boolean", "description": "true when left out"},
			"filter": call.Object{
				"type": "object", "description": "what is sent; everything when left out",
				"properties": call.Object{
					"format": call.Object{"type": "string", "enum": []string{"change", "entityChangeEvent", "feed"}},
					"actors": call.Object{"type": "array", "items": call.Object{"type": "string"}, "maxItems": limits.MaxFilterNames, "description": "users and groups; required for the format feed"},
					"kinds":  namesSchema, "entityTypes": namesSchema, "aspects": namesSchema, "urns": namesSchema,
				},
			},
		},
	}
)

func (h webhookHandlers) endpoints() []call.Endpoint {
	const (
		tag      = "Webhooks"
		example1 = "example-hook"
	)
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: webhooksPath, Tag: tag, Needs: needs, Status: http.StatusCreated,
			Summary: "Make a webhook: from now on, what its filter selects is sent to its URL, signed. Only this answer shows the secret.",
			Content: webhookSchema,
			Example: call.Example{Body: `{"id":"` + example1 + `","url":"https://receiver.invalid/hook","filter":{"entityTypes":["dataset"]}}`},
			Handle:  h.create,
		},
		{
			Method: http.MethodGet, Path: webhooksPath, Tag: tag, Needs: needs,
			Summary: "The webhooks, ordered by id, with how their delivery stands.",
			Handle:  h.list,
		},
		{
			Method: http.MethodGet, Path: webhooksPath, Below: "/{id}", Tag: tag, Needs: needs,
			Summary: "A webhook, with how its delivery stands.",
			Example: call.Example{Tail: example1}, Handle: h.get,
		},
		{
			Method: http.MethodPatch, Path: webhooksPath, Below: "/{id}", Tag: tag, Needs: needs,
			Summary: "Change a webhook. What is left out stays; a filter is replaced as a whole. A batch that failed is sent again at once.",
			Content: webhookSchema,
			Example: call.Example{Tail: example1, Body: `{"description":"Tells the example","enabled":false}`},
			Handle:  h.update,
		},
		{
			Method: http.MethodPost, Path: webhooksPath, Below: "/{id}/test", Tag: tag, Needs: needs,
			Summary: "Send a body of type ping once, also if the webhook is disabled. The answer is what the receiver said.",
			Example: call.Example{Tail: example1 + "/test"}, Handle: h.test,
		},
		{
			Method: http.MethodGet, Path: webhooksPath, Below: "/{id}/dead", Tag: tag, Needs: needs,
			Summary: "The dead letters of a webhook, the oldest first: batches that its receiver did not take.",
			Parameters: []call.Parameter{
				{Name: "after", Kind: "string", Help: "next of the page before"},
				{Name: "limit", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultLetters, limits.MaxDeadLetters)},
			},
			Example: call.Example{Tail: example1 + "/dead"}, Handle: h.letters,
		},
		{
			Method: http.MethodPost, Path: webhooksPath, Below: "/{id}/dead/{letter}/replay", Tag: tag, Needs: needs,
			Summary: `Send a dead letter again or, with "all", up to 100 of them, until one is not taken. Those that are taken are deleted.`,
			Example: call.Example{Tail: example1 + "/dead/all/replay"}, Handle: h.replay,
		},
		{
			Method: http.MethodDelete, Path: webhooksPath, Below: "/{id}/dead/{letter}", Tag: tag, Needs: needs,
			Summary: `Delete a dead letter or, with "all", up to 100 of them.`,
			Example: call.Example{Tail: example1 + "/dead/all"}, Handle: h.discard,
		},
		{
			Method: http.MethodDelete, Path: webhooksPath, Below: "/{id}", Tag: tag, Needs: needs,
			Summary: "Delete a webhook with its dead letters.",
			Example: call.Example{Tail: example1}, Handle: h.remove,
		},
	}
}
