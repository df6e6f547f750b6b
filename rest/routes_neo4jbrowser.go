package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/rest/call"
)

func (h neo4jBrowserHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{Method: http.MethodGet, Path: "/browser", AnyQuery: true, Tag: "Neo4j Browser", Summary: "How to look at the graph in Neo4j Browser, as a page with links.", Handle: h.overview},
		{Method: http.MethodGet, Path: "/browser/guide", AnyQuery: true, Tag: "Neo4j Browser", Summary: "The guide, for the command :play of Neo4j Browser. Pages of any origin may read it.", Handle: h.guide},
		{Method: http.MethodGet, Path: "/browser/style.grass", AnyQuery: true, Tag: "Neo4j Browser", Summary: "The style sheet, for the command :style of Neo4j Browser. Pages of any origin may read it.", Handle: h.style},
		{Method: http.MethodGet, Path: "/browser/queries.zip", AnyQuery: true, Tag: "Neo4j Browser", Summary: "The questions of the guide as saved queries: Neo4j Browser imports the file when it is dropped on its page.", Handle: h.queries},
		{
			Method: http.MethodOptions, Path: "/browser", Subtree: true, AnyQuery: true, Reads: true, Status: http.StatusNoContent, Tag: "Neo4j Browser",
			Summary: "What browsers ask before they request the guide for a page of another origin.", Handle: h.preflight,
		},
	}
}
