package rest

import (
	"fmt"
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

const (
	v1Path         = "/openapi/entities/v1"
	v1PlatformPath = "/openapi/platform/entities/v1"
)

// The schemas of bodies of the first OpenAPI calls.
var (
	typedSchema = object{
		"type": "object", "description": "the value with the name of its record in __type, and members of unions likewise: {\"__type\":\"StringType\"}; or the value as it is elsewhere",
		"properties": object{"__type": object{"type": "string"}},
	}
	v1WritesSchema = object{"type": "array", "maxItems": limits.MaxWholeBatch, "items": object{
		"type": "object", "required": []string{"entityType", "aspect"}, "properties": object{
			"entityType": object{"type": "string"}, "entityUrn": object{"type": "string", "maxLength": limits.MaxURNBytes, "description": "or entityKeyAspect"},
			"entityKeyAspect": typedSchema, "aspect": typedSchema, "aspectName": object{"type": "string", "description": "the record of the aspect names it too"},
		},
	}}
	v1ProposalsSchema = object{"type": "array", "maxItems": limits.MaxWholeBatch, "items": object{
		"type": "object", "required": []string{"entityType"}, "properties": object{
			"entityType": object{"type": "string"}, "entityUrn": object{"type": "string", "maxLength": limits.MaxURNBytes, "description": "or entityKeyAspect"},
			"entityKeyAspect": object{"type": "object", "properties": object{"value": typedSchema}},
			"changeType":      object{"type": "string"}, "aspectName": object{"type": "string"},
			"aspect":         object{"type": "object", "properties": object{"value": object{"description": "an object, with or without __type, or a text that has it as JSON"}, "contentType": object{"type": "string"}}},
			"systemMetadata": object{"type": []string{"object", "null"}}, "headers": object{"type": []string{"object", "null"}, "description": "conditions"},
		},
	}}
)

func (h v1Handlers) endpoints() []endpoint {
	urns := parameter{"urns", "list", "the entities, the parameter repeated, each URN best percent-encoded", true}
	return []endpoint{
		{
			method: http.MethodPost, path: v1Path, tag: "Write", status: http.StatusCreated,
			summary: "Write aspects in the form of the first OpenAPI calls, all of them or none. Answers 201 with the URNs of which something changed, or 200 with an empty list.",
			content: v1WritesSchema,
			example: example{body: `[{"entityType":"dataset","entityUrn":"` + exampleTable + `","aspect":{"__type":"SchemaMetadata","schemaName":"orders","platform":"urn:li:dataPlatform:kafka","version":0,"hash":"","platformSchema":{"__type":"OtherSchema","rawSchema":"id"},"fields":[{"fieldPath":"id","nativeDataType":"text","type":{"type":{"__type":"StringType"}}}]}}]`},
			handle:  h.write,
		},
		{
			method: http.MethodPost, path: v1PlatformPath, tag: "Write", status: http.StatusCreated,
			summary: "Write proposals, all of them or none, with the answers of the calls of entities. Use ingestProposalBatch for what has no __type.",
			content: v1ProposalsSchema,
			example: example{body: `[{"entityType":"dataset","entityUrn":"` + exampleTable + `","changeType":"UPSERT","aspectName":"globalTags","aspect":{"value":{"__type":"GlobalTags","tags":[{"tag":"urn:li:tag:Example"}]},"contentType":"application/json"}}]`},
			handle:  h.writeProposals,
		},
		{
			method: http.MethodGet, path: v1Path + "/latest", tag: "Read",
			summary: "Several entities with their latest aspects, whose values name their records in __type.",
			parameters: []parameter{
				urns, {"aspectNames", "list", "only these aspects; the parameter repeated, or A,B", false},
			},
			example: example{query: "urns=" + exampleTableEncoded + "&aspectNames=schemaMetadata"},
			handle:  h.latest,
		},
		{
			method: http.MethodDelete, path: v1Path, tag: "Delete", long: true,
			summary: fmt.Sprintf("Delete up to %d entities, by the mark that hides them or, with soft=false, completely.", limits.MaxBatchDelete),
			parameters: []parameter{
				urns,
				{"soft", "boolean", "mark them as removed; true when left out", false},
				{"dryRun", "boolean", "answer with what would be deleted, and change nothing", false},
			},
			example: example{query: "urns=urn%3Ali%3Atag%3ANobody&soft=false&dryRun=true"},
			handle:  h.delete,
		},
	}
}
