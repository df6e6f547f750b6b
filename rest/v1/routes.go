// Package v1 has the first OpenAPI calls about entities, below /openapi/entities/v1.
package v1

import (
	"fmt"
	"net/http"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// Endpoints returns the endpoints of the first OpenAPI calls.
func Endpoints(rules *services.Services) []call.Endpoint {
	return handlers{rules}.endpoints()
}

const (
	entityPath   = "/openapi/entities/v1"
	platformPath = "/openapi/platform/entities/v1"
)

// Schemas of the request bodies of the first OpenAPI calls.
var (
	typedSchema = call.Object{
		"type": "object", "description": "the value with the name of its record in __type, and members of unions likewise: {\"__type\":\"StringType\"}; or the value as it is elsewhere",
		"properties": call.Object{"__type": call.Object{"type": "string"}},
	}
	writesSchema = call.Object{"type": "array", "maxItems": limits.MaxWholeBatch, "items": call.Object{
		"type": "object", "required": []string{"entityType", "aspect"}, "properties": call.Object{
			"entityType": call.Object{"type": "string"}, "entityUrn": call.Object{"type": "string", "maxLength": limits.MaxURNBytes, "description": "or entityKeyAspect"},
			"entityKeyAspect": typedSchema, "aspect": typedSchema, "aspectName": call.Object{"type": "string", "description": "the record of the aspect names it too"},
		},
	}}
	proposalsSchema = call.Object{"type": "array", "maxItems": limits.MaxWholeBatch, "items": call.Object{
		"type": "object", "required": []string{"entityType"}, "properties": call.Object{
			"entityType": call.Object{"type": "string"}, "entityUrn": call.Object{"type": "string", "maxLength": limits.MaxURNBytes, "description": "or entityKeyAspect"},
			"entityKeyAspect": call.Object{"type": "object", "properties": call.Object{"value": typedSchema}},
			"changeType":      call.Object{"type": "string"}, "aspectName": call.Object{"type": "string"},
			"aspect":         call.Object{"type": "object", "properties": call.Object{"value": call.Object{"description": "an object, with or without __type, or a text that has it as JSON"}, "contentType": call.Object{"type": "string"}}},
			"systemMetadata": call.Object{"type": []string{"object", "null"}}, "headers": call.Object{"type": []string{"object", "null"}, "description": "conditions"},
		},
	}}
)

func (h handlers) endpoints() []call.Endpoint {
	urns := call.Parameter{Name: "urns", Kind: "list", Help: "the entities, the parameter repeated, each URN best percent-encoded", Required: true}
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: entityPath, Tag: "Write", Status: http.StatusCreated,
			Summary: "Write aspects in the form of the first OpenAPI calls, all of them or none. Answers 201 with the URNs of which something changed, or 200 with an empty list.",
			Content: writesSchema,
			Example: call.Example{Body: `[{"entityType":"dataset","entityUrn":"` + call.ExampleTable + `","aspect":{"__type":"SchemaMetadata","schemaName":"orders","platform":"urn:li:dataPlatform:kafka","version":0,"hash":"","platformSchema":{"__type":"OtherSchema","rawSchema":"id"},"fields":[{"fieldPath":"id","nativeDataType":"text","type":{"type":{"__type":"StringType"}}}]}}]`},
			Handle:  h.write,
		},
		{
			Method: http.MethodPost, Path: platformPath, Tag: "Write", Status: http.StatusCreated,
			Summary: "Write proposals, all of them or none, with the answers of the calls of entities. Use ingestProposalBatch for what has no __type.",
			Content: proposalsSchema,
			Example: call.Example{Body: `[{"entityType":"dataset","entityUrn":"` + call.ExampleTable + `","changeType":"UPSERT","aspectName":"globalTags","aspect":{"value":{"__type":"GlobalTags","tags":[{"tag":"urn:li:tag:Example"}]},"contentType":"application/json"}}]`},
			Handle:  h.writeProposals,
		},
		{
			Method: http.MethodGet, Path: entityPath + "/latest", Tag: "Read",
			Summary: "Several entities with their latest aspects, whose values name their records in __type.",
			Parameters: []call.Parameter{
				urns, {Name: "aspectNames", Kind: "list", Help: "only these aspects; the parameter repeated, or A,B"},
			},
			Example: call.Example{Query: "urns=" + call.ExampleTableEncoded + "&aspectNames=schemaMetadata"},
			Handle:  h.latest,
		},
		{
			Method: http.MethodDelete, Path: entityPath, Tag: "Delete", Long: true,
			Summary: fmt.Sprintf("Delete up to %d entities, by the mark that hides them or, with soft=false, completely.", limits.MaxBatchDelete),
			Parameters: []call.Parameter{
				urns,
				{Name: "soft", Kind: "boolean", Help: "mark them as removed; true when left out"},
				{Name: "dryRun", Kind: "boolean", Help: "answer with what would be deleted, and change nothing"},
			},
			Example: call.Example{Query: "urns=urn%3Ali%3Atag%3ANobody&soft=false&dryRun=true"},
			Handle:  h.delete,
		},
	}
}
