// Package pages has the pages for browsers: the web page, the documentation of the
// endpoints, and the page for Neo4j Browser.
package pages

import (
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/cypher/browser"
	"github.com/headwater-io/headwater/rest/call"
)

// Options configure the pages.
type Options struct {
	Catalog *services.Services
	// Neo4j is the place at which analysts find the graph.
	Neo4j browser.Place
	// Page, if set, is the web page.
	Page Page
	// SignIn: authentication is on.
	SignIn bool
	// Version is the version of this binary.
	Version string
	// GraphQL: the server has a GraphQL endpoint.
	GraphQL bool
	// Table returns the route table of the server.
	Table func() []call.Endpoint
}

// Endpoints returns the endpoints of the pages.
func Endpoints(o Options) []call.Endpoint {
	documents := pageHandlers{o.Table, o.Version, o.GraphQL}
	return slices.Concat(
		neo4jBrowserHandlers{o.Catalog, o.Neo4j}.endpoints(),
		screenHandlers{o.Page, o.SignIn, documents}.endpoints(),
		documents.endpoints(),
	)
}

func (h neo4jBrowserHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{Method: http.MethodGet, Path: "/browser", AnyQuery: true, Tag: "Neo4j Browser", Summary: "How to look at the graph in Neo4j Browser, as a page with links.", Handle: h.overview},
		{Method: http.MethodGet, Path: "/browser/guide", Open: true, AnyQuery: true, Tag: "Neo4j Browser", Summary: "The guide, for the command :play of Neo4j Browser. Pages of any origin may read it.", Handle: h.guide},
		{Method: http.MethodGet, Path: "/browser/style.grass", Open: true, AnyQuery: true, Tag: "Neo4j Browser", Summary: "The style sheet, for the command :style of Neo4j Browser. Pages of any origin may read it.", Handle: h.style},
		{Method: http.MethodGet, Path: "/browser/queries.zip", Open: true, AnyQuery: true, Tag: "Neo4j Browser", Summary: "The questions of the guide as saved queries: Neo4j Browser imports the file when it is dropped on its page.", Handle: h.queries},
		{
			Method: http.MethodOptions, Path: "/browser", Subtree: true, Open: true, AnyQuery: true, Reads: true, Status: http.StatusNoContent, Tag: "Neo4j Browser",
			Summary: "What browsers ask before they request the guide for a page of another origin.", Handle: h.preflight,
		},
	}
}

func (h screenHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{Method: http.MethodGet, Path: "/", Open: true, AnyQuery: true, Tag: "Service", Summary: "The web page for browsers; for programs, what this server is, with links.", Handle: h.start},
		{Method: http.MethodGet, Path: "/ui", Open: true, Subtree: true, AnyQuery: true, Tag: "Service", Summary: "The screens of the web page and its files.", Handle: h.screen},
	}
}

func (h pageHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{Method: http.MethodGet, Path: "/restli/docs", AnyQuery: true, Tag: "Service", Summary: "This page.", Handle: h.docs},
		{Method: http.MethodGet, Path: "/openapi.json", Tag: "Service", Summary: "The OpenAPI 3.1 description of the REST interface.", Handle: h.openAPI},
		{Method: http.MethodGet, Path: "/openapi/v3/api-docs", Tag: "Service", Summary: "The same under the reference's name.", Handle: h.openAPI},
		{Method: http.MethodGet, Path: "/openapi/swagger-ui", Subtree: true, AnyQuery: true, Tag: "Service", Summary: "Leads to /docs/.", Handle: h.toSwagger},
		{Method: http.MethodGet, Path: "/docs", Subtree: true, AnyQuery: true, Tag: "Service", Summary: "The OpenAPI description as a page to try requests.", Handle: h.swagger},
	}
}
