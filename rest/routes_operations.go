package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/rest/call"
)

func (h operationHandlers) endpoints() []call.Endpoint {
	restore := call.Endpoint{
		Method: http.MethodPost, Path: "/operations", Action: "restoreIndices", Tag: "Search", Long: true,
		Summary: "Write documents of the search index again, those of a page of entities. Edges need no such thing: they are written with the aspects that state them.",
		Parameters: []call.Parameter{
			{Name: "urn", Kind: "string", Help: "one entity"},
			{Name: "urnLike", Kind: "string", Help: "SQL LIKE pattern of URNs; all when left out"},
			{Name: "aspect", Kind: "string", Help: "only entities that have this aspect"},
			{Name: "start", Kind: "integer", Help: "0 when left out"},
			{Name: "batchSize", Kind: "integer", Help: "how many entities: 10 when left out, at most 10000"},
		},
		Example: call.Example{Body: `{"urn":"` + call.ExampleTable + `"}`},
		Handle:  h.restoreIndices,
	}
	again := restore
	again.Path = "/aspects"
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/operations", Action: "truncateTimeseriesAspect", Tag: "Delete", Long: true,
			Summary: "Delete the values of a time series up to a moment, of all entities of a type. They are deleted when the answer comes.",
			Parameters: []call.Parameter{
				{Name: "entityType", Kind: "string", Help: "the entity type", Required: true},
				{Name: "aspect", Kind: "string", Help: "a time-series aspect, in any letter case", Required: true},
				{Name: "endTimeMillis", Kind: "integer", Help: "latest timestampMillis, included", Required: true},
				{Name: "dryRun", Kind: "boolean", Help: "count, and delete nothing; true when left out"},
				{Name: "batchSize", Kind: "integer", Help: "accepted; values are deleted in small transactions"},
				{Name: "timeoutSeconds", Kind: "integer", Help: "how long values may be deleted; what is deleted by then stays deleted"},
			},
			Example: call.Example{Body: `{"entityType":"dataset","aspect":"datasetusagestatistics","endTimeMillis":1000000000000,"dryRun":true}`},
			Handle:  h.truncate,
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
func notOffered(path, action, instead string) call.Endpoint {
	return call.Endpoint{
		Method: http.MethodPost, Path: path, Action: action, Tag: "Refused", Reads: true, Refuses: true,
		Summary: "Refused with 400: " + instead + ".",
		Example: call.Example{Body: `{}`},
		Handle: func(*call.Call) error {
			return catalog.Errorf(catalog.Invalid, "%s is not offered here: %s", action, instead)
		},
	}
}
