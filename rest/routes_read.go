package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/rest/call"
)

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
				{Name: "limit", Kind: "integer", Help: "at most 10000, the default"},
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
			Parameters: []call.Parameter{{Name: "entity", Kind: "string", Help: "the entity type", Required: true}, {Name: "start", Kind: "integer", Help: "0 when left out"}, {Name: "count", Kind: "integer", Help: "100 when left out, at most 10000"}},
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
			Summary: "Whether the data of an entity or column is fresh and its checks pass: the last change and profile, the assertions with their last results, open incidents. Of an assertion, its last results.",
			Example: call.Example{Tail: call.ExampleTableEncoded},
			Handle:  h.quality,
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
