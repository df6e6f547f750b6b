package rest

import "net/http"

func (h transferHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/export", tag: "Service", long: true, streams: true,
			summary: "The whole catalog as JSON lines: every version, every edge with its past, every time-series value. The last line is the end; without it the answer was cut off.",
			handle:  h.export,
		},
		{
			method: http.MethodPost, path: "/import", tag: "Service", long: true, streams: true,
			summary: "Write lines of an export, each entity just as it was. What is stored so already is left alone, what is stored otherwise is a failure of that entity, and of the request when the others are written. May be repeated.",
			parameters: []parameter{
				{"replace", "boolean", "delete first what is stored otherwise", false},
				{"dryRun", "boolean", "check and compare, and change nothing", false},
				{"partial", "boolean", "failures of entities are told in the result of a request that succeeds", false},
			},
			example: example{query: "dryRun=true", body: `{"header":{"format":1,"time":0}}`},
			handle:  h.importLines,
		},
	}
}
