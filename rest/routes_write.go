package rest

import (
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// These parameters are shared by reads of entities.
var (
	resultsParameter = call.Parameter{Name: "results", Kind: "boolean", Help: "answer with what became of each snapshot, in the form of ingestProposalBatch"}
	idsParameter     = call.Parameter{Name: "ids", Kind: "list", Help: "List(urn,…), each URN percent-encoded", Required: true}
)

func (h proposalHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/aspects", Action: "ingestProposal", Tag: "Write", Versioned: true,
			Summary: "Change one aspect of one entity: UPSERT, CREATE, CREATE_ENTITY, PATCH or DELETE. Returns the URN when the change is durable.",
			Parameters: []call.Parameter{
				{Name: "proposal", Kind: "object", Help: "entityType, entityUrn or entityKeyAspect, changeType, aspectName, aspect{value, contentType}, systemMetadata, headers (conditions)", Required: true},
				{Name: "async", Kind: "string", Help: "accepted; the write is durable before the answer in any case"},
			},
			Example: call.Example{Body: `{"proposal":{"entityType":"dataset","entityUrn":"` + call.ExampleTable + `","changeType":"UPSERT","aspectName":"ownership","aspect":{"value":"{\"owners\":[{\"owner\":\"urn:li:corpuser:ada\",\"type\":\"DATAOWNER\"}],\"lastModified\":{\"time\":0,\"actor\":\"urn:li:corpuser:ada\"}}","contentType":"application/json"}}}`},
			Handle:  h.ingestProposal,
		},
		{
			Method: http.MethodPost, Path: "/aspects", Action: "ingestProposalBatch", Tag: "Write",
			Summary: "Change many aspects, all of them or none: if one is refused, nothing is written, and the error names each refused one. Also accepts application/x-ndjson, one proposal per line; those that are not refused are written as they arrive.",
			Parameters: []call.Parameter{
				{Name: "proposals", Kind: "array", Help: "proposals in the form of ingestProposal", Required: true},
				{Name: "async", Kind: "string", Help: "as for ingestProposal"},
			},
			Query:   []call.Parameter{{Name: "partial", Kind: "boolean", Help: "each proposal is written independently and has its own result; the answer is 200"}},
			Example: call.Example{Body: `{"proposals":[{"entityType":"dataset","entityUrn":"` + call.ExampleTable + `","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"value":"{\"description\":\"One message per order\"}","contentType":"application/json"}}]}`},
			Handle:  h.ingestProposalBatch,
		},
	}
}

func (h snapshotHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "ingest", Tag: "Write",
			Summary:    "Write a legacy snapshot: several aspects of one entity in one transaction. The answer has an empty body.",
			Parameters: []call.Parameter{{Name: "entity", Kind: "object", Help: "{value:{<snapshot record>:{urn, aspects}}}", Required: true}, {Name: "systemMetadata", Kind: "object", Help: "lastObserved, runId"}},
			Query:      []call.Parameter{resultsParameter},
			Example:    call.Example{Body: `{"entity":{"value":{"com.linkedin.metadata.snapshot.CorpUserSnapshot":{"urn":"urn:li:corpuser:ada","aspects":[{"com.linkedin.identity.CorpUserInfo":{"active":true,"displayName":"Ada","fullName":"Ada Example","email":"ada@example.com"}}]}}}}`},
			Handle:     h.ingestSnapshot,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "batchIngest", Tag: "Write",
			Summary:    "Write several legacy snapshots, each in one transaction. The answer has an empty body unless results are asked for.",
			Parameters: []call.Parameter{{Name: "entities", Kind: "array", Help: "snapshots in the form of ingest", Required: true}, {Name: "systemMetadata", Kind: "array", Help: "one for each entity"}},
			Query:      []call.Parameter{resultsParameter},
			Example:    call.Example{Body: `{"entities":[{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:Example","aspects":[{"com.linkedin.tag.TagProperties":{"name":"Example","description":"Only an example"}}]}}}]}`},
			Handle:     h.ingestSnapshots,
		},
		{
			Method: http.MethodGet, Path: "/entities", Tail: true, Tag: "Read",
			Summary: "An entity as a legacy snapshot with its key aspect.", Parameters: []call.Parameter{call.AspectsParameter},
			Example: call.Example{Tail: call.ExampleTableEncoded},
			Handle:  h.snapshot,
		},
		{
			Method: http.MethodGet, Path: "/entities", IDs: true, Tag: "Read",
			Summary: "Several entities as legacy snapshots; absent ones are left out.", Parameters: []call.Parameter{idsParameter, call.AspectsParameter},
			Example: call.Example{Query: "ids=List(" + call.ExampleTableEncoded + ")"},
			Handle:  h.snapshots,
		},
	}
}

func (h editHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "edit", Tag: "Write",
			Summary: "Change what people state of an entity or a column, in one transaction: tags, terms, owners, domain, description. What is not named stays, as does what the source states. The answer has the parts that the request names, before and after. An entity, a column, or something to add that does not exist is answered with 404.",
			Parameters: []call.Parameter{
				{Name: "urn", Kind: "string", Help: "the entity or column", Required: true},
				{Name: "column", Kind: "string", Help: "the path of a column of the entity, as the schema has it"},
				{Name: "add", Kind: "object", Help: "tags and terms (lists of URNs), owners ({owner, type, as in TECHNICAL_OWNER, or typeUrn})"},
				{Name: "remove", Kind: "object", Help: "the same; an owner without type and typeUrn is removed with every kind of ownership"},
				{Name: "domain", Kind: "string", Help: "the domain that the entity is put into; null removes the entity from its domain"},
				{Name: "description", Kind: "string", Help: "the new description; null or an empty text removes it"},
				{Name: "dryRun", Kind: "boolean", Help: "answer with what would change, and write nothing"},
			},
			Example: call.Example{Body: `{"urn":"` + call.ExampleTable + `","add":{"tags":["urn:li:tag:Example"]},"description":"What is ordered","dryRun":true}`},
			Handle:  h.edit,
		},
	}
}

// restliAspects are the endpoints that write and read aspects and entities.
func restliAspects(rules *services.Services, maxBody int64) []call.Endpoint {
	return slices.Concat(
		proposalHandlers{rules, maxBody}.endpoints(),
		snapshotHandlers{rules}.endpoints(),
		editHandlers{rules}.endpoints(),
		aspectHandlers{rules}.endpoints(),
		entityHandlers{rules}.endpoints(),
	)
}
