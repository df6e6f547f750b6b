// Package openlineage has the calls that take OpenLineage events, and the calls that read the catalog in the
// shape of Marquez.
package openlineage

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// example is the event of a run that copies a table.
const example = `{"eventType":"COMPLETE","eventTime":"2026-11-27T10:00:00Z","producer":"https://example.com/loader",` +
	`"schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",` +
	`"run":{"runId":"01938b3e-52a0-7bb0-9c0e-2f3f0c6b8f11"},"job":{"namespace":"nightly","name":"copy_orders"},` +
	`"inputs":[{"namespace":"postgres://db.example.com:5432","name":"shop.public.orders"}],` +
	`"outputs":[{"namespace":"snowflake://org-account","name":"LAKE.PUBLIC.ORDERS"}]}`

// event is the schema of an event, as far as it is required.
var event = call.Object{
	"type": "object", "required": []string{"eventTime"},
	"description": "an event of the OpenLineage specification: of a run (run and job), of a job (job) or of a dataset (dataset)",
}

// Endpoints returns the endpoints of OpenLineage. Clients post events to either path.
func Endpoints(rules *services.Services) []call.Endpoint {
	h := handlers{rules}
	var endpoints []call.Endpoint
	for _, path := range []string{"/api/v1/lineage", "/openapi/openlineage/api/v1/lineage"} {
		endpoints = append(endpoints,
			call.Endpoint{
				Method: http.MethodPost, Path: path, Tag: "OpenLineage",
				Summary: "Take an OpenLineage event of a run, a job or a dataset. Events may come in any order and any number of times.",
				Content: event, Example: call.Example{Body: example}, Handle: h.one,
			},
			call.Endpoint{
				Method: http.MethodPost, Path: path + "/batch", Tag: "OpenLineage", Long: true,
				Summary: "Take OpenLineage events. Events that are refused do not affect the others, and are listed with their reasons.",
				Content: call.Object{"type": "array", "items": event}, Example: call.Example{Body: "[" + example + "]"}, Handle: h.batch,
			},
		)
	}
	endpoints = append(endpoints, call.Endpoint{
		Method: http.MethodGet, Path: "/openlineage/facets", Tag: "OpenLineage",
		Summary:    "What OpenLineage events have told of a run, a job or a dataset, as they told it: the latest facets, when and by which run they were stated; of a run also its inputs and outputs.",
		Parameters: []call.Parameter{{Name: "urn", Kind: "string", Help: "a run (dataProcessInstance), a job (dataJob) or a dataset", Required: true}},
		Example:    call.Example{Query: "urn=urn:li:dataProcessInstance:01938b3e-52a0-7bb0-9c0e-2f3f0c6b8f11"},
		Handle:     h.getSent,
	})
	return append(endpoints, marquezEndpoints(h)...)
}
