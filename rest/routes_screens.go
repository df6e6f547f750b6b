package rest

import (
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/cypher/browser"
	"github.com/headwater-io/headwater/rest/call"
)

func (h screenHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{Method: http.MethodGet, Path: "/", AnyQuery: true, Tag: "Service", Summary: "The web page for browsers; for programs, what this server is, with links.", Handle: h.start},
		{Method: http.MethodGet, Path: "/ui", Subtree: true, AnyQuery: true, Tag: "Service", Summary: "The screens of the web page and its files.", Handle: h.screen},
	}
}

// pageOptions are what the pages show.
type pageOptions struct {
	Catalog *services.Services
	// Neo4j is where analysts find the graph.
	Neo4j browser.Place
	// Page, if set, is the web page.
	Page Page
	// Version is this binary's.
	Version string
	// GraphQL: the server answers GraphQL too.
	GraphQL bool
	// Table returns the route table of the server.
	Table func() []call.Endpoint
}

// pagesAll are the endpoints of the pages.
func pagesAll(o pageOptions) []call.Endpoint {
	documents := pageHandlers{o.Table, o.Version, o.GraphQL}
	return slices.Concat(
		neo4jBrowserHandlers{o.Catalog, o.Neo4j}.endpoints(),
		screenHandlers{o.Page, documents}.endpoints(),
		documents.endpoints(),
	)
}
