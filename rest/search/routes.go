// Package search has the calls that find entities: searches, also in lineage, counts,
// completion, names and browse paths.
package search

import (
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// InLineage returns the endpoints that search in the lineage of an entity.
func InLineage(rules *services.Services) []call.Endpoint {
	return lineageSearchHandlers{rules}.endpoints()
}

// Entities returns the endpoints that search entities by words and filters.
func Entities(rules *services.Services) []call.Endpoint {
	return searchHandlers{rules}.endpoints()
}

// Names returns the endpoints that count, complete, resolve and browse.
func Names(rules *services.Services) []call.Endpoint {
	return slices.Concat(
		countHandlers{rules}.endpoints(),
		autocompleteHandlers{rules}.endpoints(),
		nameHandlers{rules}.endpoints(),
		browseHandlers{rules}.endpoints(),
	)
}

func (h browseHandlers) endpoints() []call.Endpoint {
	path := call.Parameter{Name: "path", Kind: "string", Help: "slash-delimited, \"\" for the root"}
	limit := call.Parameter{Name: "limit", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxPageCount)}
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "browse", Tag: "Browse", Reads: true,
			Summary:    "The groups below a browse path and the entities at it. Pages begin with the groups.",
			Parameters: []call.Parameter{path, entityParameter, call.StartParameter, limit, filterParameter},
			Example:    call.Example{Body: `{"path":"/prod/hive","entity":"dataset","start":0,"limit":10}`},
			Handle:     h.browse,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "browseV2", Tag: "Browse", Reads: true,
			Summary: "The groups below a browse path v2.",
			Parameters: []call.Parameter{
				{Name: "path", Kind: "string", Help: "steps, each begun by ␟; \"\" for the root"},
				entityParameter, call.StartParameter, limit, filterParameter,
				{Name: "input", Kind: "string", Help: "count only the entities that this search input finds"},
			},
			Example: call.Example{Body: `{"path":"","entity":"dataset","start":0,"limit":10}`},
			Handle:  h.browseV2,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "getBrowsePaths", Tag: "Browse", Reads: true,
			Summary:    "The browse paths of an entity.",
			Parameters: []call.Parameter{{Name: "urn", Kind: "string", Help: "the entity", Required: true}},
			Example:    call.Example{Body: `{"urn":"` + call.ExampleTable + `"}`},
			Handle:     h.browsePaths,
		},
	}
}

func (h lineageSearchHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "searchAcrossLineage", Tag: "Lineage", Reads: true,
			Summary:    "Search among the entities upstream or downstream of an entity. The filter may contain the field degree: 1, 2 or 3+.",
			Parameters: append(lineageSearchParameters(), call.StartParameter),
			Example:    call.Example{Body: `{"urn":"` + call.ExampleTable + `","direction":"DOWNSTREAM","input":"*","start":0,"count":10}`},
			Handle:     h.searchAcrossLineage,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "scrollAcrossLineage", Tag: "Lineage", Reads: true,
			Summary:    "Everything that such a search finds, page by page: each answer has the scrollId to continue with.",
			Parameters: append(lineageSearchParameters(), call.Parameter{Name: "scrollId", Kind: "string", Help: "from the answer before"}),
			Example:    call.Example{Body: `{"urn":"` + call.ExampleTable + `","direction":"DOWNSTREAM","input":"*","count":10}`},
			Handle:     h.scrollAcrossLineage,
		},
	}
}

func lineageSearchParameters() []call.Parameter {
	return []call.Parameter{
		{Name: "urn", Kind: "string", Help: "the entity, or a column for lineage between columns", Required: true},
		{Name: "direction", Kind: "string", Help: "UPSTREAM or DOWNSTREAM", Required: true},
		inputParameter, typesParameter,
		{Name: "maxHops", Kind: "integer", Help: "the greatest distance; unbounded when left out"},
		filterParameter, sortParameter,
		countParameter, facetsParameter,
		{Name: "startTimeMillis", Kind: "integer", Help: "only edges made or confirmed since"},
		{Name: "endTimeMillis", Kind: "integer", Help: "only edges made or confirmed until then"},
		{Name: "asOf", Kind: "integer", Help: "a past moment in epoch milliseconds"},
	}
}

// Parameters that several searches share.
var (
	inputParameter  = call.Parameter{Name: "input", Kind: "string", Help: "words, <field>:<value>, a URN, or * for everything"}
	filterParameter = call.Parameter{Name: "filter", Kind: "object", Help: "{or:[{and:[{field, value, values, condition, negated}]}]}"}
	sortParameter   = call.Parameter{Name: "sort", Kind: "object", Help: "{field, order}: order is ASCENDING or DESCENDING"}
	facetsParameter = call.Parameter{Name: "facets", Kind: "array", Help: "the fields to count; those of the model when left out, none when empty"}
	countParameter  = call.Parameter{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultSearchPage, limits.MaxPageCount)}
	entityParameter = call.Parameter{Name: "entity", Kind: "string", Help: "the entity type", Required: true}
	typesParameter  = call.Parameter{Name: "entities", Kind: "array", Help: "entity types; all when left out"}
	typedParameter  = call.Parameter{Name: "asTyped", Kind: "boolean", Help: "read the input as people type it: words for types and platforms count, entities with most of the words follow those with all; the answer then has typed, and hits have missing"}
)

func (h searchHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "search", Tag: "Search", Reads: true,
			Summary:    "Entities of a type by words and filters, with facets.",
			Parameters: []call.Parameter{inputParameter, entityParameter, call.StartParameter, countParameter, filterParameter, sortParameter, facetsParameter, typedParameter},
			Example:    call.Example{Body: `{"input":"orders","entity":"dataset","start":0,"count":10,"filter":{"or":[{"and":[{"field":"origin","value":"PROD","condition":"EQUAL"}]}]}}`},
			Handle:     h.search,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "searchAcrossEntities", Tag: "Search", Reads: true,
			Summary:    "Entities of several types by words and filters, with facets.",
			Parameters: []call.Parameter{inputParameter, typesParameter, call.StartParameter, countParameter, filterParameter, sortParameter, facetsParameter, typedParameter},
			Example:    call.Example{Body: `{"input":"*","entities":["dataset","corpuser"],"start":0,"count":10}`},
			Handle:     h.searchAcross,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "scrollAcrossEntities", Tag: "Search", Reads: true,
			Summary: "All entities that a search finds, page by page: each answer has the scrollId to continue with.",
			Parameters: []call.Parameter{
				inputParameter, typesParameter, countParameter, filterParameter, sortParameter, facetsParameter,
				{Name: "scrollId", Kind: "string", Help: "from the answer before"},
			},
			Example: call.Example{Body: `{"input":"*","count":100}`},
			Handle:  h.scrollAcross,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "filter", Tag: "Search", Reads: true,
			Summary:    "Entities of a type by filters, with facets.",
			Parameters: []call.Parameter{entityParameter, filterParameter, call.StartParameter, countParameter, sortParameter, facetsParameter},
			Example:    call.Example{Body: `{"entity":"dataset","filter":{"or":[{"and":[{"field":"platform","value":"urn:li:dataPlatform:hive","condition":"EQUAL"}]}]},"start":0,"count":10}`},
			Handle:     h.search,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "list", Tag: "Search", Reads: true,
			Summary:    "The URNs of entities of a type that are not soft-deleted, by filters.",
			Parameters: []call.Parameter{entityParameter, filterParameter, call.StartParameter, countParameter, sortParameter},
			Example:    call.Example{Body: `{"entity":"dataset","start":0,"count":10}`},
			Handle:     h.listEntities,
		},
	}
}

func (h countHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "getTotalEntityCount", Tag: "Search", Reads: true,
			Summary:    "How many entities of a type there are, without soft-deleted ones.",
			Parameters: []call.Parameter{entityParameter},
			Example:    call.Example{Body: `{"entity":"dataset"}`},
			Handle:     h.countEntities,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "batchGetTotalEntityCount", Tag: "Search", Reads: true,
			Summary:    "How many entities of each of some types there are.",
			Parameters: []call.Parameter{typesParameter},
			Example:    call.Example{Body: `{"entities":["dataset","chart"]}`},
			Handle:     h.countEntitiesOf,
		},
	}
}

func (h autocompleteHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "autocomplete", Tag: "Search", Reads: true,
			Summary: "Names that begin with what was typed.",
			Parameters: []call.Parameter{
				{Name: "query", Kind: "string", Help: "what was typed so far", Required: true},
				entityParameter,
				{Name: "limit", Kind: "integer", Help: limits.LeftOut(limits.DefaultSearchPage)},
				{Name: "start", Kind: "integer", Help: "accepted and ignored"},
				{Name: "field", Kind: "string", Help: "complete only this field"},
				filterParameter,
			},
			Example: call.Example{Body: `{"query":"ord","entity":"dataset","limit":10,"start":0}`},
			Handle:  h.autocomplete,
		},
	}
}

// nameParameters are shared by requests about names.
var nameParameters = []call.Parameter{
	{Name: "part", Kind: "string", Help: "entity, column, or either, the default"},
	{Name: "types", Kind: "list", Help: "the entity types that it may be; all that people search for when left out"},
	{Name: "includeRemoved", Kind: "boolean", Help: "it may be soft-deleted too"},
}

func (h nameHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/resolve", Tag: "Search",
			Summary: "The entity or column that a name stands for. If several have the name, or none, the error contains candidates, each with a handle: a name that stands for it alone.",
			Parameters: append([]call.Parameter{
				{Name: "name", Kind: "string", Help: "orders, marts.orders, orders.net_revenue, snowflake:orders, tag:PII, or a URN", Required: true},
			}, nameParameters...),
			Example: call.Example{Query: "name=" + call.ExampleTableEncoded},
			Handle:  h.resolve,
		},
		{
			Method: http.MethodGet, Path: "/complete", Tag: "Search",
			Summary: "The ways to continue a name that is being typed, in the order of their texts. After those that are open, more has to follow.",
			Parameters: append([]call.Parameter{
				{Name: "text", Kind: "string", Help: "what was typed"},
			}, nameParameters...),
			Example: call.Example{Query: "text=urn:li:da"},
			Handle:  h.complete,
		},
	}
}
