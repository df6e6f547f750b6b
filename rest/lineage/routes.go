// Package lineage has the calls that walk lineage. Searches in lineage are in package search.
package lineage

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// Endpoints returns the endpoints that walk the lineage of an entity.
func Endpoints(rules *services.Services) []call.Endpoint {
	return lineageHandlers{rules}.endpoints()
}

// These parameters are shared by lineage requests.
var (
	directionParameter = call.Parameter{Name: "direction", Kind: "string", Help: "UPSTREAM, where data comes from, or DOWNSTREAM, where it goes"}
	formParameter      = call.Parameter{Name: "form", Kind: "string", Help: "whole, the default, or compact, which lists each URN and each edge once"}
	walkParameters     = []call.Parameter{
		{Name: "hops", Kind: "integer", Help: "the greatest distance; unbounded when left out"},
		{Name: "reach", Kind: "integer", Help: "how many entities the walk reaches at most, the nearest: " + limits.LeftOutMost(limits.DefaultReach, limits.MaxReach)},
	}
	columnsParameter = call.Parameter{Name: "columns", Kind: "boolean", Help: "lineage between columns: of the column that the URN names, or of all columns of the entity"}
	removedParameter = call.Parameter{Name: "removed", Kind: "string", Help: "soft-deleted entities: pass walks through them without listing them, show lists them, stop does not walk beyond them; pass when left out, show with asOf"}
	filterParameters = []call.Parameter{
		{Name: "types", Kind: "list", Help: "entity types"},
		{Name: "platforms", Kind: "list", Help: "platforms, as URNs or names"},
		{Name: "owners", Kind: "list", Help: "owners, as URNs or names"},
		{Name: "tags", Kind: "list", Help: "tags, as URNs or names"},
		{Name: "terms", Kind: "list", Help: "glossary terms, as URNs or names"},
		{Name: "domains", Kind: "list", Help: "domains, as URNs or names"},
	}
)

func (h lineageHandlers) endpoints() []call.Endpoint {
	walk, impact := walkEndpoint(h.lineage), impactEndpoint(h.impact)
	return []call.Endpoint{
		walk,
		overlayEndpoint(&walk, h.lineageOver),
		{
			Method: http.MethodGet, Path: "/lineage-diff", Tail: true, Tag: "Lineage",
			Summary: "How the lineage of an entity or column changed between two moments: entities and edges added and ended, with run and actor.",
			Parameters: slices.Concat([]call.Parameter{
				{Name: "before", Kind: "string", Help: "the first moment: epoch milliseconds, a day or a time", Required: true},
				{Name: "after", Kind: "string", Help: "the second moment; now when left out"},
				directionParameter,
			}, walkParameters, []call.Parameter{columnsParameter, {Name: "removed", Kind: "string", Help: "stop does not walk beyond soft-deleted entities"}}),
			Example: call.Example{Tail: call.ExampleTableEncoded, Query: "before=2026-01-01"},
			Handle:  h.lineageDiff,
		},
		impact,
		overlayEndpoint(&impact, h.impactOver),
		compareEndpoint(h.compareOver),
		{
			Method: http.MethodGet, Path: "/unused-columns", Tag: "Lineage",
			Summary: "Columns that nobody reads, and those of which that is not known, with what it rests on: by lineage, SQL, assertions, charts, queries, and the usage of their datasets.",
			Parameters: []call.Parameter{
				{Name: "datasets", Kind: "list", Help: "URNs of datasets; all datasets when left out"},
				{Name: "platforms", Kind: "list", Help: "URNs of platforms"},
				{Name: "query", Kind: "string", Help: "words by which datasets are searched for"},
				{Name: "days", Kind: "integer", Help: "for how many days nobody must have read a column: " + limits.LeftOutMost(limits.DefaultUnusedDays, limits.MaxUnusedDays)},
				{Name: "all", Kind: "boolean", Help: "also list the columns that are read"},
				{Name: "start", Kind: "integer", Help: "how many datasets to pass over: next of the page before; 0 when left out"},
				{Name: "count", Kind: "integer", Help: "after how many columns a page ends, with the dataset that has the last of them: " + limits.LeftOutMost(limits.DefaultUnusedColumns, limits.MaxUnusedColumns)},
			},
			Example: call.Example{Query: "query=orders&days=30"},
			Handle:  h.unused,
		},
		{
			Method: http.MethodGet, Path: "/columns", Tag: "Lineage",
			Summary: "Columns of datasets by words, tags, terms, personal data, types, and the facts of their datasets; as JSON or as a table.",
			Parameters: []call.Parameter{
				{Name: "query", Kind: "string", Help: "words in the path or the description, also in the name of the dataset; all columns when left out"},
				{Name: "labels", Kind: "list", Help: "URNs of tags and terms; a column has any of them"},
				{Name: "personal", Kind: "boolean", Help: "only columns with a tag or a term of personal data"},
				{Name: "datasets", Kind: "list", Help: "URNs of datasets"},
				{Name: "platforms", Kind: "list", Help: "URNs of platforms"},
				{Name: "owners", Kind: "list", Help: "URNs of owners of the datasets"},
				{Name: "domains", Kind: "list", Help: "URNs of domains, with the domains within them"},
				{Name: "types", Kind: "list", Help: "types of the source, in any letter case"},
				{Name: "start", Kind: "integer", Help: "0 when left out"},
				{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultFoundColumns, limits.MaxFoundColumns) + "; as a table all when left out"},
				{Name: "format", Kind: "string", Help: "json, the default, or csv"},
			},
			Example: call.Example{Query: "query=id&count=10"},
			Handle:  h.columns,
		},
		h.sqlEndpoint(),
		{
			Method: http.MethodPost, Path: "/relationships", Action: "getLineage", Tag: "Lineage", Reads: true,
			Summary: "Lineage in the form of the legacy interface.",
			Parameters: []call.Parameter{
				{Name: "urn", Kind: "string", Help: "the entity", Required: true},
				{Name: "direction", Kind: "string", Help: "UPSTREAM or DOWNSTREAM", Required: true},
				call.StartParameter,
				{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultRelationships, limits.MaxPageCount)},
				{Name: "maxHops", Kind: "integer", Help: "1 when left out"},
			},
			Example: call.Example{Body: `{"urn":"` + call.ExampleTable + `","direction":"UPSTREAM","maxHops":3}`},
			Handle:  h.getLineage,
		},
	}
}

func walkEndpoint(handle func(*call.Call) error) call.Endpoint {
	return call.Endpoint{
		Method: http.MethodGet, Path: "/lineage", Tail: true, Tag: "Lineage",
		Summary: "The entities upstream or downstream of an entity or a column (a schemaField), the nearest first.",
		Parameters: slices.Concat([]call.Parameter{directionParameter}, walkParameters, []call.Parameter{
			columnsParameter, call.MomentParameter, removedParameter,
			{Name: "mergeSiblings", Kind: "boolean", Help: "also continue from the siblings of what is reached, which is not a hop"},
			{Name: "startTimeMillis", Kind: "integer", Help: "only edges created or updated at or after this moment, epoch milliseconds"},
			{Name: "endTimeMillis", Kind: "integer", Help: "only edges made or confirmed until then"},
			{Name: "start", Kind: "integer", Help: "0 when left out"},
			{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultRelationships, limits.MaxPageCount)},
			{Name: "paths", Kind: "integer", Help: "how many shortest paths to show of each entity: " + limits.LeftOutMost(limits.DefaultPaths, limits.MaxPaths) + "; 0 shows none and costs least"},
			{Name: "edges", Kind: "boolean", Help: "return the edges between the entities of the page"},
			{Name: "basis", Kind: "boolean", Help: "say what the answer rests on: who stated what was walked, when it was last seen, which runs failed since; an empty answer always says so"},
			formParameter,
		}, filterParameters),
		Example: call.Example{Tail: call.ExampleTableEncoded, Query: "direction=DOWNSTREAM&hops=3"},
		Handle:  handle,
	}
}

func impactEndpoint(handle func(*call.Call) error) call.Endpoint {
	return call.Endpoint{
		Method: http.MethodGet, Path: "/impact", Tail: true, Tag: "Lineage",
		Summary: "What depends on an entity, grouped by type, platform, owner and degree, with the owners to notify. For a column: what is affected for certain or possibly when it is dropped, renamed or retyped, and why.",
		Parameters: slices.Concat([]call.Parameter{
			{Name: "column", Kind: "string", Help: "the path of a column of the entity: its loss is examined"},
			{Name: "change", Kind: "string", Help: "what happens to the column: drop, the default, rename or retype"},
			{Name: "only", Kind: "string", Help: "certain lists only what is affected for certain"},
			{Name: "start", Kind: "integer", Help: "the first entity that is listed; 0 when left out"},
			{Name: "count", Kind: "integer", Help: fmt.Sprintf("how many entities are listed, at most %d; all when left out. Groups, reasons and owners count all", limits.MaxPageCount)},
			{Name: "format", Kind: "string", Help: "json, the default, or csv"},
			formParameter,
			{Name: "direction", Kind: "string", Help: "DOWNSTREAM when left out"},
		}, walkParameters, []call.Parameter{call.MomentParameter, removedParameter}, filterParameters),
		Example: call.Example{Tail: call.ExampleTableEncoded},
		Handle:  handle,
	}
}

// overlayEndpoint is an endpoint that asks over the overlay in its body.
func overlayEndpoint(of *call.Endpoint, handle func(*call.Call) error) call.Endpoint {
	e := *of
	e.Method, e.Reads, e.Handle = http.MethodPost, true, handle
	e.Summary = "The same over an overlay: proposals whose values count in place of those that the catalog has. Nothing is written. " + of.Summary
	e.Content, e.Example.Body = overlayContent, overlayExample
	return e
}

// overlayContent is a body with an overlay, and overlayExample an example of it.
var overlayContent = call.Object{
	"type": "object", "required": []string{"overlay"},
	"properties": call.Object{"overlay": call.Object{
		"type": "array", "maxItems": limits.OverlayAspects, "items": call.Object{"type": "object"},
		"description": "proposals in the form of metadata files: entityType, entityUrn, changeType (UPSERT or DELETE), aspectName, aspect",
	}},
}

const overlayExample = `{"overlay":[{"entityType":"dataset","entityUrn":"` + call.ExampleTable + `","changeType":"UPSERT","aspectName":"status","aspect":{"json":{"removed":false}}}]}`

// compareEndpoint says how the catalog would differ with an overlay.
func compareEndpoint(handle func(*call.Call) error) call.Endpoint {
	return call.Endpoint{
		Method: http.MethodPost, Path: "/overlay-diff", Tag: "Lineage", Reads: true,
		Summary: "How the catalog would differ with an overlay: the tables, columns and edges that would be added, changed and ended, drawn in one graph with what stays, what that breaks for certain or possibly, and the owners of it. Nothing is written.",
		Parameters: []call.Parameter{
			{Name: "urn", Kind: "string", Help: "the entity around which the graph is drawn; around all that differ when left out"},
			{Name: "hops", Kind: "integer", Help: fmt.Sprintf("how far the graph reaches in both directions, at most %d; 1 when left out", limits.OverlayHops)},
		},
		Content: overlayContent,
		Example: call.Example{Body: overlayExample},
		Handle:  handle,
	}
}
