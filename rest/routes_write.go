package rest

import "net/http"

// exampleTable is the dataset that the examples write and read.
const (
	exampleTable        = "urn:li:dataset:(urn:li:dataPlatform:kafka,example.orders,PROD)"
	exampleTableEncoded = "urn%3Ali%3Adataset%3A%28urn%3Ali%3AdataPlatform%3Akafka%2Cexample.orders%2CPROD%29"
)

// These parameters are shared by reads of entities.
var (
	aspectsParameter = parameter{"aspects", "list", "List(name,…): only these aspects", false}
	resultsParameter = parameter{"results", "boolean", "answer with what became of each snapshot, in the form of ingestProposalBatch", false}
	idsParameter     = parameter{"ids", "list", "List(urn,…), each URN percent-encoded", true}
)

func (h proposalHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/aspects", action: "ingestProposal", tag: "Write", versioned: true,
			summary: "Change one aspect of one entity: UPSERT, CREATE, CREATE_ENTITY, PATCH or DELETE. Returns the URN when the change is durable.",
			parameters: []parameter{
				{"proposal", "object", "entityType, entityUrn or entityKeyAspect, changeType, aspectName, aspect{value, contentType}, systemMetadata, headers (conditions)", true},
				{"async", "string", "accepted; the write is durable before the answer in any case", false},
			},
			example: example{body: `{"proposal":{"entityType":"dataset","entityUrn":"` + exampleTable + `","changeType":"UPSERT","aspectName":"ownership","aspect":{"value":"{\"owners\":[{\"owner\":\"urn:li:corpuser:ada\",\"type\":\"DATAOWNER\"}],\"lastModified\":{\"time\":0,\"actor\":\"urn:li:corpuser:ada\"}}","contentType":"application/json"}}}`},
			handle:  h.ingestProposal,
		},
		{
			method: http.MethodPost, path: "/aspects", action: "ingestProposalBatch", tag: "Write",
			summary: "Change many aspects, all of them or none: if one is refused, nothing is written, and the error names each refused one. Also accepts application/x-ndjson, one proposal per line; those that are not refused are written as they arrive.",
			parameters: []parameter{
				{"proposals", "array", "proposals in the form of ingestProposal", true},
				{"async", "string", "as for ingestProposal", false},
			},
			query:   []parameter{{"partial", "boolean", "each proposal is written independently and has its own result; the answer is 200", false}},
			example: example{body: `{"proposals":[{"entityType":"dataset","entityUrn":"` + exampleTable + `","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"value":"{\"description\":\"One message per order\"}","contentType":"application/json"}}]}`},
			handle:  h.ingestProposalBatch,
		},
	}
}

func (h snapshotHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "ingest", tag: "Write",
			summary:    "Write a legacy snapshot: several aspects of one entity in one transaction. The answer has an empty body.",
			parameters: []parameter{{"entity", "object", "{value:{<snapshot record>:{urn, aspects}}}", true}, {"systemMetadata", "object", "lastObserved, runId", false}},
			query:      []parameter{resultsParameter},
			example:    example{body: `{"entity":{"value":{"com.linkedin.metadata.snapshot.CorpUserSnapshot":{"urn":"urn:li:corpuser:ada","aspects":[{"com.linkedin.identity.CorpUserInfo":{"active":true,"displayName":"Ada","fullName":"Ada Example","email":"ada@example.com"}}]}}}}`},
			handle:     h.ingestSnapshot,
		},
		{
			method: http.MethodPost, path: "/entities", action: "batchIngest", tag: "Write",
			summary:    "Write several legacy snapshots, each in one transaction. The answer has an empty body unless results are asked for.",
			parameters: []parameter{{"entities", "array", "snapshots in the form of ingest", true}, {"systemMetadata", "array", "one for each entity", false}},
			query:      []parameter{resultsParameter},
			example:    example{body: `{"entities":[{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:Example","aspects":[{"com.linkedin.tag.TagProperties":{"name":"Example","description":"Only an example"}}]}}}]}`},
			handle:     h.ingestSnapshots,
		},
		{
			method: http.MethodGet, path: "/entities", tail: true, tag: "Read",
			summary: "An entity as a legacy snapshot with its key aspect.", parameters: []parameter{aspectsParameter},
			example: example{tail: exampleTableEncoded},
			handle:  h.snapshot,
		},
		{
			method: http.MethodGet, path: "/entities", ids: true, tag: "Read",
			summary: "Several entities as legacy snapshots; absent ones are left out.", parameters: []parameter{idsParameter, aspectsParameter},
			example: example{query: "ids=List(" + exampleTableEncoded + ")"},
			handle:  h.snapshots,
		},
	}
}

func (h editHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "edit", tag: "Write",
			summary: "Change what people state of an entity or a column, in one transaction: tags, terms, owners, domain, description. What is not named stays, as does what the source states. The answer has the parts that the request names, before and after. An entity, a column, or something to add that does not exist is answered with 404.",
			parameters: []parameter{
				{"urn", "string", "the entity or column", true},
				{"column", "string", "the path of a column of the entity, as the schema has it", false},
				{"add", "object", "tags and terms (lists of URNs), owners ({owner, type, as in TECHNICAL_OWNER, or typeUrn})", false},
				{"remove", "object", "the same; an owner without type and typeUrn is removed with every kind of ownership", false},
				{"domain", "string", "the domain that the entity is put into; null removes the entity from its domain", false},
				{"description", "string", "the new description; null or an empty text removes it", false},
				{"dryRun", "boolean", "answer with what would change, and write nothing", false},
			},
			example: example{body: `{"urn":"` + exampleTable + `","add":{"tags":["urn:li:tag:Example"]},"description":"What is ordered","dryRun":true}`},
			handle:  h.edit,
		},
	}
}
