package rest

import "net/http"

func (h pageHandlers) endpoints() []endpoint {
	return []endpoint{
		{method: http.MethodGet, path: "/restli/docs", anyQuery: true, tag: "Service", summary: "This page.", handle: h.docs},
		{method: http.MethodGet, path: "/openapi.json", tag: "Service", summary: "The OpenAPI 3.1 description of the REST interface.", handle: h.openAPI},
		{method: http.MethodGet, path: "/openapi/v3/api-docs", tag: "Service", summary: "The same under the reference's name.", handle: h.openAPI},
		{method: http.MethodGet, path: "/openapi/swagger-ui", subtree: true, anyQuery: true, tag: "Service", summary: "Leads to /docs/.", handle: h.toSwagger},
		{method: http.MethodGet, path: "/docs", subtree: true, anyQuery: true, tag: "Service", summary: "The OpenAPI description as a page to try requests.", handle: h.swagger},
	}
}

func (h serviceHandlers) endpoints() []endpoint {
	return []endpoint{
		{method: http.MethodGet, path: "/config", tag: "Service", summary: "What clients request before they start.", handle: h.config},
		{method: http.MethodGet, path: "/health", anyQuery: true, tag: "Service", summary: "200 when the server runs.", handle: (*call).nothing},
		{method: http.MethodGet, path: "/openapi/up", anyQuery: true, tag: "Service", summary: "true when the server runs.", handle: h.up},
		{method: http.MethodGet, path: "/health/ready", anyQuery: true, tag: "Service", summary: "Whether each backend can serve; 503 when one cannot.", handle: h.ready},
		{method: http.MethodGet, path: "/health/check/ready", anyQuery: true, tag: "Service", summary: "The same under the name that other servers use.", handle: h.ready},
	}
}

func (h settingHandlers) endpoints() []endpoint {
	const info, flags = "/openapi/v1/system-info", "/openapi/operations/dev/featureFlags"
	return []endpoint{
		{method: http.MethodGet, path: info, tag: "Service", summary: "The parts of the server with their settings. Secrets are left out.", handle: h.systemInfo},
		{method: http.MethodGet, path: info + "/spring-components", tag: "Service", summary: "The parts of the server alone.", handle: h.componentInfo},
		{method: http.MethodGet, path: info + "/properties", tag: "Service", summary: "The settings of the server, with where they are from.", handle: h.propertyInfo},
		{method: http.MethodGet, path: info + "/properties/simple", tag: "Service", summary: "The settings of the server as an object.", handle: h.simpleInfo},
		{method: http.MethodGet, path: flags, tag: "Service", summary: "The features that pages and clients ask for before they use them.", handle: h.featureFlags},
		{
			method: http.MethodGet, path: flags, below: "/{name}", tag: "Service", summary: "One of the features; 404 if there is no such feature.",
			example: example{tail: "showBrowseV2"}, handle: h.featureFlag,
		},
	}
}

func (h indexHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/index", tag: "Service",
			summary: "The state of the search index: how many changes it does not have yet, and the progress of a rebuild.",
			handle:  h.indexStatus,
		},
		{
			method: http.MethodPost, path: "/index", action: "rebuild", tag: "Service",
			summary: "Start to rebuild the search index from the graph store. The current index stays in use meanwhile. 409 if a rebuild is already running.",
			example: example{body: `{}`},
			handle:  h.rebuildIndex,
		},
	}
}
