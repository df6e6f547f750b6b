// Package removal has the calls that delete entities, and the calls about runs and their rollback.
package removal

import (
	"fmt"
	"net/http"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// Entities returns the endpoints that delete entities, values and references.
func Entities(rules *services.Services) []call.Endpoint {
	return deleteHandlers{rules}.endpoints()
}

// Runs returns the endpoints about runs and their rollback.
func Runs(rules *services.Services) []call.Endpoint {
	return runHandlers{rules}.endpoints()
}

func (h deleteHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/entities", Action: "delete", Tag: "Delete", Long: true,
			Summary: "Delete an entity completely: versions, time series, edges, search document. What other entities state about it remains. With aspectName, delete only values of that time-series aspect.",
			Parameters: []call.Parameter{
				{Name: "urn", Kind: "string", Help: "the entity", Required: true},
				{Name: "aspectName", Kind: "string", Help: "a time-series aspect"},
				{Name: "startTimeMillis", Kind: "integer", Help: "earliest timestampMillis, included"},
				{Name: "endTimeMillis", Kind: "integer", Help: "latest timestampMillis, included"},
				{Name: "dryRun", Kind: "boolean", Help: "count, and delete nothing"},
			},
			Example: call.Example{Body: `{"urn":"urn:li:tag:Nobody","dryRun":true}`},
			Handle:  h.delete,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "batchDelete", Tag: "Delete", Long: true,
			Summary: fmt.Sprintf("Delete up to %d entities, completely or, with soft, by a mark that hides them and can be removed. May be repeated.", limits.MaxBatchDelete),
			Parameters: []call.Parameter{
				{Name: "urns", Kind: "array", Help: "the entities", Required: true},
				{Name: "soft", Kind: "boolean", Help: "mark them as removed"},
				{Name: "undo", Kind: "boolean", Help: "with soft: remove the mark"},
				{Name: "references", Kind: "boolean", Help: "also remove what other entities state about them"},
				{Name: "dryRun", Kind: "boolean", Help: "count, and change nothing"},
				{Name: "systemMetadata", Kind: "object", Help: "lastObserved and runId of the marks"},
			},
			Example: call.Example{Body: `{"urns":["urn:li:tag:Nobody"],"soft":true,"dryRun":true}`},
			Handle:  h.batchDelete,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "deleteReferences", Tag: "Delete", Long: true,
			Summary: "Remove what other entities state about an entity. The entity itself remains.",
			Parameters: []call.Parameter{
				{Name: "urn", Kind: "string", Help: "the entity", Required: true},
				{Name: "dryRun", Kind: "boolean", Help: "count, and change nothing"},
			},
			Example: call.Example{Body: `{"urn":"urn:li:tag:Nobody","dryRun":true}`},
			Handle:  h.deleteReferences,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "deleteAll", Tag: "Delete", Long: true,
			Summary: "Roll back everything that was written with one version of a model's registry, as for a run.",
			Parameters: []call.Parameter{
				{Name: "registryId", Kind: "string", Help: "name:version", Required: true},
				{Name: "dryRun", Kind: "boolean", Help: "count, and change nothing"},
				{Name: "soft", Kind: "boolean", Help: "soft-delete the entities created with it; true when left out"},
			},
			Example: call.Example{Body: `{"registryId":"mycompany-model:0.0.1","dryRun":true}`},
			Handle:  h.deleteAll,
		},
	}
}

func (h runHandlers) endpoints() []call.Endpoint {
	const exampleRun = "example-run"
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/runs", Action: "list", Tag: "Runs", Reads: true,
			Summary: "Ingestion runs of which something is current, the newest first. The header X-Total-Count is their number.",
			Parameters: []call.Parameter{
				{Name: "pageOffset", Kind: "integer", Help: "0 when left out"},
				{Name: "pageSize", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultRuns, limits.MaxPageCount)},
				{Name: "includeSoft", Kind: "boolean", Help: "also count what belongs to entities that others soft-deleted"},
				{Name: "overview", Kind: "boolean", Help: fmt.Sprintf("list rolled-back runs too, and say so; leave out bookkeeping, such as no-run-id-provided; a page is then among the newest %d runs, and at most %d long", limits.MaxPageCount, limits.MaxRunCount)},
				{Name: "bookkeeping", Kind: "boolean", Help: "with overview: list bookkeeping too"},
				{Name: "pipeline", Kind: "string", Help: "with overview: the runs of this pipeline"},
				{Name: "runId", Kind: "string", Help: "with overview: this run"},
			},
			Example: call.Example{Body: `{"pageOffset":0,"pageSize":10}`},
			Handle:  h.listRuns,
		},
		{
			Method: http.MethodPost, Path: "/runs", Action: "describe", Tag: "Runs", Reads: true,
			Summary: "What a run wrote that is still current.",
			Parameters: []call.Parameter{
				{Name: "runId", Kind: "string", Help: "the run", Required: true},
				{Name: "start", Kind: "integer", Help: "0 when left out"},
				{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultRunRows, limits.MaxPageCount)},
				{Name: "includeSoft", Kind: "boolean", Help: "also of soft-deleted entities"},
				{Name: "includeAspect", Kind: "boolean", Help: "with the values"},
			},
			Example: call.Example{Body: `{"runId":"` + exampleRun + `","start":0,"count":10}`},
			Handle:  h.describeRun,
		},
		{
			Method: http.MethodPost, Path: "/runs", Action: "rollback", Tag: "Runs", Long: true,
			Summary: "Roll a run back: the versions before those of the run become the latest, with their own stamps. Entities that the run created are soft-deleted or, unless safe, deleted. May be repeated after an interruption.",
			Parameters: []call.Parameter{
				{Name: "runId", Kind: "string", Help: "the run", Required: true},
				{Name: "dryRun", Kind: "boolean", Help: "count, and change nothing", Required: true},
				{Name: "safe", Kind: "boolean", Help: "soft-delete the entities that the run created; true when left out"},
				{Name: "hardDelete", Kind: "boolean", Help: "the opposite of safe, for older clients"},
				{Name: "limit", Kind: "integer", Help: "stop after about this many rows; the answer's next is where to continue"},
				{Name: "after", Kind: "string", Help: "an earlier answer's next"},
			},
			Example: call.Example{Body: `{"runId":"` + exampleRun + `","dryRun":true,"safe":true}`},
			Handle:  h.rollbackRun,
		},
	}
}
