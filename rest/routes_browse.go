package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/rest/call"
)

func (h browseHandlers) endpoints() []call.Endpoint {
	path := call.Parameter{Name: "path", Kind: "string", Help: "slash-delimited, \"\" for the root"}
	limit := call.Parameter{Name: "limit", Kind: "integer", Help: "10 when left out, at most 10000"}
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "browse", Tag: "Browse", Reads: true,
			Summary:    "The groups below a browse path and the entities at it. Pages begin with the groups.",
			Parameters: []call.Parameter{path, entityParameter, call.StartParameter, limit, filterParameter},
			Example:    call.Example{Body: `{"path":"/prod/hive","entity":"dataset","start":0,"limit":10}`},
			Handle:     h.browse,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "browseV2", Tag: "Browse", Reads: true,
			Summary: "The groups below a browse path v2.",
			Parameters: []call.Parameter{
				{Name: "path", Kind: "string", Help: "steps, each begun by ␟; \"\" for the root"},
				entityParameter, call.StartParameter, limit, filterParameter,
				{Name: "input", Kind: "string", Help: "count only the entities that this search input finds"},
			},
			Example: call.Example{Body: `{"path":"","entity":"dataset","start":0,"limit":10}`},
			Handle:  h.browseV2,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "getBrowsePaths", Tag: "Browse", Reads: true,
			Summary:    "The browse paths of an entity.",
			Parameters: []call.Parameter{{Name: "urn", Kind: "string", Help: "the entity", Required: true}},
			Example:    call.Example{Body: `{"urn":"` + call.ExampleTable + `"}`},
			Handle:     h.browsePaths,
		},
	}
}
