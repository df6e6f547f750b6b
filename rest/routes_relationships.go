package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

func (h relationshipHandlers) endpoints() []call.Endpoint {
	common := []call.Parameter{
		{Name: "urn", Kind: "string", Help: "the entity, percent-encoded", Required: true},
		{Name: "direction", Kind: "string", Help: "OUTGOING: the entity is the source of the edges; INCOMING: it is their destination", Required: true},
		{Name: "start", Kind: "integer", Help: "0 when left out"},
		call.MomentParameter,
	}
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/relationships", Tag: "Relationships",
			Summary: "The neighbours of an entity.",
			Parameters: append([]call.Parameter{
				{Name: "types", Kind: "list", Help: "relationship names: A, A,B, List(A,B) or repeated; all when left out"},
				{Name: "count", Kind: "integer", Help: "100 when left out, at most 10000"},
				{Name: "provenance", Kind: "boolean", Help: "say of each edge who or what stated it, since when and how sure"},
			}, common...),
			Example: call.Example{Query: "direction=INCOMING&urn=urn%3Ali%3Acorpuser%3Aada&types=OwnedBy&provenance=true"},
			Handle:  h.relationships,
		},
		{
			Method: http.MethodGet, Path: "/openapi/relationships/v1", Tag: "Relationships",
			Summary: "The neighbours of an entity, in the form of the OpenAPI interface.",
			Parameters: append([]call.Parameter{
				{Name: "relationshipTypes", Kind: "list", Help: "relationship names, the parameter repeated; all when left out"},
				{Name: "count", Kind: "integer", Help: "200 when left out, at most 10000; the answer's count is the number returned"},
			}, common...),
			Example: call.Example{Query: "direction=OUTGOING&urn=" + call.ExampleTableEncoded + "&relationshipTypes=OwnedBy"},
			Handle:  h.openAPIRelationships,
		},
	}
}

// restliRelationships are the endpoints about the neighbours of an entity.
func restliRelationships(rules *services.Services) []call.Endpoint {
	return relationshipHandlers{rules}.endpoints()
}
