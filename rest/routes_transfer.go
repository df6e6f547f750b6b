package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/rest/call"
)

func (h transferHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/export", Tag: "Service", Long: true, Streams: true,
			Summary: "The whole catalog as JSON lines: every version, every edge with its past, every time-series value. The last line marks the end; without it the answer is incomplete.",
			Handle:  h.export,
		},
		{
			Method: http.MethodPost, Path: "/import", Tag: "Service", Long: true, Streams: true,
			Summary: "Write lines of an export, each entity exactly as it was. Entities that are stored with the same contents are left alone. An entity that is stored with other contents fails, and the request fails after the others are written. May be repeated.",
			Parameters: []call.Parameter{
				{Name: "replace", Kind: "boolean", Help: "first delete entities that are stored with other contents"},
				{Name: "dryRun", Kind: "boolean", Help: "check and compare, and change nothing"},
				{Name: "partial", Kind: "boolean", Help: "the request succeeds, and failures of entities are in its result"},
			},
			Example: call.Example{Query: "dryRun=true", Body: `{"header":{"format":1,"time":0}}`},
			Handle:  h.importLines,
		},
	}
}
