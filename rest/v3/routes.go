// Package v3 has the calls about entities of any type: the calls below /openapi/v3, and their
// previous forms below /openapi/v2.
package v3

import (
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// Entities returns the endpoints that write and read entities by their URNs.
func Entities(rules *services.Services) []call.Endpoint {
	return slices.Concat(
		writeHandlers{rules}.endpoints(),
		readHandlers{rules}.endpoints(),
	)
}

// Edges returns the endpoints that list all edges.
func Edges(rules *services.Services) []call.Endpoint {
	return edgeHandlers{rules}.endpoints()
}

// Scrolls returns the endpoints that list all entities, or all values of a time series.
func Scrolls(rules *services.Services) []call.Endpoint {
	return slices.Concat(
		scrollHandlers{rules}.endpoints(),
		seriesScrollHandlers{rules}.endpoints(),
	)
}

// Deletions returns the endpoints that delete entities and aspects.
func Deletions(rules *services.Services) []call.Endpoint {
	return writeHandlers{rules}.deletions()
}

// entityPath is the beginning of the paths of entities of any type.
const entityPath = "/openapi/v3/entity"

// The patterns of the parts after entityPath.
const (
	belowType   = "/{entityType}"
	belowEntity = "/{entityType}/{urn}"
	belowAspect = "/{entityType}/{urn}/{aspect}"
)

// Parameters that the operations on entities of any type share.
var (
	asyncParameter  = call.Parameter{Name: "async", Kind: "boolean", Help: "answer with 202 and the header traceparent, by which the write can be asked about; it is durable in any case. True when left out for lists, false for one aspect. With async=true, a condition that does not hold is told when the write is asked about, and not in the answer"}
	stampsParameter = call.Parameter{Name: "systemMetadata", Kind: "boolean", Help: "each aspect also has systemMetadata and auditStamp"}
	namesParameters = []call.Parameter{
		{Name: "aspects", Kind: "list", Help: "only these aspects; the parameter repeated, or A,B"},
		{Name: "aspectNames", Kind: "list", Help: "the same under its other name"},
	}
	keepParameter    = call.Parameter{Name: "pitKeepAlive", Kind: "string", Help: "accepted; a scroll does not expire"}
	deletedParameter = call.Parameter{Name: "includeSoftDelete", Kind: "boolean", Help: "soft-deleted entities count too"}
	scrollParameter  = call.Parameter{Name: "scrollId", Kind: "string", Help: "from the page before, with the same question"}
	sliceParameters  = []call.Parameter{
		{Name: "sliceId", Kind: "integer", Help: "for parallel scrolls; the first slice, 0, has everything"},
		{Name: "sliceMax", Kind: "integer", Help: "how many slices there are"},
	}
)

// Schemas of request bodies.
var (
	aspectSchema = call.Object{
		"type": "object", "required": []string{"value"},
		"properties": call.Object{
			"value":          call.Object{"type": "object", "description": "the aspect, with unions and enums as in Rest.li"},
			"systemMetadata": call.Object{"type": []string{"object", "null"}, "description": "lastObserved, runId, properties"},
			"headers":        call.Object{"type": "object", "description": "If-Version-Match, If-Modified-Since, If-Unmodified-Since, If-None-Match, and X-DataHub-Sync-Index-Update to wait for the search index"},
		},
	}
	patchSchema = call.Object{
		"type": []string{"object", "array"}, "description": "a JSON patch, or an object with it",
		"properties": call.Object{"patch": call.Object{"type": "array"}, "arrayPrimaryKeys": call.Object{"type": "object"}, "forceGenericPatch": call.Object{"type": "boolean"}},
	}
	entitySchema = call.Object{
		"type": "object", "required": []string{"urn"}, "additionalProperties": aspectSchema,
		"properties": call.Object{"urn": call.Object{"type": "string", "maxLength": limits.MaxURNBytes}},
	}
	entitiesSchema = call.Object{"type": "array", "items": entitySchema, "maxItems": limits.MaxWholeBatch}
	genericSchema  = call.Object{"type": "object", "description": "lists of entities by entity type", "additionalProperties": entitiesSchema}
	askedSchema    = call.Object{
		"type": "array", "maxItems": limits.MaxIDs, "description": "entities with the aspects to read, all when none is named",
		"items": call.Object{
			"type": "object", "required": []string{"urn"}, "properties": call.Object{"urn": call.Object{"type": "string"}},
			"additionalProperties": call.Object{"type": "object", "properties": call.Object{"headers": call.Object{"type": "object", "description": "If-Version-Match: the version, 0 for the latest"}}},
		},
	}
	filterSchema = call.Object{"type": "object", "description": "{and:[{criteria:[{field, values, condition, negated}]}]}: any of the outer list, all criteria of one"}
)

func (h writeHandlers) endpoints() []call.Endpoint {
	writes := []call.Parameter{asyncParameter, stampsParameter}
	const properties = `{"urn":"` + call.ExampleTable + `","datasetProperties":{"value":{"description":"One message per order"}}}`
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: entityPath, Below: "/generic", Tag: "Entities",
			Summary:    "Write aspects of entities of several types, all of them or none.",
			Parameters: writes, Content: genericSchema, Status: http.StatusAccepted,
			Example: call.Example{Tail: "generic", Body: `{"dataset":[` + properties + `],"tag":[{"urn":"urn:li:tag:Example","tagProperties":{"value":{"name":"Example"}}}]}`},
			Handle:  h.generic(write.Upsert),
		},
		{
			Method: http.MethodPatch, Path: entityPath, Below: "/generic", Tag: "Entities",
			Summary:    "Patch aspects of entities of several types, all of them or none. Each value is a patch.",
			Parameters: writes, Content: genericSchema, Status: http.StatusAccepted,
			Example: call.Example{Tail: "generic", Body: `{"dataset":[{"urn":"` + call.ExampleTable + `","datasetProperties":{"value":{"patch":[{"op":"add","path":"/customProperties/tier","value":"gold"}]}}}]}`},
			Handle:  h.generic(write.Patch),
		},
		{
			Method: http.MethodPost, Path: entityPath, Below: belowType, Tag: "Entities",
			Summary:    "Write aspects of entities of a type, all of them or none. Errors have another shape than those of the Rest.li interface: {error, message}.",
			Parameters: writes, Content: entitiesSchema, Status: http.StatusAccepted,
			Example: call.Example{Tail: "dataset", Body: `[` + properties + `]`},
			Handle:  h.entities(write.Upsert),
		},
		{
			Method: http.MethodPatch, Path: entityPath, Below: belowType, Tag: "Entities",
			Summary:    "Patch aspects of entities of a type, all of them or none. Each value is a patch, and is also the value in the answer.",
			Parameters: writes, Content: entitiesSchema,
			Example: call.Example{Tail: "dataset", Query: "async=false", Body: `[{"urn":"` + call.ExampleTable + `","globalTags":{"value":{"patch":[{"op":"add","path":"/tags/urn:li:tag:Example","value":{"tag":"urn:li:tag:Example"}}]}}}]`},
			Handle:  h.entities(write.Patch),
		},
		{
			Method: http.MethodPost, Path: entityPath, Below: belowAspect, Tag: "Entities",
			Summary: "Write an aspect.",
			Parameters: append([]call.Parameter{
				{Name: "createIfNotExists", Kind: "boolean", Help: "refuse the write if the aspect exists; true when left out"},
				{Name: "createIfEntityNotExists", Kind: "boolean", Help: "refuse the write if the entity exists"},
			}, writes...), Content: aspectSchema,
			Example: call.Example{Tail: "dataset/" + call.ExampleTableEncoded + "/status", Query: "createIfNotExists=false", Body: `{"value":{"removed":false}}`},
			Handle:  h.writeAspect,
		},
		{
			Method: http.MethodPatch, Path: entityPath, Below: belowAspect, Tag: "Entities",
			Summary: "Patch an aspect.", Parameters: writes, Content: patchSchema,
			Example: call.Example{Tail: "dataset/" + call.ExampleTableEncoded + "/datasetProperties", Body: `[{"op":"add","path":"/customProperties/tier","value":"silver"}]`},
			Handle:  h.patchAspect,
		},
	}
}

// deletions returns the rows that must come last in the table, because the examples before
// them need the entities.
func (h writeHandlers) deletions() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodDelete, Path: entityPath, Below: belowAspect, Tag: "Entities",
			Summary: "Delete an aspect. The answer has an empty body, also if there was nothing to delete.",
			Example: call.Example{Tail: "tag/urn%3Ali%3Atag%3AExample/status"},
			Handle:  h.deleteAspect,
		},
		{
			Method: http.MethodDelete, Path: entityPath, Below: belowEntity, Tag: "Entities",
			Summary: "Delete an entity completely. The answer has an empty body, also if there was nothing to delete.",
			Parameters: []call.Parameter{
				{Name: "aspects", Kind: "list", Help: "delete only these aspects"},
				{Name: "clear", Kind: "boolean", Help: "delete all aspects but the key"},
			},
			Example: call.Example{Tail: "tag/urn%3Ali%3Atag%3AGone"},
			Handle:  h.deleteEntity,
		},
	}
}

func (h readHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: entityPath, Below: "/{entityType}/batchGet", Tag: "Entities", Reads: true,
			Summary:    "Several entities with the aspects asked for, also earlier versions. Absent entities and aspects are left out.",
			Parameters: []call.Parameter{stampsParameter}, Content: askedSchema,
			Example: call.Example{Tail: "dataset/batchGet", Query: "systemMetadata=true", Body: `[{"urn":"` + call.ExampleTable + `","ownership":{},"datasetProperties":{"headers":{"If-Version-Match":"0"}}}]`},
			Handle:  h.batchGet,
		},
		{
			Method: http.MethodGet, Path: entityPath, Below: belowEntity, Tag: "Entities",
			Summary:    "An entity with what is stored of it, also if it is soft-deleted.",
			Parameters: append(slices.Clone(namesParameters), stampsParameter),
			Example:    call.Example{Tail: "dataset/" + call.ExampleTableEncoded, Query: "aspects=ownership"},
			Handle:     h.entity,
		},
		{
			Method: http.MethodHead, Path: entityPath, Below: belowEntity, Tag: "Entities",
			Summary:    "Whether an entity exists: 204 or 404.",
			Parameters: []call.Parameter{deletedParameter}, Status: http.StatusNoContent,
			Example: call.Example{Tail: "dataset/" + call.ExampleTableEncoded},
			Handle:  h.entityExists,
		},
		{
			Method: http.MethodGet, Path: entityPath, Below: belowAspect, Tag: "Entities",
			Summary: "A version of an aspect; of a time series the newest value.",
			Parameters: []call.Parameter{
				{Name: "version", Kind: "integer", Help: "0, the latest, when left out; archived versions count from 1, the oldest"}, stampsParameter,
			},
			Example: call.Example{Tail: "dataset/" + call.ExampleTableEncoded + "/ownership"},
			Handle:  h.aspect,
		},
		{
			Method: http.MethodHead, Path: entityPath, Below: belowAspect, Tag: "Entities",
			Summary:    "Whether an entity has an aspect: 204 or 404.",
			Parameters: []call.Parameter{deletedParameter}, Status: http.StatusNoContent,
			Example: call.Example{Tail: "dataset/" + call.ExampleTableEncoded + "/ownership"},
			Handle:  h.aspectExists,
		},
		{
			Method: http.MethodPost, Path: "/openapi/v2/entity/batch", Below: belowType, Tag: "Entities", Reads: true,
			Summary: "Several entities with the aspects asked for, in the previous form.",
			Content: call.Object{"type": "object", "required": []string{"urns"}, "properties": call.Object{
				"urns":               call.Object{"type": "array", "items": call.Object{"type": "string"}, "maxItems": limits.MaxIDs},
				"aspectNames":        call.Object{"type": "array", "items": call.Object{"type": "string"}, "maxItems": limits.MaxListItems},
				"withSystemMetadata": call.Object{"type": "boolean"},
			}},
			Example: call.Example{Tail: "dataset", Body: `{"urns":["` + call.ExampleTable + `"],"aspectNames":["ownership"],"withSystemMetadata":false}`},
			Handle:  h.v2Batch,
		},
	}
}

func (h scrollHandlers) endpoints() []call.Endpoint {
	common := append([]call.Parameter{
		{Name: "query", Kind: "string", Help: "words, <field>:<value>, a URN, or * for everything, the default; with operators, several fields or phrases, a structured query, also without /q"},
		{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxEntityPage) + " with aspects"},
		{Name: "sort", Kind: "string", Help: "the field to sort by, urn when left out"},
		scrollParameter, deletedParameter, stampsParameter,
		{Name: "skipCache", Kind: "boolean", Help: "accepted; nothing is cached"},
		keepParameter,
	}, sliceParameters...)
	const page = `count=100&aspects=ownership`
	list := slices.Concat(namesParameters, []call.Parameter{
		{Name: "sortCriteria", Kind: "string", Help: "the field to sort by, urn when left out"},
		{Name: "sortOrder", Kind: "string", Help: "ASCENDING, the default, or DESCENDING"},
	}, common)
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: entityPath, Below: "/scroll", Tag: "Search", Reads: true,
			Summary: "All entities that a search finds, page by page, with the aspects asked for.",
			Parameters: append(slices.Clone(common),
				call.Parameter{Name: "skipAggregation", Kind: "boolean", Help: "accepted; nothing is counted by facets"},
				call.Parameter{Name: "scrollIdPerEntity", Kind: "boolean", Help: "accepted; only the page has a scrollId"},
			),
			Content: call.Object{"type": "object", "properties": call.Object{
				"entities": call.Object{"type": "array", "items": call.Object{"type": "string"}, "maxItems": limits.MaxListItems, "description": "entity types; all when left out"},
				"aspects":  call.Object{"type": "array", "items": call.Object{"type": "string"}, "maxItems": limits.MaxListItems, "description": "only URNs when left out, all aspects when empty"},
				"filter":   filterSchema, "sortCriteria": call.Object{"type": "array", "description": "[{field, order}]: one field, and then possibly urn"},
			}},
			Example: call.Example{Tail: "scroll", Query: "count=100", Body: `{"entities":["dataset"],"aspects":["ownership"],"filter":{"and":[{"criteria":[{"field":"platform","values":["urn:li:dataPlatform:kafka"],"condition":"EQUAL"}]}]}}`},
			Handle:  h.across,
		},
		{
			Method: http.MethodGet, Path: entityPath, Below: belowType, Tag: "Search",
			Summary:    "All entities of a type that a search finds, page by page, with all aspects or those asked for.",
			Parameters: list,
			Example:    call.Example{Tail: "dataset", Query: page},
			Handle:     h.list(v3Form),
		},
		{
			Method: http.MethodGet, Path: "/openapi/v2/entity", Below: belowType, Tag: "Search",
			Summary:    "The same in the previous form: the members of an entity are urn and aspects, and the last page has no scrollId.",
			Parameters: list,
			Example:    call.Example{Tail: "dataset", Query: page},
			Handle:     h.list(v2Form),
		},
	}
}

func (h seriesScrollHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{{
		Method: http.MethodGet, Path: "/openapi/v2/timeseries", Below: "/{entityType}/{aspect}", Tag: "Usage",
		Summary: "The values of a time series of all entities of a type, page by page, the newest first. A page may be short before the last one; there is no scrollId at the end.",
		Parameters: []call.Parameter{
			{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxEntityPage)},
			scrollParameter,
			{Name: "startTimeMillis", Kind: "integer", Help: "earliest timestampMillis, included"},
			{Name: "endTimeMillis", Kind: "integer", Help: "latest timestampMillis, included"},
			{Name: "systemMetadata", Kind: "boolean", Help: "each value also has systemMetadata"},
		},
		Example: call.Example{Tail: "dataset/datasetUsageStatistics", Query: "count=100"},
		Handle:  h.values,
	}}
}

func (h edgeHandlers) endpoints() []call.Endpoint {
	types := call.Parameter{Name: "relationshipTypes", Kind: "list", Help: "relationship names, the parameter repeated; all when left out"}
	common := append([]call.Parameter{{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxPageCount)}, scrollParameter, deletedParameter, keepParameter}, sliceParameters...)
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/openapi/v3/relationship/scroll", Tag: "Relationships", Reads: true,
			Summary: "The edges of the graph, page by page. A page may be short, or empty, before the last one; scrollId is null at the end.",
			Parameters: append([]call.Parameter{
				types,
				{Name: "sourceTypes", Kind: "list", Help: "entity types of sources, the parameter repeated"},
				{Name: "destinationTypes", Kind: "list", Help: "entity types of destinations, the parameter repeated"},
				{Name: "direction", Kind: "string", Help: "OUTGOING, the default; with INCOMING sources and destinations change places in what is asked for"},
			}, common...),
			Content: call.Object{"type": "object", "properties": call.Object{"sourceFilter": filterSchema, "destinationFilter": filterSchema, "edgeFilter": filterSchema}},
			Example: call.Example{Query: "relationshipTypes=OwnedBy&count=100", Body: `{"sourceFilter":{"and":[{"criteria":[{"field":"urn","values":["` + call.ExampleTable + `"],"condition":"EQUAL"}]}]}}`},
			Handle:  h.relationships,
		},
		{
			Method: http.MethodPost, Path: "/openapi/v3/lineage/scroll", Tag: "Lineage", Reads: true,
			Summary:    "The edges of lineage of some entities, or of the graph, page by page, with the upstream and the downstream end of each.",
			Parameters: append([]call.Parameter{types, {Name: "direction", Kind: "string", Help: "UPSTREAM or DOWNSTREAM of the urns; both when left out"}}, common...),
			Content:    call.Object{"type": "object", "properties": call.Object{"urns": call.Object{"type": "array", "items": call.Object{"type": "string"}, "maxItems": limits.MaxIDs}}},
			Example:    call.Example{Query: "direction=UPSTREAM", Body: `{"urns":["` + call.ExampleTable + `"]}`},
			Handle:     h.lineage,
		},
	}
}
