package rest

import (
	"fmt"
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

func (h aspectHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/aspects", action: "getTimeseriesAspectValues", tag: "Read", reads: true,
			summary: "Values of a time-series aspect, newest first.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"entity", "string", "the entity's type", true},
				{"aspect", "string", "a time-series aspect", true},
				{"startTimeMillis", "integer", "earliest timestampMillis, included", false},
				{"endTimeMillis", "integer", "latest timestampMillis, included", false},
				{"limit", "integer", fmt.Sprintf("at most %d, the default", limits.MaxTimeSeriesValues), false},
				{"latestValue", "boolean", "only the newest value", false},
				{"filter", "object", "{or:[{and:[{field, value, values, condition, negated}]}]}", false},
				{"sort", "object", "{field, order: ASCENDING or DESCENDING}", false},
			},
			example: example{body: `{"urn":"` + exampleTable + `","entity":"dataset","aspect":"datasetProfile","startTimeMillis":0,"limit":10}`},
			handle:  h.timeSeries,
		},
		{
			method: http.MethodPost, path: "/aspects", action: "getCount", tag: "Read", reads: true,
			summary: "How many entities have an aspect.",
			parameters: []parameter{
				{"aspect", "string", "the aspect", true},
				{"urnLike", "string", "SQL LIKE pattern that the URN must match", false},
			},
			example: example{body: `{"aspect":"ownership","urnLike":"urn:li:dataset:%"}`},
			handle:  h.countAspects,
		},
		{
			method: http.MethodGet, path: "/aspects", tail: true, tag: "Read",
			summary: "One version of an aspect: 0 is the latest; archived versions count from 1, the oldest; -1 is the newest archived one.",
			parameters: []parameter{
				{"aspect", "string", "the aspect's name", true},
				{"version", "integer", "the version, 0 when left out", false},
			},
			example: example{tail: exampleTableEncoded, query: "aspect=ownership&version=0"},
			handle:  h.versionedAspect,
		},
	}
}

func (h entityHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "listUrns", tag: "Read", reads: true,
			summary:    "The entities of a type, ordered by URN, including soft-deleted ones.",
			parameters: []parameter{{"entity", "string", "the entity type", true}, {"start", "integer", "0 when left out", false}, {"count", "integer", limits.LeftOutMost(limits.DefaultURNs, limits.MaxPageCount), false}},
			example:    example{body: `{"entity":"dataset","start":0,"count":10}`},
			handle:     h.listURNs,
		},
		{
			method: http.MethodPost, path: "/entities", action: "exists", tag: "Read", reads: true,
			summary:    "Whether an entity exists; a soft-deleted one does.",
			parameters: []parameter{{"urn", "string", "the entity", true}},
			example:    example{body: `{"urn":"` + exampleTable + `"}`},
			handle:     h.exists,
		},
		{
			method: http.MethodGet, path: "/entitiesV2", tail: true, tag: "Read", versioned: true,
			summary: "An entity with its latest aspects in envelopes.", parameters: []parameter{aspectsParameter},
			example: example{tail: exampleTableEncoded, query: "aspects=List(ownership)"},
			handle:  h.entity,
		},
		{
			method: http.MethodGet, path: "/labels", tail: true, tag: "Read",
			summary: "The tags, terms and owners of an entity, each with who or what stated it, since when and how sure.",
			example: example{tail: exampleTableEncoded},
			handle:  h.labels,
		},
		{
			method: http.MethodGet, path: "/quality", tail: true, tag: "Read",
			summary: "Whether the data of an entity or column is fresh and its checks pass: the last change and profile, the assertions with their last results, open incidents. Of an assertion, its last results.",
			example: example{tail: exampleTableEncoded},
			handle:  h.quality,
		},
		{
			method: http.MethodGet, path: "/entitiesV2", ids: true, tag: "Read", versioned: true,
			summary: "Several entities with their latest aspects.", parameters: []parameter{idsParameter, aspectsParameter},
			example: example{query: "ids=List(" + exampleTableEncoded + ")&aspects=List(ownership)"},
			handle:  h.entities,
		},
		{
			method: http.MethodGet, path: "/entitiesVersionedV2", ids: true, tag: "Read",
			summary: "Several entities with the versions of aspects that version stamps of the timeline name.",
			parameters: []parameter{
				{"ids", "list", "List((urn:<URN>,versionStamp:<stamp>),…), URN and stamp percent-encoded; a stamp is <aspect>:<version>;…, and empty for the latest versions", true},
				{"entityType", "string", "the type of the entities", true},
				aspectsParameter,
			},
			example: example{query: "ids=List((urn:" + exampleTableEncoded + ",versionStamp:ownership%3A0))&entityType=dataset"},
			handle:  h.versionedEntities,
		},
	}
}
