package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

func (h relationshipHandlers) endpoints() []endpoint {
	common := []parameter{
		{"urn", "string", "the entity, percent-encoded", true},
		{"direction", "string", "OUTGOING: the entity is the source of the edges; INCOMING: it is their destination", true},
		{"start", "integer", "0 when left out", false},
		momentParameter,
	}
	return []endpoint{
		{
			method: http.MethodGet, path: "/relationships", tag: "Relationships",
			summary: "The neighbours of an entity.",
			parameters: append([]parameter{
				{"types", "list", "relationship names: A, A,B, List(A,B) or repeated; all when left out", false},
				{"count", "integer", limits.LeftOutMost(limits.DefaultRelationships, limits.MaxPageCount), false},
				{"provenance", "boolean", "say of each edge who or what stated it, since when and how sure", false},
			}, common...),
			example: example{query: "direction=INCOMING&urn=urn%3Ali%3Acorpuser%3Aada&types=OwnedBy&provenance=true"},
			handle:  h.relationships,
		},
		{
			method: http.MethodGet, path: "/openapi/relationships/v1", tag: "Relationships",
			summary: "The neighbours of an entity, in the form of the OpenAPI interface.",
			parameters: append([]parameter{
				{"relationshipTypes", "list", "relationship names, the parameter repeated; all when left out", false},
				{"count", "integer", limits.LeftOutMost(limits.DefaultOpenAPIRelationships, limits.MaxPageCount) + "; the answer's count is the number returned", false},
			}, common...),
			example: example{query: "direction=OUTGOING&urn=" + exampleTableEncoded + "&relationshipTypes=OwnedBy"},
			handle:  h.openAPIRelationships,
		},
	}
}
