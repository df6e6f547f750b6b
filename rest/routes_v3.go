package rest

import (
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
)

// v3Path begins the paths of entities of any type.
const v3Path = "/openapi/v3/entity"

// The forms of what follows it.
const (
	belowType   = "/{entityType}"
	belowEntity = "/{entityType}/{urn}"
	belowAspect = "/{entityType}/{urn}/{aspect}"
)

// These parameters are shared by the operations on entities of any type.
var (
	asyncParameter  = parameter{"async", "boolean", "answer with 202 and the header traceparent, by which the write can be asked about; it is durable in any case. True when left out for lists, false for one aspect. With async=true, a condition that does not hold is told when the write is asked about, and not in the answer", false}
	stampsParameter = parameter{"systemMetadata", "boolean", "each aspect also has systemMetadata and auditStamp", false}
	namesParameters = []parameter{
		{"aspects", "list", "only these aspects; the parameter repeated, or A,B", false},
		{"aspectNames", "list", "the same under its other name", false},
	}
	keepParameter    = parameter{"pitKeepAlive", "string", "accepted; a scroll does not expire", false}
	deletedParameter = parameter{"includeSoftDelete", "boolean", "soft-deleted entities count too", false}
	scrollParameter  = parameter{"scrollId", "string", "from the page before, with the same question", false}
	sliceParameters  = []parameter{
		{"sliceId", "integer", "for parallel scrolls; the first slice, 0, has everything", false},
		{"sliceMax", "integer", "how many slices there are", false},
	}
)

// The schemas of bodies.
var (
	aspectSchema = object{
		"type": "object", "required": []string{"value"},
		"properties": object{
			"value":          object{"type": "object", "description": "the aspect, with unions and enums as in Rest.li"},
			"systemMetadata": object{"type": []string{"object", "null"}, "description": "lastObserved, runId, properties"},
			"headers":        object{"type": "object", "description": "If-Version-Match, If-Modified-Since, If-Unmodified-Since, If-None-Match, and X-DataHub-Sync-Index-Update to wait for the search index"},
		},
	}
	patchSchema = object{
		"type": []string{"object", "array"}, "description": "a JSON patch, or an object with it",
		"properties": object{"patch": object{"type": "array"}, "arrayPrimaryKeys": object{"type": "object"}, "forceGenericPatch": object{"type": "boolean"}},
	}
	entitySchema = object{
		"type": "object", "required": []string{"urn"}, "additionalProperties": aspectSchema,
		"properties": object{"urn": object{"type": "string", "maxLength": limits.MaxURNBytes}},
	}
	entitiesSchema = object{"type": "array", "items": entitySchema, "maxItems": limits.MaxWholeBatch}
	genericSchema  = object{"type": "object", "description": "lists of entities by entity type", "additionalProperties": entitiesSchema}
	askedSchema    = object{
		"type": "array", "maxItems": limits.MaxIDs, "description": "entities with the aspects to read, all when none is named",
		"items": object{
			"type": "object", "required": []string{"urn"}, "properties": object{"urn": object{"type": "string"}},
			"additionalProperties": object{"type": "object", "properties": object{"headers": object{"type": "object", "description": "If-Version-Match: the version, 0 for the latest"}}},
		},
	}
	filterSchema = object{"type": "object", "description": "{and:[{criteria:[{field, values, condition, negated}]}]}: any of the outer list, all criteria of one"}
)

func (h v3WriteHandlers) endpoints() []endpoint {
	writes := []parameter{asyncParameter, stampsParameter}
	const properties = `{"urn":"` + exampleTable + `","datasetProperties":{"value":{"description":"One message per order"}}}`
	return []endpoint{
		{
			method: http.MethodPost, path: v3Path, below: "/generic", tag: "Entities",
			summary:    "Write aspects of entities of several types, all of them or none.",
			parameters: writes, content: genericSchema, status: http.StatusAccepted,
			example: example{tail: "generic", body: `{"dataset":[` + properties + `],"tag":[{"urn":"urn:li:tag:Example","tagProperties":{"value":{"name":"Example"}}}]}`},
			handle:  h.generic(write.Upsert),
		},
		{
			method: http.MethodPatch, path: v3Path, below: "/generic", tag: "Entities",
			summary:    "Patch aspects of entities of several types, all of them or none. Each value is a patch.",
			parameters: writes, content: genericSchema, status: http.StatusAccepted,
			example: example{tail: "generic", body: `{"dataset":[{"urn":"` + exampleTable + `","datasetProperties":{"value":{"patch":[{"op":"add","path":"/customProperties/tier","value":"gold"}]}}}]}`},
			handle:  h.generic(write.Patch),
		},
		{
			method: http.MethodPost, path: v3Path, below: belowType, tag: "Entities",
			summary:    "Write aspects of entities of a type, all of them or none. Errors have another shape than those of the Rest.li interface: {error, message}.",
			parameters: writes, content: entitiesSchema, status: http.StatusAccepted,
			example: example{tail: "dataset", body: `[` + properties + `]`},
			handle:  h.entities(write.Upsert),
		},
		{
			method: http.MethodPatch, path: v3Path, below: belowType, tag: "Entities",
			summary:    "Patch aspects of entities of a type, all of them or none. Each value is a patch, and is also the value in the answer.",
			parameters: writes, content: entitiesSchema,
			example: example{tail: "dataset", query: "async=false", body: `[{"urn":"` + exampleTable + `","globalTags":{"value":{"patch":[{"op":"add","path":"/tags/urn:li:tag:Example","value":{"tag":"urn:li:tag:Example"}}]}}}]`},
			handle:  h.entities(write.Patch),
		},
		{
			method: http.MethodPost, path: v3Path, below: belowAspect, tag: "Entities",
			summary: "Write an aspect.",
			parameters: append([]parameter{
				{"createIfNotExists", "boolean", "refuse the write if the aspect exists; true when left out", false},
				{"createIfEntityNotExists", "boolean", "refuse the write if the entity exists", false},
			}, writes...), content: aspectSchema,
			example: example{tail: "dataset/" + exampleTableEncoded + "/status", query: "createIfNotExists=false", body: `{"value":{"removed":false}}`},
			handle:  h.writeAspect,
		},
		{
			method: http.MethodPatch, path: v3Path, below: belowAspect, tag: "Entities",
			summary: "Patch an aspect.", parameters: writes, content: patchSchema,
			example: example{tail: "dataset/" + exampleTableEncoded + "/datasetProperties", body: `[{"op":"add","path":"/customProperties/tier","value":"silver"}]`},
			handle:  h.patchAspect,
		},
	}
}

// deletions are the rows that come last, so that examples before find what they read.
func (h v3WriteHandlers) deletions() []endpoint {
	return []endpoint{
		{
			method: http.MethodDelete, path: v3Path, below: belowAspect, tag: "Entities",
			summary: "Delete an aspect. The answer has an empty body, also if there was nothing to delete.",
			example: example{tail: "tag/urn%3Ali%3Atag%3AExample/status"},
			handle:  h.deleteAspect,
		},
		{
			method: http.MethodDelete, path: v3Path, below: belowEntity, tag: "Entities",
			summary: "Delete an entity completely. The answer has an empty body, also if there was nothing to delete.",
			parameters: []parameter{
				{"aspects", "list", "delete only these aspects", false},
				{"clear", "boolean", "delete all aspects but the key", false},
			},
			example: example{tail: "tag/urn%3Ali%3Atag%3AGone"},
			handle:  h.deleteEntity,
		},
	}
}

func (h v3ReadHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: v3Path, below: "/{entityType}/batchGet", tag: "Entities", reads: true,
			summary:    "Several entities with the aspects asked for, also earlier versions. Absent entities and aspects are left out.",
			parameters: []parameter{stampsParameter}, content: askedSchema,
			example: example{tail: "dataset/batchGet", query: "systemMetadata=true", body: `[{"urn":"` + exampleTable + `","ownership":{},"datasetProperties":{"headers":{"If-Version-Match":"0"}}}]`},
			handle:  h.batchGet,
		},
		{
			method: http.MethodGet, path: v3Path, below: belowEntity, tag: "Entities",
			summary:    "An entity with what is stored of it, also if it is soft-deleted.",
			parameters: append(slices.Clone(namesParameters), stampsParameter),
			example:    example{tail: "dataset/" + exampleTableEncoded, query: "aspects=ownership"},
			handle:     h.entity,
		},
		{
			method: http.MethodHead, path: v3Path, below: belowEntity, tag: "Entities",
			summary:    "Whether an entity exists: 204 or 404.",
			parameters: []parameter{deletedParameter}, status: http.StatusNoContent,
			example: example{tail: "dataset/" + exampleTableEncoded},
			handle:  h.entityExists,
		},
		{
			method: http.MethodGet, path: v3Path, below: belowAspect, tag: "Entities",
			summary: "A version of an aspect; of a time series the newest value.",
			parameters: []parameter{
				{"version", "integer", "0, the latest, when left out; archived versions count from 1, the oldest", false}, stampsParameter,
			},
			example: example{tail: "dataset/" + exampleTableEncoded + "/ownership"},
			handle:  h.aspect,
		},
		{
			method: http.MethodHead, path: v3Path, below: belowAspect, tag: "Entities",
			summary:    "Whether an entity has an aspect: 204 or 404.",
			parameters: []parameter{deletedParameter}, status: http.StatusNoContent,
			example: example{tail: "dataset/" + exampleTableEncoded + "/ownership"},
			handle:  h.aspectExists,
		},
		{
			method: http.MethodPost, path: "/openapi/v2/entity/batch", below: belowType, tag: "Entities", reads: true,
			summary: "Several entities with the aspects asked for, in the previous form.",
			content: object{"type": "object", "required": []string{"urns"}, "properties": object{
				"urns":               object{"type": "array", "items": object{"type": "string"}, "maxItems": limits.MaxIDs},
				"aspectNames":        object{"type": "array", "items": object{"type": "string"}, "maxItems": limits.MaxListItems},
				"withSystemMetadata": object{"type": "boolean"},
			}},
			example: example{tail: "dataset", body: `{"urns":["` + exampleTable + `"],"aspectNames":["ownership"],"withSystemMetadata":false}`},
			handle:  h.v2Batch,
		},
	}
}

func (h v3ScrollHandlers) endpoints() []endpoint {
	common := append([]parameter{
		{"query", "string", "words, <field>:<value>, a URN, or * for everything, the default; with operators, several fields or phrases, a structured query, also without /q", false},
		{"count", "integer", limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxEntityPage) + " with aspects", false},
		{"sort", "string", "the field to sort by, urn when left out", false},
		scrollParameter, deletedParameter, stampsParameter,
		{"skipCache", "boolean", "accepted; nothing is cached", false},
		keepParameter,
	}, sliceParameters...)
	const page = `count=100&aspects=ownership`
	list := slices.Concat(namesParameters, []parameter{
		{"sortCriteria", "string", "the field to sort by, urn when left out", false},
		{"sortOrder", "string", "ASCENDING, the default, or DESCENDING", false},
	}, common)
	return []endpoint{
		{
			method: http.MethodPost, path: v3Path, below: "/scroll", tag: "Search", reads: true,
			summary: "All entities that a search finds, page by page, with the aspects asked for.",
			parameters: append(slices.Clone(common),
				parameter{"skipAggregation", "boolean", "accepted; nothing is counted by facets", false},
				parameter{"scrollIdPerEntity", "boolean", "accepted; only the page has a scrollId", false},
			),
			content: object{"type": "object", "properties": object{
				"entities": object{"type": "array", "items": object{"type": "string"}, "maxItems": limits.MaxListItems, "description": "entity types; all when left out"},
				"aspects":  object{"type": "array", "items": object{"type": "string"}, "maxItems": limits.MaxListItems, "description": "only URNs when left out, all aspects when empty"},
				"filter":   filterSchema, "sortCriteria": object{"type": "array", "description": "[{field, order}]: one field, and then possibly urn"},
			}},
			example: example{tail: "scroll", query: "count=100", body: `{"entities":["dataset"],"aspects":["ownership"],"filter":{"and":[{"criteria":[{"field":"platform","values":["urn:li:dataPlatform:kafka"],"condition":"EQUAL"}]}]}}`},
			handle:  h.across,
		},
		{
			method: http.MethodGet, path: v3Path, below: belowType, tag: "Search",
			summary:    "All entities of a type that a search finds, page by page, with all aspects or those asked for.",
			parameters: list,
			example:    example{tail: "dataset", query: page},
			handle:     h.list(v3Form),
		},
		{
			method: http.MethodGet, path: "/openapi/v2/entity", below: belowType, tag: "Search",
			summary:    "The same in the previous form: the members of an entity are urn and aspects, and the last page has no scrollId.",
			parameters: list,
			example:    example{tail: "dataset", query: page},
			handle:     h.list(v2Form),
		},
	}
}

func (h seriesScrollHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/openapi/v2/timeseries", below: "/{entityType}/{aspect}", tag: "Usage",
		summary: "The values of a time series of all entities of a type, page by page, the newest first. A page may be short before the last one; there is no scrollId at the end.",
		parameters: []parameter{
			{"count", "integer", limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxEntityPage), false},
			scrollParameter,
			{"startTimeMillis", "integer", "earliest timestampMillis, included", false},
			{"endTimeMillis", "integer", "latest timestampMillis, included", false},
			{"systemMetadata", "boolean", "each value also has systemMetadata", false},
		},
		example: example{tail: "dataset/datasetUsageStatistics", query: "count=100"},
		handle:  h.values,
	}}
}

func (h v3EdgeHandlers) endpoints() []endpoint {
	types := parameter{"relationshipTypes", "list", "relationship names, the parameter repeated; all when left out", false}
	common := append([]parameter{{"count", "integer", limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxPageCount), false}, scrollParameter, deletedParameter, keepParameter}, sliceParameters...)
	return []endpoint{
		{
			method: http.MethodPost, path: "/openapi/v3/relationship/scroll", tag: "Relationships", reads: true,
			summary: "The edges of the graph, page by page. A page may be short, or empty, before the last one; scrollId is null at the end.",
			parameters: append([]parameter{
				types,
				{"sourceTypes", "list", "entity types of sources, the parameter repeated", false},
				{"destinationTypes", "list", "entity types of destinations, the parameter repeated", false},
				{"direction", "string", "OUTGOING, the default; with INCOMING sources and destinations change places in what is asked for", false},
			}, common...),
			content: object{"type": "object", "properties": object{"sourceFilter": filterSchema, "destinationFilter": filterSchema, "edgeFilter": filterSchema}},
			example: example{query: "relationshipTypes=OwnedBy&count=100", body: `{"sourceFilter":{"and":[{"criteria":[{"field":"urn","values":["` + exampleTable + `"],"condition":"EQUAL"}]}]}}`},
			handle:  h.relationships,
		},
		{
			method: http.MethodPost, path: "/openapi/v3/lineage/scroll", tag: "Lineage", reads: true,
			summary:    "The edges of lineage of some entities, or of the graph, page by page, with the upstream and the downstream end of each.",
			parameters: append([]parameter{types, {"direction", "string", "UPSTREAM or DOWNSTREAM of the urns; both when left out", false}}, common...),
			content:    object{"type": "object", "properties": object{"urns": object{"type": "array", "items": object{"type": "string"}, "maxItems": limits.MaxIDs}}},
			example:    example{query: "direction=UPSTREAM", body: `{"urns":["` + exampleTable + `"]}`},
			handle:     h.lineage,
		},
	}
}

func (h traceHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodPost, path: "/openapi/v1/trace/write", below: "/{traceId}", tag: "Entities", reads: true,
		summary: "What became of the aspects of a write that was answered with 202: whether the store and the search index have it.",
		parameters: []parameter{
			{"onlyIncludeErrors", "boolean", "only aspects that were not written", false},
			{"detailed", "boolean", "accepted; answers are always detailed", false},
			{"skipCache", "boolean", "accepted; nothing is cached", false},
		},
		content: object{"type": "object", "description": "lists of aspects by URN", "additionalProperties": object{"type": "array", "items": object{"type": "string"}}},
		example: example{tail: "000649a2b3c4d5e60000000000000000", query: "detailed=true", body: `{"` + exampleTable + `":["ownership"]}`},
		handle:  h.writes,
	}}
}

func (h modelHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/openapi/v1/registry/models/entity/specifications", tag: "Service",
		summary:    "The entity types of the model with their aspects.",
		parameters: []parameter{startParameter, {"count", "integer", limits.LeftOut(limits.DefaultEntityTypes), false}},
		example:    example{query: "start=0&count=5"},
		handle:     h.entityTypes,
	}}
}

func (h lagHandlers) endpoints() []endpoint {
	return []endpoint{{
		method: http.MethodGet, path: "/openapi/operations/messaging", below: "/{log}/consumer/lag", tag: "Service",
		summary: "How far the search index is behind the change log (mcl). Nothing reads the logs mcp and mcl-timeseries: writes are applied at once.",
		parameters: []parameter{
			{"skipCache", "boolean", "accepted; nothing is cached", false}, {"detailed", "boolean", "accepted; answers are always detailed", false},
		},
		example: example{tail: "mcl/consumer/lag"},
		handle:  h.lag,
	}}
}
