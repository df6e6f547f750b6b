package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

// These parameters are shared by searches.
var (
	inputParameter  = parameter{"input", "string", "words, <field>:<value>, a URN, or * for everything", false}
	filterParameter = parameter{"filter", "object", "{or:[{and:[{field, value, values, condition, negated}]}]}", false}
	sortParameter   = parameter{"sort", "object", "{field, order}: order is ASCENDING or DESCENDING", false}
	startParameter  = parameter{"start", "integer", "0 when left out", false}
	facetsParameter = parameter{"facets", "array", "the fields to count; those of the model when left out, none when empty", false}
	countParameter  = parameter{"count", "integer", limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxPageCount), false}
	entityParameter = parameter{"entity", "string", "the entity type", true}
	typesParameter  = parameter{"entities", "array", "entity types; all when left out", false}
)

func (h searchHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "search", tag: "Search", reads: true,
			summary:    "Entities of a type by words and filters, with facets.",
			parameters: []parameter{inputParameter, entityParameter, startParameter, countParameter, filterParameter, sortParameter, facetsParameter},
			example:    example{body: `{"input":"orders","entity":"dataset","start":0,"count":10,"filter":{"or":[{"and":[{"field":"origin","value":"PROD","condition":"EQUAL"}]}]}}`},
			handle:     h.search,
		},
		{
			method: http.MethodPost, path: "/entities", action: "searchAcrossEntities", tag: "Search", reads: true,
			summary:    "Entities of several types by words and filters, with facets.",
			parameters: []parameter{inputParameter, typesParameter, startParameter, countParameter, filterParameter, sortParameter, facetsParameter},
			example:    example{body: `{"input":"*","entities":["dataset","corpuser"],"start":0,"count":10}`},
			handle:     h.searchAcross,
		},
		{
			method: http.MethodPost, path: "/entities", action: "scrollAcrossEntities", tag: "Search", reads: true,
			summary: "All entities that a search finds, page by page: each answer has the scrollId to continue with.",
			parameters: []parameter{
				inputParameter, typesParameter, countParameter, filterParameter, sortParameter, facetsParameter,
				{"scrollId", "string", "from the answer before", false},
			},
			example: example{body: `{"input":"*","count":100}`},
			handle:  h.scrollAcross,
		},
		{
			method: http.MethodPost, path: "/entities", action: "filter", tag: "Search", reads: true,
			summary:    "Entities of a type by filters, with facets.",
			parameters: []parameter{entityParameter, filterParameter, startParameter, countParameter, sortParameter, facetsParameter},
			example:    example{body: `{"entity":"dataset","filter":{"or":[{"and":[{"field":"platform","value":"urn:li:dataPlatform:hive","condition":"EQUAL"}]}]},"start":0,"count":10}`},
			handle:     h.search,
		},
		{
			method: http.MethodPost, path: "/entities", action: "list", tag: "Search", reads: true,
			summary:    "The URNs of entities of a type that are not soft-deleted, by filters.",
			parameters: []parameter{entityParameter, filterParameter, startParameter, countParameter, sortParameter},
			example:    example{body: `{"entity":"dataset","start":0,"count":10}`},
			handle:     h.listEntities,
		},
	}
}

func (h countHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "getTotalEntityCount", tag: "Search", reads: true,
			summary:    "How many entities of a type there are, without soft-deleted ones.",
			parameters: []parameter{entityParameter},
			example:    example{body: `{"entity":"dataset"}`},
			handle:     h.countEntities,
		},
		{
			method: http.MethodPost, path: "/entities", action: "batchGetTotalEntityCount", tag: "Search", reads: true,
			summary:    "How many entities of each of some types there are.",
			parameters: []parameter{typesParameter},
			example:    example{body: `{"entities":["dataset","chart"]}`},
			handle:     h.countEntitiesOf,
		},
	}
}

func (h autocompleteHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "autocomplete", tag: "Search", reads: true,
			summary: "Names that begin with what was typed.",
			parameters: []parameter{
				{"query", "string", "what was typed so far", true},
				entityParameter,
				{"limit", "integer", limits.LeftOut(limits.DefaultSearchPage), false},
				{"start", "integer", "accepted and ignored", false},
				{"field", "string", "complete only this field", false},
				filterParameter,
			},
			example: example{body: `{"query":"ord","entity":"dataset","limit":10,"start":0}`},
			handle:  h.autocomplete,
		},
	}
}

// nameParameters are shared by requests about names.
var nameParameters = []parameter{
	{"part", "string", "entity, column, or either, the default", false},
	{"types", "list", "the entity types that it may be; all that people search for when left out", false},
	{"includeRemoved", "boolean", "it may be soft-deleted too", false},
}

func (h nameHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/resolve", tag: "Search",
			summary: "The entity or column that a name stands for. If several have the name, or none, the error contains candidates, each with a handle: a name that stands for it alone.",
			parameters: append([]parameter{
				{"name", "string", "orders, marts.orders, orders.net_revenue, snowflake:orders, tag:PII, or a URN", true},
			}, nameParameters...),
			example: example{query: "name=" + exampleTableEncoded},
			handle:  h.resolve,
		},
		{
			method: http.MethodGet, path: "/complete", tag: "Search",
			summary: "The ways to continue a name that is being typed, in the order of their texts. After those that are open, more has to follow.",
			parameters: append([]parameter{
				{"text", "string", "what was typed", false},
			}, nameParameters...),
			example: example{query: "text=urn:li:da"},
			handle:  h.complete,
		},
	}
}
