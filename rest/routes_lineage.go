package rest

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/internal/limits"
)

// These parameters are shared by lineage requests.
var (
	directionParameter = parameter{"direction", "string", "UPSTREAM, where data comes from, or DOWNSTREAM, where it goes", false}
	formParameter      = parameter{"form", "string", "whole, the default, or compact, which lists each URN and each edge once", false}
	walkParameters     = []parameter{
		{"hops", "integer", "the greatest distance; unbounded when left out", false},
		{"reach", "integer", "how many entities the walk reaches at most, the nearest: " + limits.LeftOutMost(limits.DefaultReach, limits.MaxReach), false},
	}
	momentParameter  = parameter{"asOf", "string", "a past moment: epoch milliseconds, 2026-10-21 or 2026-10-21T08:00:00Z; now when left out", false}
	columnsParameter = parameter{"columns", "boolean", "lineage between columns: of the column that the URN names, or of all columns of the entity", false}
	removedParameter = parameter{"removed", "string", "soft-deleted entities: pass walks through them without listing them, show lists them, stop does not walk beyond them; pass when left out, show with asOf", false}
	filterParameters = []parameter{
		{"types", "list", "entity types", false},
		{"platforms", "list", "platforms, as URNs or names", false},
		{"owners", "list", "owners, as URNs or names", false},
		{"tags", "list", "tags, as URNs or names", false},
		{"terms", "list", "glossary terms, as URNs or names", false},
		{"domains", "list", "domains, as URNs or names", false},
	}
)

func (h lineageHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/lineage", tail: true, tag: "Lineage",
			summary: "The entities upstream or downstream of an entity or a column (a schemaField), the nearest first.",
			parameters: slices.Concat([]parameter{directionParameter}, walkParameters, []parameter{
				columnsParameter, momentParameter, removedParameter,
				{"mergeSiblings", "boolean", "also continue from the siblings of what is reached, which is not a hop", false},
				{"startTimeMillis", "integer", "only edges created or updated at or after this moment, epoch milliseconds", false},
				{"endTimeMillis", "integer", "only edges made or confirmed until then", false},
				{"start", "integer", "0 when left out", false},
				{"count", "integer", limits.LeftOutMost(limits.DefaultRelationships, limits.MaxPageCount), false},
				{"paths", "integer", "how many shortest paths to show of each entity: " + limits.LeftOutMost(limits.DefaultPaths, limits.MaxPaths) + "; 0 shows none and costs least", false},
				{"edges", "boolean", "return the edges between the entities of the page", false},
				{"basis", "boolean", "say what the answer rests on: who stated what was walked, when it was last seen, which runs failed since; an empty answer always says so", false},
				formParameter,
			}, filterParameters),
			example: example{tail: exampleTableEncoded, query: "direction=DOWNSTREAM&hops=3"},
			handle:  h.lineage,
		},
		{
			method: http.MethodGet, path: "/lineage-diff", tail: true, tag: "Lineage",
			summary: "How the lineage of an entity or column changed between two moments: entities and edges added and ended, with run and actor.",
			parameters: slices.Concat([]parameter{
				{"before", "string", "the first moment: epoch milliseconds, a day or a time", true},
				{"after", "string", "the second moment; now when left out", false},
				directionParameter,
			}, walkParameters, []parameter{columnsParameter, {"removed", "string", "stop does not walk beyond soft-deleted entities", false}}),
			example: example{tail: exampleTableEncoded, query: "before=2026-01-01"},
			handle:  h.lineageDiff,
		},
		{
			method: http.MethodGet, path: "/impact", tail: true, tag: "Lineage",
			summary: "What depends on an entity, grouped by type, platform, owner and degree, with the owners to notify. For a column: what is affected for certain or possibly when it is dropped, renamed or retyped, and why.",
			parameters: slices.Concat([]parameter{
				{"column", "string", "the path of a column of the entity: its loss is examined", false},
				{"change", "string", "what happens to the column: drop, the default, rename or retype", false},
				{"only", "string", "certain lists only what is affected for certain", false},
				{"start", "integer", "the first entity that is listed; 0 when left out", false},
				{"count", "integer", fmt.Sprintf("how many entities are listed, at most %d; all when left out. Groups, reasons and owners count all", limits.MaxPageCount), false},
				{"format", "string", "json, the default, or csv", false},
				formParameter,
				{"direction", "string", "DOWNSTREAM when left out", false},
			}, walkParameters, []parameter{momentParameter, removedParameter}, filterParameters),
			example: example{tail: exampleTableEncoded},
			handle:  h.impact,
		},
		{
			method: http.MethodPost, path: "/relationships", action: "getLineage", tag: "Lineage", reads: true,
			summary: "Lineage in the form of the legacy interface.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"direction", "string", "UPSTREAM or DOWNSTREAM", true},
				startParameter,
				{"count", "integer", limits.LeftOutMost(limits.DefaultRelationships, limits.MaxPageCount), false},
				{"maxHops", "integer", "1 when left out", false},
			},
			example: example{body: `{"urn":"` + exampleTable + `","direction":"UPSTREAM","maxHops":3}`},
			handle:  h.getLineage,
		},
	}
}

func (h lineageSearchHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "searchAcrossLineage", tag: "Lineage", reads: true,
			summary:    "Search among the entities upstream or downstream of an entity. The filter may contain the field degree: 1, 2 or 3+.",
			parameters: append(lineageSearchParameters(), startParameter),
			example:    example{body: `{"urn":"` + exampleTable + `","direction":"DOWNSTREAM","input":"*","start":0,"count":10}`},
			handle:     h.searchAcrossLineage,
		},
		{
			method: http.MethodPost, path: "/entities", action: "scrollAcrossLineage", tag: "Lineage", reads: true,
			summary:    "Everything that such a search finds, page by page: each answer has the scrollId to continue with.",
			parameters: append(lineageSearchParameters(), parameter{"scrollId", "string", "from the answer before", false}),
			example:    example{body: `{"urn":"` + exampleTable + `","direction":"DOWNSTREAM","input":"*","count":10}`},
			handle:     h.scrollAcrossLineage,
		},
	}
}

func lineageSearchParameters() []parameter {
	return []parameter{
		{"urn", "string", "the entity, or a column for lineage between columns", true},
		{"direction", "string", "UPSTREAM or DOWNSTREAM", true},
		inputParameter, typesParameter,
		{"maxHops", "integer", "the greatest distance; unbounded when left out", false},
		filterParameter, sortParameter,
		countParameter, facetsParameter,
		{"startTimeMillis", "integer", "only edges made or confirmed since", false},
		{"endTimeMillis", "integer", "only edges made or confirmed until then", false},
		{"asOf", "integer", "a past moment in epoch milliseconds", false},
	}
}
