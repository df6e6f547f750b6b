package rest

import "net/http"

func (h neo4jBrowserHandlers) endpoints() []endpoint {
	return []endpoint{
		{method: http.MethodGet, path: "/browser", anyQuery: true, tag: "Neo4j Browser", summary: "How to look at the graph in Neo4j Browser, as a page with links.", handle: h.overview},
		{method: http.MethodGet, path: "/browser/guide", anyQuery: true, tag: "Neo4j Browser", summary: "The guide, for the command :play of Neo4j Browser. Pages of any origin may read it.", handle: h.guide},
		{method: http.MethodGet, path: "/browser/style.grass", anyQuery: true, tag: "Neo4j Browser", summary: "The style sheet, for the command :style of Neo4j Browser. Pages of any origin may read it.", handle: h.style},
		{method: http.MethodGet, path: "/browser/queries.zip", anyQuery: true, tag: "Neo4j Browser", summary: "The questions of the guide as saved queries: Neo4j Browser imports the file when it is dropped on its page.", handle: h.queries},
		{
			method: http.MethodOptions, path: "/browser", subtree: true, anyQuery: true, reads: true, status: http.StatusNoContent, tag: "Neo4j Browser",
			summary: "What browsers ask before they request the guide for a page of another origin.", handle: h.preflight,
		},
	}
}
