package rest

import (
	"fmt"
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

func (h replicaHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/replica", tag: "Replicas",
			summary: "Whether this server is a replica, of which server, and how far behind it is.",
			example: example{},
			handle:  h.status,
		},
		{
			method: http.MethodGet, path: "/replica/changes", tag: "Replicas",
			summary: "The change log after a cursor for a replica: the changes, and what is stored now of what they are about, also what /events does not tell.",
			parameters: []parameter{
				{"from", "string", "a cursor from an earlier answer; empty is the beginning", false},
				{"limit", "integer", limits.LeftOutMost(limits.DefaultReplicaChanges, limits.MaxChanges) + "; a page ends early where what is stored is large", false},
				{"wait", "integer", fmt.Sprintf("how many seconds to wait for a change, at most %d", int(maxEventWait.Seconds())), false},
			},
			example: example{query: "limit=5"},
			handle:  h.changes,
		},
		{
			method: http.MethodGet, path: "/replica/series", tag: "Replicas",
			summary: "The values of a time series in the order of their times and keys, a part at a time, as a replica compares them.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"aspect", "string", "the time series", true},
				{"afterTime", "integer", "go on after the value with this time, epoch milliseconds", false},
				{"afterKey", "string", "and this key", false},
			},
			example: example{query: "urn=urn:li:tag:Example&aspect=datasetProfile"},
			handle:  h.series,
		},
	}
}
