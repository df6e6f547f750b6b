package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

func (h browseHandlers) endpoints() []endpoint {
	path := parameter{"path", "string", "slash-delimited, \"\" for the root", false}
	limit := parameter{"limit", "integer", limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxPageCount), false}
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "browse", tag: "Browse", reads: true,
			summary:    "The groups below a browse path and the entities at it. Pages begin with the groups.",
			parameters: []parameter{path, entityParameter, startParameter, limit, filterParameter},
			example:    example{body: `{"path":"/prod/hive","entity":"dataset","start":0,"limit":10}`},
			handle:     h.browse,
		},
		{
			method: http.MethodPost, path: "/entities", action: "browseV2", tag: "Browse", reads: true,
			summary: "The groups below a browse path v2.",
			parameters: []parameter{
				{"path", "string", "steps, each begun by ␟; \"\" for the root", false},
				entityParameter, startParameter, limit, filterParameter,
				{"input", "string", "count only the entities that this search input finds", false},
			},
			example: example{body: `{"path":"","entity":"dataset","start":0,"limit":10}`},
			handle:  h.browseV2,
		},
		{
			method: http.MethodPost, path: "/entities", action: "getBrowsePaths", tag: "Browse", reads: true,
			summary:    "The browse paths of an entity.",
			parameters: []parameter{{"urn", "string", "the entity", true}},
			example:    example{body: `{"urn":"` + exampleTable + `"}`},
			handle:     h.browsePaths,
		},
	}
}
