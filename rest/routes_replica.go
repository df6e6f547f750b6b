package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/rest/call"
)

func (h replicaHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/replica", Tag: "Replicas",
			Summary: "Whether this server is a replica, of which server, and how far behind it is.",
			Example: call.Example{},
			Handle:  h.status,
		},
		{
			Method: http.MethodGet, Path: "/replica/changes", Tag: "Replicas",
			Summary: "The change log after a cursor for a replica: the changes, and what is stored now of what they are about, also what /events does not tell.",
			Parameters: []call.Parameter{
				{Name: "from", Kind: "string", Help: "a cursor from an earlier answer; empty is the beginning"},
				{Name: "limit", Kind: "integer", Help: "500 when left out, at most 1000; a page ends early where what is stored is large"},
				{Name: "wait", Kind: "integer", Help: "how many seconds to wait for a change, at most 30"},
			},
			Example: call.Example{Query: "limit=5"},
			Handle:  h.changes,
		},
		{
			Method: http.MethodGet, Path: "/replica/series", Tag: "Replicas",
			Summary: "The values of a time series in the order of their times and keys, a part at a time, as a replica compares them.",
			Parameters: []call.Parameter{
				{Name: "urn", Kind: "string", Help: "the entity", Required: true},
				{Name: "aspect", Kind: "string", Help: "the time series", Required: true},
				{Name: "afterTime", Kind: "integer", Help: "go on after the value with this time, epoch milliseconds"},
				{Name: "afterKey", Kind: "string", Help: "and this key"},
			},
			Example: call.Example{Query: "urn=urn:li:tag:Example&aspect=datasetProfile"},
			Handle:  h.series,
		},
	}
}
