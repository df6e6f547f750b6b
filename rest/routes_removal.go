package rest

import (
	"fmt"
	"net/http"

	"github.com/headwater-io/headwater/internal/limits"
)

func (h deleteHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "delete", tag: "Delete", long: true,
			summary: "Delete an entity completely: versions, time series, edges, search document. What other entities state about it remains. With aspectName, delete only values of that time-series aspect.",
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
			summary: fmt.Sprintf("Delete up to %d entities, completely or, with soft, by a mark that hides them and can be removed. May be repeated.", limits.MaxBatchDelete),
			parameters: []parameter{
				{"urns", "array", "the entities", true},
				{"soft", "boolean", "mark them as removed", false},
				{"undo", "boolean", "with soft: remove the mark", false},
				{"references", "boolean", "also remove what other entities state about them", false},
				{"dryRun", "boolean", "count, and change nothing", false},
				{"systemMetadata", "object", "lastObserved and runId of the marks", false},
			},
			example: example{body: `{"urns":["urn:li:tag:Nobody"],"soft":true,"dryRun":true}`},
			handle:  h.batchDelete,
		},
		{
			method: http.MethodPost, path: "/entities", action: "deleteReferences", tag: "Delete", long: true,
			summary: "Remove what other entities state about an entity. The entity itself remains.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"dryRun", "boolean", "count, and change nothing", false},
			},
			example: example{body: `{"urn":"urn:li:tag:Nobody","dryRun":true}`},
			handle:  h.deleteReferences,
		},
		{
			method: http.MethodPost, path: "/entities", action: "deleteAll", tag: "Delete", long: true,
			summary: "Roll back everything that was written with one version of a model's registry, as for a run.",
			parameters: []parameter{
				{"registryId", "string", "name:version", true},
				{"dryRun", "boolean", "count, and change nothing", false},
				{"soft", "boolean", "soft-delete the entities created with it; true when left out", false},
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
			method: http.MethodPost, path: "/runs", action: "list", tag: "Runs", reads: true,
			summary: "Ingestion runs of which something is current, the newest first. The header X-Total-Count is their number.",
			parameters: []parameter{
				{"pageOffset", "integer", "0 when left out", false},
				{"pageSize", "integer", limits.LeftOutMost(limits.DefaultRuns, limits.MaxPageCount), false},
				{"includeSoft", "boolean", "also count what belongs to entities that others soft-deleted", false},
				{"overview", "boolean", fmt.Sprintf("list rolled-back runs too, and say so; leave out bookkeeping, such as no-run-id-provided; a page is then among the newest %d runs, and at most %d long", limits.MaxPageCount, limits.MaxRunCount), false},
				{"bookkeeping", "boolean", "with overview: list bookkeeping too", false},
				{"pipeline", "string", "with overview: the runs of this pipeline", false},
				{"runId", "string", "with overview: this run", false},
			},
			example: example{body: `{"pageOffset":0,"pageSize":10}`},
			handle:  h.listRuns,
		},
		{
			method: http.MethodPost, path: "/runs", action: "describe", tag: "Runs", reads: true,
			summary: "What a run wrote that is still current.",
			parameters: []parameter{
				{"runId", "string", "the run", true},
				{"start", "integer", "0 when left out", false},
				{"count", "integer", limits.LeftOutMost(limits.DefaultRunRows, limits.MaxPageCount), false},
				{"includeSoft", "boolean", "also of soft-deleted entities", false},
				{"includeAspect", "boolean", "with the values", false},
			},
			example: example{body: `{"runId":"` + exampleRun + `","start":0,"count":10}`},
			handle:  h.describeRun,
		},
		{
			method: http.MethodPost, path: "/runs", action: "rollback", tag: "Runs", long: true,
			summary: "Roll a run back: the versions before those of the run become the latest, with their own stamps. Entities that the run created are soft-deleted or, unless safe, deleted. May be repeated after an interruption.",
			parameters: []parameter{
				{"runId", "string", "the run", true},
				{"dryRun", "boolean", "count, and change nothing", true},
				{"safe", "boolean", "soft-delete the entities that the run created; true when left out", false},
				{"hardDelete", "boolean", "the opposite of safe, for older clients", false},
				{"limit", "integer", "stop after about this many rows; the answer's next is where to continue", false},
				{"after", "string", "an earlier answer's next", false},
			},
			example: example{body: `{"runId":"` + exampleRun + `","dryRun":true,"safe":true}`},
			handle:  h.rollbackRun,
		},
	}
}
