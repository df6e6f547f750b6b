package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/rest/call"
)

func (h failedHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodGet, Path: "/proposals/failed", Tag: "Events",
		Summary: "The newest proposals of Kafka, and of callers who did not wait, that could not be written, the newest first, with the reason.",
		Parameters: []call.Parameter{
			{Name: "limit", Kind: "integer", Help: "100 when left out, at most 1000"},
			{Name: "after", Kind: "string", Help: "the member next of the answer before"},
		},
		Example: call.Example{Query: "limit=5"},
		Handle:  h.list,
	}}
}
