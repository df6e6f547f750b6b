package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

func (h operationHandlers) endpoints() []endpoint {
	restore := endpoint{
		method: http.MethodPost, path: "/operations", action: "restoreIndices", tag: "Search", long: true,
		summary: "Write documents of the search index again, those of a page of entities. Edges need no such thing: they are written with the aspects that state them.",
		parameters: []parameter{
			{"urn", "string", "one entity", false},
			{"urnLike", "string", "SQL LIKE pattern of URNs; all when left out", false},
			{"aspect", "string", "only entities that have this aspect", false},
			{"start", "integer", "0 when left out", false},
			{"batchSize", "integer", "how many entities: " + limits.LeftOutMost(limits.DefaultRestored, limits.MaxRestored), false},
		},
		example: example{body: `{"urn":"` + exampleTable + `"}`},
		handle:  h.restoreIndices,
	}
	again := restore
	again.path = "/aspects"
	return []endpoint{
		{
			method: http.MethodPost, path: "/operations", action: "truncateTimeseriesAspect", tag: "Delete", long: true,
			summary: "Delete the values of a time series up to a moment, of all entities of a type. They are deleted when the answer comes.",
			parameters: []parameter{
				{"entityType", "string", "the entity type", true},
				{"aspect", "string", "a time-series aspect, in any letter case", true},
				{"endTimeMillis", "integer", "latest timestampMillis, included", true},
				{"dryRun", "boolean", "count, and delete nothing; true when left out", false},
				{"batchSize", "integer", "accepted; values are deleted in small transactions", false},
				{"timeoutSeconds", "integer", "how long values may be deleted; what is deleted by then stays deleted", false},
			},
			example: example{body: `{"entityType":"dataset","aspect":"datasetusagestatistics","endTimeMillis":1000000000000,"dryRun":true}`},
			handle:  h.truncate,
		},
		restore, again,
		notOffered("/operations", "getIndexSizes", "there is no index for each time series; the dry run of truncateTimeseriesAspect counts the values of one"),
		notOffered("/operations", "getEsTaskStatus", "there are no tasks: truncateTimeseriesAspect is done when it is answered, and GET /index has the progress of a rebuild"),
		notOffered("/platform", "producePlatformEvent", "events are made from changes only; write the change by /aspects?action=ingestProposal, and read events at /events or from Kafka"),
		notOffered("/entities", "applyRetention", "retention (the setting retention) is applied to an aspect by every write of it"),
		notOffered("/entities", "setWritable", "the setting read-only does this, and takes effect on SIGHUP"),
	}
}

// notOffered is a call of the reference that this server does not have, with the reason and
// what to use instead.
func notOffered(path, action, instead string) endpoint {
	return endpoint{
		method: http.MethodPost, path: path, action: action, tag: "Refused", reads: true, refuses: true,
		summary: "Refused with 400: " + instead + ".",
		example: example{body: `{}`},
		handle: func(*call) error {
			return catalog.Errorf(catalog.Invalid, "%s is not offered here: %s", action, instead)
		},
	}
}
