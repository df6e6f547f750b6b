package rest

import "net/http"

func (h deleteHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "delete", tag: "Delete", long: true,
			summary: "Delete an entity wholly: versions, time series, edges, search document. What others say of it stays. With aspectName, values of that time-series aspect alone.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"aspectName", "string", "a time-series aspect", false},
				{"startTimeMillis", "integer", "earliest timestampMillis, included", false},
				{"endTimeMillis", "integer", "latest timestampMillis, included", false},
				{"dryRun", "boolean", "count, and delete nothing", false},
			},
			example: example{body: `{"urn":"urn:li:tag:Nobody","dryRun":true}`},
			handle:  h.delete,
		},
		{
			method: http.MethodPost, path: "/entities", action: "batchDelete", tag: "Delete", long: true,
			summary: "Delete up to 1000 entities, wholly or, with soft, by a mark that hides them and can be taken back. May be repeated.",
			parameters: []parameter{
				{"urns", "array", "the entities", true},
				{"soft", "boolean", "mark them as removed", false},
				{"undo", "boolean", "with soft: take the mark away", false},
				{"references", "boolean", "take them out of what others say, too", false},
				{"dryRun", "boolean", "count, and change nothing", false},
				{"systemMetadata", "object", "lastObserved and runId of the marks", false},
			},
			example: example{body: `{"urns":["urn:li:tag:Nobody"],"soft":true,"dryRun":true}`},
			handle:  h.batchDelete,
		},
		{
			method: http.MethodPost, path: "/entities", action: "deleteReferences", tag: "Delete", long: true,
			summary: "Take an entity out of what others say of it. The entity itself stays.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"dryRun", "boolean", "count, and change nothing", false},
			},
			example: example{body: `{"urn":"urn:li:tag:Nobody","dryRun":true}`},
			handle:  h.deleteReferences,
		},
		{
			method: http.MethodPost, path: "/entities", action: "deleteAll", tag: "Delete", long: true,
			summary: "Take back everything that was written under a version of a model's registry, as a rollback of a run does.",
			parameters: []parameter{
				{"registryId", "string", "name:version", true},
				{"dryRun", "boolean", "count, and change nothing", false},
				{"soft", "boolean", "soft-delete the entities made under it; true when left out", false},
			},
			example: example{body: `{"registryId":"mycompany-model:0.0.1","dryRun":true}`},
			handle:  h.deleteAll,
		},
	}
}

func (h runHandlers) endpoints() []endpoint {
	const exampleRun = "example-run"
	return []endpoint{
		{
			method: http.MethodPost, path: "/runs", action: "list", tag: "Runs",
			summary: "Ingestion runs of which something is current, the newest first. The header X-Total-Count has their number.",
			parameters: []parameter{
				{"pageOffset", "integer", "0 when left out", false},
				{"pageSize", "integer", "100 when left out, at most 10000", false},
				{"includeSoft", "boolean", "count what soft-deleted entities have, too", false},
			},
			example: example{body: `{"pageOffset":0,"pageSize":10}`},
			handle:  h.listRuns,
		},
		{
			method: http.MethodPost, path: "/runs", action: "describe", tag: "Runs",
			summary: "What a run wrote that is current.",
			parameters: []parameter{
				{"runId", "string", "the run", true},
				{"start", "integer", "0 when left out", false},
				{"count", "integer", "100 when left out, at most 10000", false},
				{"includeSoft", "boolean", "of soft-deleted entities, too", false},
				{"includeAspect", "boolean", "with the values", false},
			},
			example: example{body: `{"runId":"` + exampleRun + `","start":0,"count":10}`},
			handle:  h.describeRun,
		},
		{
			method: http.MethodPost, path: "/runs", action: "rollback", tag: "Runs", long: true,
			summary: "Take a run back: older versions take the place of its own with their own stamps, what it made is soft-deleted or, unless safe, deleted. May be repeated after an interruption.",
			parameters: []parameter{
				{"runId", "string", "the run", true},
				{"dryRun", "boolean", "count, and change nothing", true},
				{"safe", "boolean", "soft-delete the entities that the run made; true when left out", false},
				{"hardDelete", "boolean", "the opposite of safe, of older clients", false},
				{"limit", "integer", "end after about so many rows; the answer's next is where to go on", false},
				{"after", "string", "an earlier answer's next", false},
			},
			example: example{body: `{"runId":"` + exampleRun + `","dryRun":true,"safe":true}`},
			handle:  h.rollbackRun,
		},
	}
}
