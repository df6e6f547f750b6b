package rest

import "net/http"

func (h transferHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/export", tag: "Service", long: true, streams: true,
			summary: "The whole catalog as JSON lines: every version, every edge with its past, every time-series value. The last line marks the end; without it the answer is incomplete.",
			handle:  h.export,
		},
		{
			method: http.MethodPost, path: "/import", tag: "Service", long: true, streams: true,
			summary: "Write lines of an export, each entity exactly as it was. Entities that are stored with the same contents are left alone. An entity that is stored with other contents fails, and the request fails after the others are written. May be repeated.",
			parameters: []parameter{
				{"replace", "boolean", "first delete entities that are stored with other contents", false},
				{"dryRun", "boolean", "check and compare, and change nothing", false},
				{"partial", "boolean", "the request succeeds, and failures of entities are in its result", false},
			},
			example: example{query: "dryRun=true", body: `{"header":{"format":1,"time":0}}`},
			handle:  h.importLines,
		},
	}
}
