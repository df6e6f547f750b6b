package rest

import "net/http"

func (h screenHandlers) endpoints() []endpoint {
	return []endpoint{
		{method: http.MethodGet, path: "/", anyQuery: true, tag: "Service", summary: "The web page for browsers; for programs, what this server is, with links.", handle: h.start},
		{method: http.MethodGet, path: "/ui", subtree: true, anyQuery: true, tag: "Service", summary: "The screens of the web page and its files.", handle: h.screen},
	}
}
