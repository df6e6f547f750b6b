package rest

import (
	"log/slog"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/cypher/browser"
	"github.com/headwater-io/headwater/rest/call"
)

func (h pageHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{Method: http.MethodGet, Path: "/restli/docs", AnyQuery: true, Tag: "Service", Summary: "This page.", Handle: h.docs},
		{Method: http.MethodGet, Path: "/openapi.json", Tag: "Service", Summary: "The OpenAPI 3.1 description of the REST interface.", Handle: h.openAPI},
		{Method: http.MethodGet, Path: "/openapi/v3/api-docs", Tag: "Service", Summary: "The same under the reference's name.", Handle: h.openAPI},
		{Method: http.MethodGet, Path: "/openapi/swagger-ui", Subtree: true, AnyQuery: true, Tag: "Service", Summary: "Leads to /docs/.", Handle: h.toSwagger},
		{Method: http.MethodGet, Path: "/docs", Subtree: true, AnyQuery: true, Tag: "Service", Summary: "The OpenAPI description as a page to try requests.", Handle: h.swagger},
	}
}

func (h serviceHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{Method: http.MethodGet, Path: "/config", Tag: "Service", Summary: "What clients request before they start.", Handle: h.config},
		{Method: http.MethodGet, Path: "/health", AnyQuery: true, Tag: "Service", Summary: "200 when the server runs.", Handle: (*call.Call).Nothing},
		{Method: http.MethodGet, Path: "/openapi/up", AnyQuery: true, Tag: "Service", Summary: "true when the server runs.", Handle: h.up},
		{Method: http.MethodGet, Path: "/health/ready", AnyQuery: true, Tag: "Service", Summary: "Whether each backend can serve; 503 when one cannot.", Handle: h.ready},
		{Method: http.MethodGet, Path: "/health/check/ready", AnyQuery: true, Tag: "Service", Summary: "The same under the name that other servers use.", Handle: h.ready},
	}
}

func (h settingHandlers) endpoints() []call.Endpoint {
	const info, flags = "/openapi/v1/system-info", "/openapi/operations/dev/featureFlags"
	return []call.Endpoint{
		{Method: http.MethodGet, Path: info, Tag: "Service", Summary: "The parts of the server with their settings. Secrets are left out.", Handle: h.systemInfo},
		{Method: http.MethodGet, Path: info + "/spring-components", Tag: "Service", Summary: "The parts of the server alone.", Handle: h.componentInfo},
		{Method: http.MethodGet, Path: info + "/properties", Tag: "Service", Summary: "The settings of the server, with where they are from.", Handle: h.propertyInfo},
		{Method: http.MethodGet, Path: info + "/properties/simple", Tag: "Service", Summary: "The settings of the server as an object.", Handle: h.simpleInfo},
		{Method: http.MethodGet, Path: flags, Tag: "Service", Summary: "The features that pages and clients ask for before they use them.", Handle: h.featureFlags},
		{
			Method: http.MethodGet, Path: flags, Below: "/{name}", Tag: "Service", Summary: "One of the features; 404 if there is no such feature.",
			Example: call.Example{Tail: "showBrowseV2"}, Handle: h.featureFlag,
		},
	}
}

func (h indexHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/index", Tag: "Service",
			Summary: "The state of the search index: how many changes it does not have yet, and the progress of a rebuild.",
			Handle:  h.indexStatus,
		},
		{
			Method: http.MethodPost, Path: "/index", Action: "rebuild", Tag: "Service",
			Summary: "Start to rebuild the search index from the graph store. The current index stays in use meanwhile. 409 if a rebuild is already running.",
			Example: call.Example{Body: `{}`},
			Handle:  h.rebuildIndex,
		},
	}
}

// operationsIndex are the endpoints about the search index.
func operationsIndex(rules *services.Services) []call.Endpoint {
	return indexHandlers{rules}.endpoints()
}

// operationsFollowers are the endpoints about the followers of the change log, and what they could not write.
func operationsFollowers(rules *services.Services) []call.Endpoint {
	return slices.Concat(
		followerHandlers{rules}.endpoints(),
		failedHandlers{rules}.endpoints(),
	)
}

// operationsMaintenance are the endpoints that repair, truncate, export and import. maxBody is the largest body that is not a stream, in bytes.
func operationsMaintenance(rules *services.Services, logger *slog.Logger, maxBody int64) []call.Endpoint {
	return slices.Concat(
		operationHandlers{rules}.endpoints(),
		transferHandlers{rules, logger, maxBody}.endpoints(),
	)
}

// operationsServer is what a server tells about itself.
type operationsServer struct {
	Catalog *services.Services
	// Version and Commit are this binary's.
	Version, Commit string
	// Neo4j is where analysts find the graph.
	Neo4j browser.Place
	// Settings, if set, are the settings of the server, without secrets.
	Settings func() []Setting
}

// operationsState are the endpoints that tell clients and operators about the server.
func operationsState(s operationsServer) []call.Endpoint {
	return slices.Concat(
		serviceHandlers{s.Catalog, s.Version, s.Commit, s.Neo4j}.endpoints(),
		settingHandlers{s.Catalog, s.Version, s.Settings}.endpoints(),
		modelHandlers{s.Catalog}.endpoints(),
		lagHandlers{s.Catalog}.endpoints(),
	)
}
