// Package restli has the calls in Rest.li's spelling that write and read entities and
// aspects: proposals, snapshots, edits, reads and relationships. Searches, deletions and
// lineage have packages of their own.
package restli

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// Relationships returns the endpoints about the neighbours of an entity.
func Relationships(rules *services.Services) []call.Endpoint {
	return relationshipHandlers{rules}.endpoints()
}

// Aspects returns the endpoints that write and read aspects and entities. maxBody is the
// longest line of a stream, in bytes.
func Aspects(rules *services.Services, maxBody int64) []call.Endpoint {
	return slices.Concat(
		proposalHandlers{rules, maxBody}.endpoints(),
		snapshotHandlers{rules}.endpoints(),
		editHandlers{rules}.endpoints(),
		aspectHandlers{rules}.endpoints(),
		entityHandlers{rules}.endpoints(),
	)
}

func (h aspectHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/aspects", Action: "getTimeseriesAspectValues", Tag: "Read", Reads: true,
			Summary: "Values of a time-series aspect, newest first.",
			Parameters: []call.Parameter{
				{Name: "urn", Kind: "string", Help: "the entity", Required: true},
				{Name: "entity", Kind: "string", Help: "the entity's type", Required: true},
				{Name: "aspect", Kind: "string", Help: "a time-series aspect", Required: true},
				{Name: "startTimeMillis", Kind: "integer", Help: "earliest timestampMillis, included"},
				{Name: "endTimeMillis", Kind: "integer", Help: "latest timestampMillis, included"},
				{Name: "limit", Kind: "integer", Help: fmt.Sprintf("at most %d, the default", limits.MaxTimeSeriesValues)},
				{Name: "latestValue", Kind: "boolean", Help: "only the newest value"},
				{Name: "filter", Kind: "object", Help: "{or:[{and:[{field, value, values, condition, negated}]}]}"},
				{Name: "sort", Kind: "object", Help: "{field, order: ASCENDING or DESCENDING}"},
			},
			Example: call.Example{Body: `{"urn":"` + call.ExampleTable + `","entity":"dataset","aspect":"datasetProfile","startTimeMillis":0,"limit":10}`},
			Handle:  h.timeSeries,
		},
		{
			Method: http.MethodPost, Path: "/aspects", Action: "getCount", Tag: "Read", Reads: true,
			Summary: "How many entities have an aspect.",
			Parameters: []call.Parameter{
				{Name: "aspect", Kind: "string", Help: "the aspect", Required: true},
				{Name: "urnLike", Kind: "string", Help: "SQL LIKE pattern that the URN must match"},
			},
			Example: call.Example{Body: `{"aspect":"ownership","urnLike":"urn:li:dataset:%"}`},
			Handle:  h.countAspects,
		},
		{
			Method: http.MethodGet, Path: "/aspects", Tail: true, Tag: "Read",
			Summary: "One version of an aspect: 0 is the latest; archived versions count from 1, the oldest; -1 is the newest archived one.",
			Parameters: []call.Parameter{
				{Name: "aspect", Kind: "string", Help: "the aspect's name", Required: true},
				{Name: "version", Kind: "integer", Help: "the version, 0 when left out"},
			},
			Example: call.Example{Tail: call.ExampleTableEncoded, Query: "aspect=ownership&version=0"},
			Handle:  h.versionedAspect,
		},
	}
}

func (h entityHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "listUrns", Tag: "Read", Reads: true,
			Summary:    "The entities of a type, ordered by URN, including soft-deleted ones.",
			Parameters: []call.Parameter{{Name: "entity", Kind: "string", Help: "the entity type", Required: true}, {Name: "start", Kind: "integer", Help: "0 when left out"}, {Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultURNs, limits.MaxPageCount)}},
			Example:    call.Example{Body: `{"entity":"dataset","start":0,"count":10}`},
			Handle:     h.listURNs,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "exists", Tag: "Read", Reads: true,
			Summary:    "Whether an entity exists; a soft-deleted one does.",
			Parameters: []call.Parameter{{Name: "urn", Kind: "string", Help: "the entity", Required: true}},
			Example:    call.Example{Body: `{"urn":"` + call.ExampleTable + `"}`},
			Handle:     h.exists,
		},
		{
			Method: http.MethodGet, Path: "/entitiesV2", Tail: true, Tag: "Read", Versioned: true,
			Summary: "An entity with its latest aspects in envelopes.", Parameters: []call.Parameter{call.AspectsParameter},
			Example: call.Example{Tail: call.ExampleTableEncoded, Query: "aspects=List(ownership)"},
			Handle:  h.entity,
		},
		{
			Method: http.MethodGet, Path: "/labels", Tail: true, Tag: "Read",
			Summary: "The tags, terms and owners of an entity, each with who or what stated it, since when and how sure.",
			Example: call.Example{Tail: call.ExampleTableEncoded},
			Handle:  h.labels,
		},
		{
			Method: http.MethodGet, Path: "/quality", Tail: true, Tag: "Read",
			Summary:    "Whether the data of an entity or column is fresh and its checks pass: the last change and profile, the assertions with their last results, open incidents. Of an assertion, its last results.",
			Parameters: []call.Parameter{call.MomentParameter},
			Example:    call.Example{Tail: call.ExampleTableEncoded, Query: "asOf=2026-10-10"},
			Handle:     h.quality,
		},
		{
			Method: http.MethodGet, Path: "/entitiesV2", IDs: true, Tag: "Read", Versioned: true,
			Summary: "Several entities with their latest aspects.", Parameters: []call.Parameter{idsParameter, call.AspectsParameter},
			Example: call.Example{Query: "ids=List(" + call.ExampleTableEncoded + ")&aspects=List(ownership)"},
			Handle:  h.entities,
		},
		{
			Method: http.MethodGet, Path: "/entitiesVersionedV2", IDs: true, Tag: "Read",
			Summary: "Several entities with the versions of aspects that version stamps of the timeline name.",
			Parameters: []call.Parameter{
				{Name: "ids", Kind: "list", Help: "List((urn:<URN>,versionStamp:<stamp>),…), URN and stamp percent-encoded; a stamp is <aspect>:<version>;…, and empty for the latest versions", Required: true},
				{Name: "entityType", Kind: "string", Help: "the type of the entities", Required: true},
				call.AspectsParameter,
			},
			Example: call.Example{Query: "ids=List((urn:" + call.ExampleTableEncoded + ",versionStamp:ownership%3A0))&entityType=dataset"},
			Handle:  h.versionedEntities,
		},
	}
}

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
				{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultRelationships, limits.MaxPageCount)},
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
				{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultOpenAPIRelationships, limits.MaxPageCount) + "; the answer's count is the number returned"},
			}, common...),
			Example: call.Example{Query: "direction=OUTGOING&urn=" + call.ExampleTableEncoded + "&relationshipTypes=OwnedBy"},
			Handle:  h.openAPIRelationships,
		},
	}
}

// Parameters that several reads of entities share.
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
